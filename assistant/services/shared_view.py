"""What readers of a share see of messages and tasks: the one place that takes out what is private.

Of a call they see name, state and place; what it was given, what came of it, and why, only where the owner
allows it. Of a failure they see that it happened. Nothing here names an owner, a worker or a key.
"""

from dataclasses import dataclass, replace

from assistant.domain.log import Folded
from assistant.domain.message import Message
from assistant.domain.session import Session
from assistant.domain.share import Share
from assistant.domain.task import Task
from assistant.domain.tool_call import ToolCall


@dataclass(frozen=True, slots=True)
class SharedSnapshot:
    """A page of the chosen branch as readers see it, oldest first, with the tasks of its answers.

    An unfinished answer's text is the text so far; `folds` says, by the id of an unfinished task, how far it
    goes. `version` and `leaf_id` are the session's, for the watch that begins here.
    """

    share: Share
    title: str
    version: int
    leaf_id: str | None
    messages: tuple[Message, ...]
    tasks: tuple[Task, ...]
    folds: dict[str, Folded]
    has_older: bool


def session_as_shared(session: Session) -> Session:
    """The session's title and chosen branch; neither its owner nor what its model is told."""
    return replace(session, id="", owner_id="", model=None, parameters={})


def message_as_shared(message: Message) -> Message:
    """The message without its session, its key, and its other versions."""
    return replace(message, session_id="", client_id=None, siblings=(), attachments=())


def task_as_shared(task: Task, *, with_arguments: bool) -> Task:
    """The task without its owner, its worker, its cost, and the provider's own words about a failure."""
    return replace(
        task,
        session_id="",
        owner_id="",
        worker=None,
        error=None,
        usage=None,
        tool_calls=tuple(_call_as_shared(call, with_arguments) for call in task.tool_calls),
    )


def _call_as_shared(call: ToolCall, with_arguments: bool) -> ToolCall:
    if with_arguments:
        # Without the hash nobody can word a decision; who decided, and where, is nobody else's business.
        return replace(call, arguments_hash="", decided_by=None, decided_on=None)
    return ToolCall(
        id=call.id,
        task_id=call.task_id,
        step=call.step,
        name=call.name,
        arguments="",
        arguments_hash="",
        offset=call.offset,
        state=call.state,
        version=call.version,
        retry_of=call.retry_of,
    )
