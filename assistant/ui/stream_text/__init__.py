"""The text of messages on the page: taken as chunks, appended by offset, shown as Markdown (DESIGN 10).

The texts are not Reflex vars. `StreamFeed`, one a page, takes chunks into a store of the module's own;
`StreamText`, one a message row, shows its message from there. Both do what `domain.frames` says.

Chunks, with short keys; `m` is the message's id and `t` the task's, or "":

    {m, t, op: "text", a: attempt, o: offset, x: text, k: kind, b: base, f: after}
    {m, t, op: "replace", a, x: whole text, p: [[kind, start, end, call_id?], ...]}
                                    and c: the key under which a user's message was sent
    {m, t, op: "gap", from, to}     text is missing that a later `replace` brings
    {m, t, op: "end"}               the task is closed: the browser's copy for a reload is dropped
    {m, op: "drop"}                 the message is forgotten

Of a text chunk, `op` is "text", `k` "text", `b` its offset and `f` its attempt where they are not given.

Once a message was told, `n`, the last 8 characters of its id, may stand for `m` and `t`. The name follows
from the id and is never handed out, so no reload, repeated list or restarted server gives it to another
message. A chunk for a name of which the page has heard nothing is passed over.
"""

from typing import Any

import reflex as rx
from reflex_base.event import passthrough_event_spec

_FILES = {
    name: rx.asset(name, shared=True)
    for name in (
        "stream_text.js",
        "answer.js",
        "code_block.js",
        "code_points.js",
        "elements.js",
        "highlight.js",
        "keeping.js",
        "markdown.js",
        "markdown_document.js",
        "reasoning.js",
        "store.js",
        "stream_text.css",
        "use_rest.js",
        "use_view.js",
        "words.js",
    )
}

STYLESHEET = _FILES["stream_text.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, which bundles it, so that it is there before the first text. The URL of
the asset carries a version, and the compiler would look for a file of that name."""

PACKAGES = [
    "highlight.js@11.12.0",
    "markdown-it@15.0.3",
    "markdown-it-cjk-friendly@3.0.0",
]
"""What the component needs from the npm registry, pinned (docs/decisions/0010)."""


class _FromModule(rx.Component):
    library = _FILES["stream_text.js"].importable_path
    lib_dependencies: list[str] = PACKAGES


class StreamFeed(_FromModule):
    """Takes chunks; invisible, one a page.

    It also puts the session into the URL (no navigation) and into localStorage `recent-session`, keeps
    unfinished answers and `have` in sessionStorage, and sets `<html data-ready>`.
    """

    tag = "StreamFeed"

    chunks: rx.Var[list[dict[str, Any]]]
    """Taken in order. A list that comes twice changes nothing."""

    sid: rx.Var[str]
    """The session on the page; "" for a new one."""

    ready: rx.Var[str]
    """"" while a restore runs, then the session restored, or "new"."""

    on_missed: rx.EventHandler[passthrough_event_spec(str, int, int, int)]  # ty: ignore[invalid-type-form]
    """Text is missing before a chunk: message, attempt, offset and CRC of what is shown, once a place."""


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


stream_feed = StreamFeed.create
stream_text = StreamText.create
