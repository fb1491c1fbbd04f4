"""What a model is asked: the branch up to the question, the steps of this answer, and its text so far.

    summary, if there is one  ->  what was said before the first message that is told
    transcript + calls  ->  (text, calls with their results) a step,  then the text after the last call

The model is told texts and results, never reasoning; of a call it is told what became of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from assistant.domain.message import Message, Role
from assistant.domain.models import CallTurn, ModelRequest, Step, Turn
from assistant.domain.session import Session
from assistant.domain.store_ports import Unit
from assistant.domain.summary import Summary
from assistant.domain.task import Task
from assistant.domain.tool_call import ToolCall, told
from assistant.domain.tools import ToolSpec
from assistant.domain.transcript import PartKind, Transcript

CONTEXT_MESSAGES = 1_000
"""How far back a branch is read. What stands before it when the first summary is made is not told."""

FEW_MESSAGES = 100


@dataclass(frozen=True, slots=True)
class Told:
    """A message as the model is told it, and the message before it: where a summary may end."""

    turn: Turn
    before_id: str | None


@dataclass(frozen=True, slots=True)
class Context:
    """What the model is told of a branch: the summary, and all messages after it up to the question."""

    told: tuple[Told, ...]
    summary: Summary | None = None


async def read_context(unit: Unit, task: Task) -> Context:
    """The context of a task's question as it is stored now.

    An answer without text and calls is left out: nothing was said.
    """
    summary = await unit.summaries.of_branch(task.session_id, task.question_id)
    # After a summary there are few: the rest need not be read.
    for limit in (FEW_MESSAGES, CONTEXT_MESSAGES) if summary else (CONTEXT_MESSAGES,):
        branch, _ = await unit.messages.branch(task.session_id, task.question_id, limit=limit)
        ends = [at for at, message in enumerate(branch) if summary and message.id == summary.through_id]
        if ends:
            branch = branch[ends[0] + 1 :]
            break
    else:
        summary = None
    answers = [message.id for message in branch if message.role is Role.ASSISTANT]
    tasks = {each.answer_id: each for each in await unit.tasks.of_answers(task.owner_id, answers)}
    return Context(_messages(branch, tasks), summary)


def request_of(
    session: Session,
    context: Context,
    so_far: Transcript,
    calls: Sequence[ToolCall],
    tools: tuple[ToolSpec, ...],
) -> ModelRequest:
    """The next model step of an answer; all its calls are settled."""
    steps, begins = _steps(so_far, calls)
    return ModelRequest(
        turns=tuple(told.turn for told in context.told),
        summary=context.summary.text if context.summary else "",
        kept=_of_kind(so_far, PartKind.TEXT, begins),
        kept_reasoning=_of_kind(so_far, PartKind.REASONING, begins),
        model=session.model,
        parameters=session.parameters,
        steps=steps,
        tools=tools,
    )


def allowed(session: Session, offered: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
    """The tools that the model may ask for in this session: all that are offered, or those its user chose."""
    chosen = session.parameters.get("tools")
    return offered if chosen is None else tuple(spec for spec in offered if spec.name in chosen)


def _messages(branch: Sequence[Message], tasks: Mapping[str, Task]) -> tuple[Told, ...]:
    told = (Told(_turn(message, tasks.get(message.id)), message.parent_id) for message in branch)
    return tuple(each for each in told if each.turn.text or each.turn.steps or each.turn.role is Role.USER)


def _turn(message: Message, task: Task | None) -> Turn:
    if message.role is Role.USER:
        return Turn(message.role, message.text)
    transcript = Transcript(message.text, message.parts)
    steps, begins = _steps(transcript, task.tool_calls if task else ())
    return Turn(message.role, _of_kind(transcript, PartKind.TEXT, begins), steps)


def _steps(transcript: Transcript, calls: Sequence[ToolCall]) -> tuple[tuple[Step, ...], int]:
    """The steps that ended with calls, and the offset at which the text after them begins."""
    steps: list[Step] = []
    begins = 0
    repeated = {call.retry_of for call in calls}
    told_of = [call for call in calls if call.id not in repeated]
    for _, asked in groupby(told_of, key=lambda call: call.step):
        together = tuple(asked)
        ends = together[0].offset
        said = _of_kind(transcript.cut(ends), PartKind.TEXT, begins)
        steps.append(Step(said, tuple(_told(call) for call in together)))
        begins = ends
    return tuple(steps), begins


def _told(call: ToolCall) -> CallTurn:
    return CallTurn(call.id, call.name, call.arguments, told(call))


def _of_kind(transcript: Transcript, kind: PartKind, begins: int) -> str:
    return "".join(text for found, _, text in transcript.since(begins) if found is kind)
