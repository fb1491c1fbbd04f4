"""Where the user writes and what was sent, in exactly one place at any time (DESIGN 8, I5, I6).

`Composer`, one a page, takes what is typed and sends it; `Outbox`, at the end of the thread, shows what was
sent and is not yet seen in the conversation. Both keep what they hold in localStorage: `draft:<sid or new>`
is `{text, version}`, `outbox:<key>` is `{key, sid, text, at, ...}`. A message that waits at the server is
edited in the composer and saved in its place (decision 0012).

A reply is one of

    {key, state: "accepted", session_id, message_id, task_id}
    {key, state: "queued", session_id}
    {key, state: "refused", code, details}, as `ui/words` tells it
    {key, state: "unknown"}
    {key, state: "withdrawn"}

Old replies may come again with new ones, one a key. The reply to the first message of a new session comes in
one update with the page's new `sid`.
"""

from typing import Any

import reflex as rx
from reflex_base.event import passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside

_FILES = files_beside(
    __name__,
    __file__,
    "composer.js",
    "asking.js",
    "browser_storage.js",
    "composer.css",
    "drafts.js",
    "editing.js",
    "focus.js",
    "hint.js",
    "icons.js",
    "outbox.js",
    "outbox_items.js",
    "page_session.js",
    "request_key.js",
    "settings_kept.js",
    "signal.js",
    "text_box.js",
)

STYLESHEET = _FILES["composer.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, after that of `stream_text`, whose colours it uses."""


class _FromModule(rx.Component):
    library = _FILES["composer.js"].importable_path
    # It reads the store of `stream_text`, to see its messages come into the conversation.
    lib_dependencies: list[str] = stream_text.PACKAGES


class Composer(_FromModule):
    """The box to write in, the round button that is Send or Stop, and the small line under them; what it is
    given stands at the left of the button."""

    tag = "Composer"

    sid: rx.Var[str]
    """The session on the page; "" for a new one."""

    ready: rx.Var[str]
    """"" while a restore runs or the server is away, then the session restored, or "new"."""

    busy_task: rx.Var[str]
    """The unfinished task that Stop would end; "" for none."""

    replies: rx.Var[list[dict[str, Any]]]
    """What the server says to sends, questions and withdrawals; taken in order."""

    queued: rx.Var[list[dict[str, Any]]]
    """The messages that wait at the server: `{key, text, at, paused}`, the oldest first."""

    stored_draft: rx.Var[dict[str, Any]]
    """The server's draft `{sid, text, version}`; it wins over an older one, unless the user is typing."""

    can_send: rx.Var[bool]
    """Whether a message may be sent."""

    carries: rx.Var[bool]
    """Whether it goes out at once; before that it waits for the document's first connection."""

    on_send: rx.EventHandler[  # ty: ignore[invalid-type-form]
        passthrough_event_spec(str, str, str, str, bool, dict[str, Any])
    ]
    """The user sends: key, text, session, the message of which it is another version or "", whether it may
    wait for its turn, and of a first message the settings `{model, parameters}`. A message sent again has the
    key, the text and all else that it had."""

    on_stop: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """The user stops a task: task, key."""

    on_ask: rx.EventHandler[passthrough_event_spec(list[str])]  # ty: ignore[invalid-type-form]
    """What has become of these keys? After a load, a reconnect, and a reply that does not come."""

    on_withdraw: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """The user takes a message back, to edit or discard it: key."""

    on_rewrite: rx.EventHandler[passthrough_event_spec(str, str, str, str)]  # ty: ignore[invalid-type-form]
    """The user gives a message that waits another text: its key, the text, the text that it replaces, and the
    key of this wish."""

    on_draft: rx.EventHandler[passthrough_event_spec(str, str, int)]  # ty: ignore[invalid-type-form]
    """The draft of a session changed: session, text, version. At once and empty when it is sent."""


class Outbox(_FromModule):
    """The messages on their way, those that wait, and those not sent, with Send, Edit and Discard."""

    tag = "Outbox"

    sid: rx.Var[str]

    on_release: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """The user sends the oldest that waits, though the answer before it ended badly: key."""


class EditButton(_FromModule):
    """Writes another version of a message of the user's."""

    tag = "EditButton"

    message: rx.Var[str]


class Example(_FromModule):
    """A button that sends its own text, through the outbox as everything that is sent."""

    tag = "Example"

    text: rx.Var[str]
    about: rx.Var[str]


composer = Composer.create
edit_button = EditButton.create
example = Example.create
outbox = Outbox.create
