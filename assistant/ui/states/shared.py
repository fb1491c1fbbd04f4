"""What a reader of a shared session sees; nothing here knows an owner (decision 18)."""

from typing import Any, NotRequired, TypedDict

import reflex as rx

from assistant.domain.task import Task, TaskState
from assistant.domain.tool_call import ToolCall, ToolCallState
from assistant.ui.rows import MessageRow, call_row
from assistant.ui.states.held import Held

PATH = "/shared/"

_ASKS = ("hash", "expires_at", "unknown")
"""Of a call's row: what makes the page ask a person. A reader is asked nothing."""


class SharedTaskRow(TypedDict):
    """A task as readers see it, under the id of the answer that it fills."""

    id: str
    state: str
    reason: str
    live: bool
    calls: NotRequired[list[dict[str, Any]]]
    """As `CallRow`; without `arguments` where the owner keeps them. `waits`: for the owner's decision."""


class Shared(Held, rx.State):
    """The page of a link; nothing of it is there before the link was found to count."""

    ready: rx.Field[str] = rx.field("")
    """"" before the link was asked about; then "shared", or "gone" when it does not work (any more)."""

    title: rx.Field[str] = rx.field("")
    rows: rx.Field[list[MessageRow]] = rx.field(default_factory=list)
    tasks: rx.Field[dict[str, SharedTaskRow]] = rx.field(default_factory=dict)
    has_older: rx.Field[bool] = rx.field(False)

    restored_on: rx.Field[str] = rx.field("")
    """The connection on which it was asked about last."""

    _allowed: bool = False
    """Whether what is shown was told with the tools' arguments."""


class SharedLive(Held, rx.State):
    """Text on its way to a reader's browser, as `Live` is to the owner's."""

    chunks: rx.Field[list[dict[str, object]]] = rx.field(default_factory=list)

    beat: rx.Field[int] = rx.field(0)
    """Rises while nothing else is said, so that the browser hears that the link lives."""


def token_of(state: rx.State) -> str:
    """The token in the address of the page; "" for none."""
    path = state.router.url.path
    return path.removeprefix(PATH).strip("/") if path.startswith(PATH) else ""


def shared_task_rows(tasks: tuple[Task, ...]) -> dict[str, SharedTaskRow]:
    """The rows of tasks as shared, by the id of the answer."""
    return {task.answer_id: _task_row(task) for task in tasks}


def _task_row(task: Task) -> SharedTaskRow:
    row: SharedTaskRow = {
        "id": task.id,
        "state": task.state.value,
        "reason": task.reason.value if task.reason else "",
        "live": not task.closed,
    }
    if task.tool_calls:
        repeated = {call.retry_of for call in task.tool_calls}
        row["calls"] = [_call_row(call, task) for call in task.tool_calls if call.id not in repeated]
    return row


def _call_row(call: ToolCall, task: Task) -> dict[str, Any]:
    row = {name: value for name, value in call_row(call).items() if name not in _ASKS}
    if not call.arguments:
        del row["arguments"]
    if task.state is TaskState.AWAITING_CONFIRM and call.state is ToolCallState.REQUESTED:
        row["waits"] = True
    return row
