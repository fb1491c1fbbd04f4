"""Tabs of one browser on one session: one leads and carries its text, the others mirror it (DESIGN 10).

    away ──stood──▶ asking ──granted──▶ leading ──robbed──▶ asking
     │                │                    ▲
     │                └──heard──▶ mirroring ┘ granted
     └──stood_alone──▶ alone                             any ──left──▶ away

The table is in `moves.js`, and what tabs say to each other in `tabs.js`. A tab tells the server only when it
ceases to take text from there, or takes it again (`states/tabs`).
"""

import reflex as rx
from reflex_base.event import passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "tabs.js", "lock.js", "moves.js", "texts.js")


class TabsKeeper(rx.Component):
    """Invisible, one a page; sets `<html data-tab>` to its state."""

    library = _FILES["tabs.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES
    tag = "TabsKeeper"

    sid: rx.Var[str]
    """The session on the page; "" for a new one."""

    ready: rx.Var[str]
    """"" while a restore runs, then the session restored, or "new"."""

    link: rx.Var[str]
    """Its state, see `ui/link`."""

    on_lead: rx.EventHandler[passthrough_event_spec(str, bool, str)]  # ty: ignore[invalid-type-form]
    """The session, whether the server is to bring its text to this tab, and what the tab holds of it."""


tabs_keeper = TabsKeeper.create
