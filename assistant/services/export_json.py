"""A session and its messages as the pieces of a session file (see `session_file`)."""

from typing import Any

from assistant.domain.message import Message
from assistant.domain.session import Session
from assistant.domain.task import Task
from assistant.domain.tool_call import ToolCall
from assistant.domain.transcript import Part, Transcript
from assistant.services.session_file import About, FileCall, iso

_ABOUT_CALL = set(FileCall.model_fields) - {"number", "retry_of"}
_TIMES = ("decided_at", "started_at", "finished_at")


def about(session: Session, leaf: int | None) -> dict[str, Any]:
    """The session's own piece."""
    shape = {name: getattr(session, name) for name in set(About.model_fields) - {"leaf"}}
    times = {name: iso(shape[name]) for name in ("created_at", "updated_at")}
    parameters = {name: value for name, value in session.parameters.items() if value is not None}
    return _ordered(About, {**shape, **times, "leaf": leaf, "parameters": parameters})


def question_of(number: int, parent: int | None, message: Message) -> dict[str, Any]:
    """The piece of a user message."""
    return {
        "number": number,
        "parent": parent,
        "role": message.role.value,
        "text": message.text,
        "created_at": iso(message.created_at),
    }


def answer_of(
    number: int, parent: int | None, message: Message, transcript: Transcript, task: Task
) -> dict[str, Any]:
    """The piece of an answer, with its task and calls."""
    calls = {call.id: at for at, call in enumerate(task.tool_calls, 1)}
    return {
        "number": number,
        "parent": parent,
        "role": message.role.value,
        "text": transcript.text,
        "created_at": iso(message.created_at),
        "parts": [_part(part, calls) for part in transcript.parts if _is_told(part, calls)],
        "task": _task(task),
        "tool_calls": [_call(call, calls) for call in task.tool_calls],
    }


def _is_told(part: Part, calls: dict[str, int]) -> bool:
    """Every part, but for the place of a call of which nothing is known."""
    return part.call_id is None or part.call_id in calls


def _part(part: Part, calls: dict[str, int]) -> dict[str, Any]:
    call = {} if part.call_id is None else {"call": calls[part.call_id]}
    return {"kind": part.kind.value, "start": part.start, "end": part.end, **call}


def _task(task: Task) -> dict[str, Any]:
    error = task.error
    return {
        "state": task.state.value,
        "reason": task.reason and task.reason.value,
        "error": error and {"code": error.code, "message": error.message},
        "created_at": iso(task.created_at),
        "finished_at": task.finished_at and iso(task.finished_at),
    }


def _call(call: ToolCall, calls: dict[str, int]) -> dict[str, Any]:
    shape = {name: getattr(call, name) for name in _ABOUT_CALL}
    times = {name: shape[name] and iso(shape[name]) for name in _TIMES}
    own = {"number": calls[call.id], "retry_of": calls.get(call.retry_of or "")}
    return _ordered(FileCall, {**shape, **times, **own})


def _ordered(piece: type[About] | type[FileCall], shape: dict[str, Any]) -> dict[str, Any]:
    return {name: shape[name] for name in piece.model_fields}
