"""Session files of every shape, for hypothesis: trees of questions and answers with calls."""

from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from assistant.domain.task import REASONS
from assistant.domain.transcript import well_formed

_texts = st.text(max_size=40).map(well_formed)
_names = st.text(min_size=1, max_size=20).map(well_formed)
_times = st.datetimes(datetime(2000, 1, 1), datetime(2099, 1, 1)).map(
    lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}.123Z"
)
_maybe_times = st.none() | _times
_ends = st.sampled_from([(state.value, reason.value) for state in REASONS for reason in REASONS[state]])
_call_ends = st.sampled_from(
    [
        ("completed", None),
        *(("failed", reason) for reason in ("error", "timeout", "lost", "denied", "expired", "stopped")),
    ]
)


@st.composite
def session_files(draw: st.DrawFn) -> dict[str, Any]:
    """The JSON of a session in which nothing runs."""
    messages: list[dict[str, Any]] = []
    for number in range(1, draw(st.integers(0, 8)) + 1):
        questions = [each["number"] for each in messages if each["role"] == "user"]
        if questions and draw(st.booleans()):
            messages.append(draw(_answers(number, questions)))
        else:
            parent = draw(st.sampled_from([None, *range(1, number)]))
            text, at = draw(_texts), draw(_times)
            messages.append(
                {"number": number, "parent": parent, "role": "user", "text": text, "created_at": at}
            )
    return {
        "format": "assistant-session",
        "version": 1,
        "session": {
            "title": " ".join(draw(_texts).split()),
            "model": draw(st.none() | st.just("scripted")),
            "parameters": draw(st.sampled_from([{}, {"temperature": 0.5, "system": "Be brief. 简"}])),
            "leaf": draw(st.integers(1, len(messages))) if messages else None,
            "created_at": draw(_times),
            "updated_at": draw(_times),
        },
        "messages": messages,
    }


@st.composite
def _answers(draw: st.DrawFn, number: int, questions: list[int]) -> dict[str, Any]:
    pieces = draw(
        st.lists(st.tuples(st.sampled_from(["text", "reasoning", "tool_call"]), _names), max_size=5)
    )
    text, parts, calls = "", list[dict[str, Any]](), list[dict[str, Any]]()
    for kind, piece in pieces:
        begin = len(text)
        if kind == "tool_call":
            calls.append(draw(_calls(len(calls) + 1, begin)))
            parts.append({"kind": kind, "start": begin, "end": begin, "call": len(calls)})
        else:
            text += piece
            parts.append({"kind": kind, "start": begin, "end": len(text)})
    state, reason = draw(_ends)
    return {
        "number": number,
        "parent": draw(st.sampled_from(questions)),
        "role": "assistant",
        "text": text,
        "created_at": draw(_times),
        "parts": parts,
        "task": {
            "state": state,
            "reason": reason,
            "error": draw(st.none() | st.fixed_dictionaries({"code": st.just("broken"), "message": _texts})),
            "created_at": draw(_times),
            "finished_at": draw(_maybe_times),
        },
        "tool_calls": calls,
    }


@st.composite
def _calls(draw: st.DrawFn, number: int, offset: int) -> dict[str, Any]:
    state, reason = draw(_call_ends)
    return {
        "number": number,
        "step": number,
        "name": draw(_names),
        "arguments": draw(st.sampled_from(['{"a":1}', "{}", "no json", "[1]"])),
        "offset": offset,
        "state": state,
        "reason": reason,
        "result": draw(st.none() | _texts),
        "needs_decision": draw(st.booleans()),
        "idempotent": draw(st.booleans()),
        "decision": draw(st.sampled_from([None, "approve", "deny"])),
        "decision_reason": draw(st.none() | _texts),
        "decided_at": draw(_maybe_times),
        "started_at": draw(_maybe_times),
        "finished_at": draw(_maybe_times),
        "retry_of": draw(st.sampled_from([None, *range(1, number)])),
    }
