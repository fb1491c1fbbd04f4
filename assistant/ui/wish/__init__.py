"""Wishes of one click: done once, or clearly not done and offered again (DESIGN 8).

A `WishButton` sends its wish under a key minted at the press; `WishKeeper`, one a page, takes the replies
(as `ui/composer` says) and withdraws what got none. Messages have a way of their own: the outbox.
"""

from typing import Any

import reflex as rx
from reflex_base.event import passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "siblings.js", "stepping.js", "wish.js", "wishes.js")


class _FromModule(rx.Component):
    library = _FILES["wish.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES


class WishButton(_FromModule):
    """A button that sends its wish once, and is busy until the wish's fate is known."""

    tag = "WishButton"

    kind: rx.Var[str]
    about: rx.Var[str]
    """With `kind`, what is wished: one at a time is on its way."""

    name: rx.Var[str]
    """Its `data-testid`."""

    label: rx.Var[str]
    """The place of its words in the tables; its accessible name and tooltip when it shows something else."""

    disabled: rx.Var[bool]

    on_press: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """The wish's key."""


class Siblings(rx.Component):
    """The way between the versions of a message; nothing where there is one."""

    library = _FILES["siblings.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES
    tag = "Siblings"

    message: rx.Var[str]
    siblings: rx.Var[list[str]]

    on_choose: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """The version to be shown, and the wish's key."""


class WishKeeper(_FromModule):
    """Invisible, one a page."""

    tag = "WishKeeper"

    replies: rx.Var[list[dict[str, Any]]]
    ready: rx.Var[str]
    """"" while what is sent may not arrive."""

    on_withdraw: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """A key whose wish must not be carried out any more."""


siblings = Siblings.create
wish_button = WishButton.create
wish_keeper = WishKeeper.create
