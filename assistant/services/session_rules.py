"""What a session file must say beyond its shape: numbers that count, pointers that point, texts that fit."""

from collections.abc import Iterator

from assistant.domain.errors import InvalidInput
from assistant.domain.task import REASONS, TaskReason, TaskState
from assistant.domain.tool_call import ToolCallState
from assistant.services.session_file import Answer, FileCall, Question, SessionFile

MOST_ERRORS = 20

Broken = tuple[str, str]
"""The place and the rule."""


def check(file: SessionFile) -> None:
    """Raise InvalidInput with the first places at which the file breaks a rule."""
    errors: list[dict[str, str]] = []
    for field, message in _broken(file):
        errors.append({"field": field, "message": message})
        if len(errors) == MOST_ERRORS:
            break
    if errors:
        raise InvalidInput("This is not a session as it is exported.", rule="no_session_file", errors=errors)


def _broken(file: SessionFile) -> Iterator[Broken]:
    leaf = file.session.leaf
    if leaf is not None and leaf > len(file.messages):
        yield "session.leaf", "There is no message with this number."
    if leaf is None and file.messages:
        yield "session.leaf", "A session with messages shows one of its branches."
    for at, message in enumerate(file.messages):
        place = f"messages.{at}"
        if message.number != at + 1:
            yield f"{place}.number", "Messages are numbered 1, 2, 3 ... in their order."
        parent = message.parent
        if parent is not None and parent >= at + 1:
            yield f"{place}.parent", "The parent stands before the message."
        elif isinstance(message, Answer) and not _is_question(file, message.parent):
            yield f"{place}.parent", "The parent of an answer is a question."
        if isinstance(message, Answer):
            yield from _broken_answer(place, message)


def _is_question(file: SessionFile, number: int) -> bool:
    return isinstance(file.messages[number - 1], Question)


def _broken_answer(place: str, answer: Answer) -> Iterator[Broken]:
    state, reason = TaskState(answer.task.state), answer.task.reason
    allowed = REASONS.get(state, frozenset())
    if (TaskReason(reason) not in allowed) if reason else bool(allowed):
        yield f"{place}.task.reason", "The state cannot carry this reason."
    steps = [call.step for call in answer.tool_calls]
    if steps != sorted(steps):
        yield f"{place}.tool_calls", "Calls stand in the order of their steps."
    for at, call in enumerate(answer.tool_calls):
        yield from _broken_call(f"{place}.tool_calls.{at}", at + 1, call, len(answer.text))
    yield from _broken_parts(place, answer)


def _broken_call(place: str, number: int, call: FileCall, length: int) -> Iterator[Broken]:
    if call.number != number:
        yield f"{place}.number", "Calls are numbered 1, 2, 3 ... in their order."
    if call.retry_of is not None and call.retry_of >= number:
        yield f"{place}.retry_of", "It was made in place of a call that stands before it."
    if call.offset > length:
        yield f"{place}.offset", "It stands beyond the end of the text."
    if (call.state == ToolCallState.FAILED) != (call.reason is not None):
        yield f"{place}.reason", "A call that failed has a reason, and no other has one."


def _broken_parts(place: str, answer: Answer) -> Iterator[Broken]:
    end, told = 0, set[int]()
    for at, part in enumerate(answer.parts):
        here = f"{place}.parts.{at}"
        if part.start != end or part.end < part.start:
            yield f"{here}.start", "Parts cover the text without gap or overlap."
            return
        end = part.end
        if (part.kind == "tool_call") != (part.call is not None):
            yield f"{here}.call", "The part of a call names it, and no other part does."
        elif part.call is not None:
            if part.call > len(answer.tool_calls) or part.call in told:
                yield f"{here}.call", "There is no such call, or it stands elsewhere already."
            if part.start != part.end:
                yield f"{here}.end", "The part of a call has length zero."
            told.add(part.call)
    if end != len(answer.text):
        yield f"{place}.parts", "Parts cover the text without gap or overlap."
