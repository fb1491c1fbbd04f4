"""Every handler of every state, and how the permission walk calls it: `test_permission_walk_handlers`.

Any script on a page may call any public method of a state class with any arguments, so each is a row:
`"module.Class.handler": (Call({...}), ...)`, the module without `assistant.ui.states.`. The walk fills
`{session_id}`, `{message_id}`, `{answer_id}`, `{task_id}`, `{call_id}`, `{arguments_hash}`, `{key}` and
`{mine}` (see `walk_estate.Things`) in the payload and in the tab's address with another owner's ids, then
with unknown ones, and wants the same told. A new handler needs one row, with every argument that it takes:

    "sharing.Shares.share": (Call({"sid": "{session_id}", "key": KEY}),)

A var that the browser says by itself (LocalStorage, SessionStorage, Cookie) is a row of FORGED, with the
worst value that a script could put there.
"""

from dataclasses import dataclass, field
from typing import Any

KEY = "a key of mine"
THERE = "/?sid={session_id}"
HOME = "/?sid={mine}"


@dataclass(frozen=True)
class Call:
    """One call of a row, from a tab at an address; `forged` are vars that the browser says before it."""

    payload: dict[str, Any] = field(default_factory=dict)
    address: str = THERE
    forged: bool = False


_ABOUT_A_TASK = (Call({"task_id": "{task_id}", "key": KEY}), Call({"task_id": "{task_id}", "key": "{key}"}))
_ABOUT_A_CALL = (Call({"call_id": "{call_id}", "key": KEY}),)
_SEND = {"key": KEY, "text": "mine", "sid": "{session_id}", "edits": "", "queue": False, "settings": {}}
_VERDICT = {"call_id": "{call_id}", "arguments_hash": "{arguments_hash}", "reason": "", "key": KEY}
_PLACE = {"message_id": "{answer_id}", "task_id": "{task_id}", "attempt": 1, "offset": 0, "crc": 0}
_ALONE = (Call(), Call(address="/", forged=True))

