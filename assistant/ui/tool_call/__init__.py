"""The calls of an answer: what each does in plain words, how far it is, and what a person is asked (LOOK).

`stream_text` draws one for each `CallRow`, at its offset. Drawing starts nothing: Approve, Deny, Mark done
and Run again are wishes of one click (`ui/wish`). A decision is about exactly the arguments that are shown:
it names their hash. What was typed as a reason, and which details are open, is kept over a reload.
"""

from reflex_base.event import passthrough_event_spec

from assistant.ui.files_beside import files_beside

_FILES = files_beside(
    __name__,
    __file__,
    "tool_call.js",
    "arguments.js",
    "card.js",
    "details.js",
    "doubt.js",
    "icons.js",
    "kept.js",
    "line.js",
    "told.js",
    "tool_call.css",
)

STYLESHEET = _FILES["tool_call.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, as the one of `stream_text`."""

on_decide = passthrough_event_spec(str, str, str, str, str)
"""Call, "approve" or "deny", the hash of the arguments, a reason or "", and the wish's key."""

on_settle = passthrough_event_spec(str, str)
"""Call and the wish's key."""
