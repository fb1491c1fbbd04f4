"""The text of messages on the page: taken as chunks, appended by offset, shown as Markdown (DESIGN 10).

The texts are not Reflex vars. `StreamFeed`, one a page, takes chunks into a store of the module's own;
`StreamText`, one a message row, shows its message from there. Both do what `domain.frames` says.

Chunks, with short keys; `m` is the message's id and `t` the task's, or "":

    {m, t, op: "text", a: attempt, o: offset, x: text, k: kind, b: base, f: after}
    {m, t, op: "replace", a, x: whole text, p: [[kind, start, end, call_id?], ...]}
                                    and c: the key under which a user's message was sent
                                    and w: the length of the message, where this is its digest
    {m, t, op: "aside", x}          the whole of a message of which the page shows a digest, for who asked
    {m, t, op: "gap", from, to}     text is missing that a later `replace` brings
    {m, t, op: "end", a?: attempt}  the task is closed: the browser's copy for a reload is dropped
                                    with o: length, crc   of its text, which comes from another tab
    {m, op: "drop"}                 the message is forgotten

Of a text chunk, `op` is "text", `k` "text", `b` its offset and `f` its attempt where they are not given.

Once a message was told, `n`, the last 8 characters of its id, may stand for `m` and `t`. The name follows
from the id and is never handed out, so no reload, repeated list or restarted server gives it to another
message. A chunk for a name of which the page has heard nothing is passed over.
"""

import reflex as rx
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event import passthrough_event_spec

from assistant.ui import tool_call
from assistant.ui.files_beside import files_beside
from assistant.ui.rows import CallRow

_FILES = files_beside(
    __name__,
    __file__,
    "stream_text.js",
    "answer.js",
    "chunk_room.js",
    "code_block.js",
    "code_points.js",
    "copy_button.js",
    "digest.js",
    "elements.js",
    "half_received.js",
    "held_back.js",
    "highlight.js",
    "keeping.js",
    "markdown.js",
    "markdown_document.js",
    "math.js",
    "math_syntax.js",
    "placing.js",
    "reasoning.js",
    "store.js",
    "stream_text.css",
    "use_rest.js",
    "use_view.js",
    "whole.js",
)

STYLESHEET = _FILES["stream_text.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, which bundles it, so that it is there before the first text. The URL of
the asset carries a version, and the compiler would look for a file of that name."""

PACKAGES = [
    "highlight.js@11.12.0",
    "markdown-it@15.0.3",
    "markdown-it-cjk-friendly@3.0.0",
    "temml@0.13.5",
]
"""What the component needs from the npm registry, pinned (docs/decisions/0010, 0025)."""


class _FromModule(rx.Component):
    library = _FILES["stream_text.js"].importable_path
    lib_dependencies: list[str] = PACKAGES


class ChunkRoom(rx.Component):
    """Takes the chunks of a state, every list of them in the order in which they came; invisible, one a page.

    A list that comes twice changes nothing.
    """

    library = _FILES["chunk_room.js"].importable_path
    lib_dependencies: list[str] = PACKAGES
    tag = "ChunkRoom"

    room: rx.Var[str]
    """The full name of the state."""

    field: rx.Var[str]
    """The name of its field, as it travels."""


class StreamFeed(_FromModule):
    """What belongs to no row; invisible, one a page.

    It puts the session into the URL (no navigation) and into localStorage `recent-session`, keeps
    unfinished answers and `have` in sessionStorage, and sets `<html data-ready>`.
    """

    tag = "StreamFeed"

    sid: rx.Var[str]
    """The session on the page; "" for a new one."""

    ready: rx.Var[str]
    """"" while a restore runs, then the session restored, or "new"."""

    on_missed: rx.EventHandler[passthrough_event_spec(str, str, int, int, int)]  # ty: ignore[invalid-type-form]
    """Text is missing before a chunk: message, task, and attempt, offset and CRC of what is shown."""

    on_whole: rx.EventHandler[passthrough_event_spec(str, bool)]  # ty: ignore[invalid-type-form]
    """The whole of a message is wanted: message, and whether it is to be shown in place of its digest."""


class StreamText(_FromModule):
    """The text of one message: `answer` with `reasoning` beside it, or the user's words as they are."""

    tag = "StreamText"

    message_id: rx.Var[str]

    task_id: rx.Var[str]
    """The task that fills the answer; "" for a user's message."""

    state: rx.Var[str]

    reason: rx.Var[str]

    role: rx.Var[str]
    """"user" or "assistant"."""

    live: rx.Var[bool]
    """More text may come: a caret stands at its end."""

    calls: rx.Var[list[CallRow]]
    """The calls of the answer, each drawn at its offset (`ui/tool_call`)."""

    busy: rx.Var[bool]
    """An answer of the session is unfinished."""

    on_decide: rx.EventHandler[tool_call.on_decide]  # ty: ignore[invalid-type-form]
    on_mark_done: rx.EventHandler[tool_call.on_settle]  # ty: ignore[invalid-type-form]
    on_run_again: rx.EventHandler[tool_call.on_settle]  # ty: ignore[invalid-type-form]


def chunk_room(state: type[rx.State], field: str) -> rx.Component:
    """Takes the chunks in `field` of `state`."""
    return ChunkRoom.create(room=state.get_full_name(), field=field + FIELD_MARKER)


class CopyMessage(_FromModule):
    """A small button that copies what a message says."""

    tag = "CopyMessage"

    message: rx.Var[str]


copy_message = CopyMessage.create
stream_feed = StreamFeed.create
stream_text = StreamText.create