HANDLERS: dict[str, tuple[Call, ...]] = {
    "draft.Drafts.save": (Call({"sid": "{session_id}", "text": "mine", "version": 99}),),
    "follow.Follow.follow": _ALONE,
    "listing.Listing.follow": _ALONE,
    "missed.Missed.tell_again": (
        Call(_PLACE),
        Call({**_PLACE, "offset": 3}),
        Call({**_PLACE, "task_id": ""}),
    ),
    "missed.Missed.tell_whole": (
        Call({"message_id": "{answer_id}", "shown": True}),
        Call({"message_id": "{message_id}", "shown": False}, address=HOME),
    ),
    "paging.Paging.older": (Call({"first": "{message_id}"}), Call({"first": "{mine}"}, address=HOME)),
    "paging.Paging.newer": (Call({"last": "{answer_id}"}), Call({"last": "{mine}"}, address=HOME)),
    "paging.Paging.newest": (*_ALONE, Call(address=HOME)),
    "promised.Unheld.tell_all": _ALONE,
    "restore.Restore.new_session": _ALONE,
    "restore.Restore.on_load": _ALONE,
    "restore.Restore.on_load_later": _ALONE,
    "restore.Restore.open_session": (Call({"sid": "{session_id}"}),),
    "simulate.Simulate.refresh": _ALONE,
    "wishes.Wishes.send": (
        Call(_SEND),
        Call({**_SEND, "queue": True}),
        Call({**_SEND, "sid": "", "edits": "{message_id}"}),
        Call({**_SEND, "sid": "{mine}", "edits": "{answer_id}"}, address=HOME),
    ),
    "wishes.Wishes.ask": (Call({"keys": ["{key}", KEY]}), Call({"keys": ["{key}"]}, address="/")),
    "wishes.Wishes.withdraw": (Call({"key": "{key}"}),),
    "wishes.Wishes.stop": _ABOUT_A_TASK,
    "wishes.Wishes.retry": _ABOUT_A_TASK,
    "wishes.Wishes.carry_on": _ABOUT_A_TASK,
    "wishes.Wishes.decide": (
        Call({**_VERDICT, "decision": "approve"}),
        Call({**_VERDICT, "decision": "deny"}),
    ),
    "wishes.Wishes.mark_done": _ABOUT_A_CALL,
    "wishes.Wishes.run_again": _ABOUT_A_CALL,
    "wishes.Wishes.release": (Call({"key": KEY}),),
    "wishes.Wishes.rewrite": (
        Call({"message_key": "{key}", "text": "mine", "replaces": "theirs", "key": KEY}),
    ),
    "wishes.Wishes.choose": (
        Call({"message_id": "{answer_id}", "key": KEY}),
        Call({"message_id": "{answer_id}", "key": KEY}, address=HOME),
    ),
    "wishes.Wishes.rename": (Call({"sid": "{session_id}", "title": "mine", "key": KEY}),),
    "wishes.Wishes.delete": (
        Call({"sid": "{session_id}", "key": KEY}),
        Call({"sid": "{session_id}", "key": KEY}, address=HOME),
    ),
    "wishes.Wishes.undo_delete": (
        Call({"sid": "{session_id}", "key": KEY}),
        Call({"sid": "{session_id}", "key": KEY}, address="/"),
    ),
    "wishes.Wishes.archive": (Call({"sid": "{session_id}", "key": KEY}),),
    "wishes.Wishes.unarchive": (Call({"sid": "{session_id}", "key": KEY}),),
    "wishes.Wishes.configure": (
        Call({"sid": "{session_id}", "model": "", "parameters": {"temperature": 1}, "key": KEY}),
    ),
    "listing.Listing.want": (Call({"wanted": "50"}), Call({"wanted": "{session_id}"})),
    "shares.Shares.look": (Call({"sid": "{session_id}"}),),
    "shares.Shares.share": (Call({"sid": "{session_id}", "with_arguments": True, "key": KEY}),),
    "shares.Shares.unshare": (Call({"sid": "{session_id}", "key": KEY}),),
    # Called on a page that has no token in its address.
    "shared_follow.SharedFollow.follow": _ALONE,
    "shared_follow.SharedFollow.missed": (Call(_PLACE, address="/"),),
    "shared_follow.SharedFollow.older": _ALONE,
    "tabs.Tabs.lead": (
        Call({"sid": "{session_id}", "leads": True, "have": '{"{task_id}": [1, 0, 0]}'}),
        Call({"sid": "{session_id}", "leads": False, "have": ""}),
    ),
    # Reflex's own.
    "reflex.state.FrontendEventExceptionState.handle_frontend_exception": (
        Call({"info": "{session_id}", "component_stack": "{task_id}"}),
    ),
    "reflex.state.OnLoadInternalState.on_load_internal": _ALONE,
    "reflex.state.OnLoadInternalState.set_is_hydrated": (Call({"value": True}),),
    "reflex.state.State.hydrate": _ALONE,
    "reflex.state.State.hydrate_and_load": (Call({"vars": None, "hashes": None}), Call(forged=True)),
    "reflex.state.State.set_is_hydrated": (Call({"value": True}),),
    "reflex.state.UpdateVarsInternalState.update_vars_internal": (
        Call({"vars": {}}, address="/", forged=True),
    ),
}

_NO_FINGERPRINT = "0" * 16

FORGED: dict[str, str] = {
    "draft.Drafts.fingerprint": _NO_FINGERPRINT,
    "have.Have.have": '{"{task_id}": [1, 3, 7], "{answer_id}": [1, 3, 7]}',
    "page.Page.document": "a document",
    "page.Page.recent": "{session_id}",
    "page.Page.stood_new": "another document",
    "queue.Queue.fingerprint": _NO_FINGERPRINT,
    "stretches.Stretches.told": '{"{session_id}": ["{message_id}", "{message_id}", "{answer_id}"]}',
    "thread.Running.fingerprint": _NO_FINGERPRINT,
    "thread.Sessions.fingerprint": _NO_FINGERPRINT,
    "thread.Settled.fingerprint": _NO_FINGERPRINT,
    "listing.Listing.wanted": "{session_id}",
    "settings.Choices.fingerprint": _NO_FINGERPRINT,
    "settings.Parameters.fingerprint": _NO_FINGERPRINT,
    "thread.Thread.fingerprint": _NO_FINGERPRINT,
}
