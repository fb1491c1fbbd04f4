"""The shapes of shares: what the owner is told of a link, and what its readers see of a session."""

from pydantic import Field

from assistant.api.wire import Part, Shape, Time
from assistant.api.wire_requests import Asked
from assistant.domain import message, task, tool_call
from assistant.services.shared_view import SharedSnapshot as ReadSnapshot

_SESSION = "01932f5a-0000-7000-8000-000000000001"
_TOKEN = "AZMvWgAAcACAAAAAAAAAAQ" + "x" * 26


class Sharing(Asked):
    """What readers of a link see of tool calls: with `with_arguments`, what they were given and gave."""

    with_arguments: bool = False


class Share(Shape):
    """A link to a session; the same until it is taken back."""

    url: str = Field(examples=[f"https://assistant.example/shared/{_TOKEN}"])
    token: str = Field(examples=[_TOKEN])
    with_arguments: bool
    created_at: Time


class Unshared(Shape):
    """A session without a link."""

    session_id: str = Field(examples=[_SESSION])


class SharedCall(Shape):
    """One call; `arguments`, `result` and the reasons are there only where the owner allows it."""

    id: str
    name: str
    offset: int
    state: tool_call.ToolCallState
    arguments: str | None = None
    reason: tool_call.ToolCallReason | None = None
    result: str | None = None
    decision: tool_call.Decision | None = None
    decision_reason: str | None = None


class SharedTask(Shape):
    """The work on one answer."""

    id: str
    answer_id: str
    state: task.TaskState
    reason: task.TaskReason | None
    tool_calls: list[SharedCall]


class SharedMessage(Shape):
    """One message; the text of an unfinished answer is the text so far."""

    id: str
    role: message.Role
    text: str
    parts: list[Part]
    created_at: Time
    task_id: str | None


class SharedSnapshot(Shape):
    """A page of the chosen branch, oldest first."""

    title: str
    with_arguments: bool
    messages: list[SharedMessage]
    tasks: list[SharedTask]
    has_older: bool


def snapshot_of(snapshot: ReadSnapshot) -> SharedSnapshot:
    allowed = snapshot.share.with_arguments
    tasks = [SharedTask.model_validate(task) for task in snapshot.tasks]
    if not allowed:
        for shown in tasks:
            for call in shown.tool_calls:
                call.arguments = None
    return SharedSnapshot(
        title=snapshot.title,
        with_arguments=allowed,
        messages=[SharedMessage.model_validate(message) for message in snapshot.messages],
        tasks=tasks,
        has_older=snapshot.has_older,
    )
