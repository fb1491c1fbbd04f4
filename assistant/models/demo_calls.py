"""Which tools the demo asks for, and what it says about their results.

    question ──its words──▶ step 0: a sentence, then calls ──results──▶ step 1: what became of each

Only the user's question chooses. A result is quoted and never read for wishes: all that is looked at is
how it begins, which tells whether the tool did its work.
"""

import json
import re
from collections.abc import Iterator, Sequence

from assistant.domain.models import CallAsked, CallTurn, Step
from assistant.domain.tool_call import DENIED, NOT_BEGUN, NOT_DECIDED
from assistant.domain.tools import ToolSpec
from assistant.models import demo_texts

LONGEST_COUNT = 120
QUOTED_CHARACTERS = 1000

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*", re.ASCII)
_SAYS = re.compile(r"\b(?:that says|saying):?\s+(.+)", re.DOTALL)
_EXPRESSION = re.compile(r"[\d(][\d\s.+*/()%-]*")
_DIVIDED = re.compile(r"\bdivide (-?\d+(?:\.\d+)?) by (-?\d+(?:\.\d+)?)", re.IGNORECASE)
_ZONE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+\b")
_ZONES = {
    "berlin": "Europe/Berlin",
    "lagos": "Africa/Lagos",
    "london": "Europe/London",
    "mumbai": "Asia/Kolkata",
    "paris": "Europe/Paris",
    "rome": "Europe/Rome",
    "sydney": "Australia/Sydney",
    "tokyo": "Asia/Tokyo",
}

_UNKNOWN = "Error: It is not known"
_NOT_DONE = ("Error: ", NOT_DECIDED, NOT_BEGUN)
"""How `tool_call.told` begins for a call whose outcome nobody knows, and for one that had no effect."""


def demo_step(
    question: str, steps: Sequence[Step], tools: Sequence[ToolSpec]
) -> tuple[str, tuple[CallAsked, ...]] | None:
    """What this step says and which calls it asks for; None for a question that needs no tool."""
    calls = tuple(_calls(question))
    if not calls:
        return None
    if steps:
        return _told(steps[-1].calls), ()
    offered = {spec.name for spec in tools}
    if missing := [call.name for call in calls if call.name not in offered]:
        return demo_texts.NOT_OFFERED.format(", ".join(f"`{name}`" for name in missing)), ()
    name = "several" if len(calls) > 1 else calls[0].name
    return demo_texts.BEFORE_CALLS[name], calls


def _calls(question: str) -> Iterator[CallAsked]:
    # What a mail is to say is the mail's, and asks for nothing itself.
    says = _SAYS.search(question)
    asked = question[: says.start()] if says else question
    words = set(re.findall(r"\w+", asked.lower()))
    address = _ADDRESS.search(asked)
    if "time" in words and words & {"what", "now", "tell"}:
        yield _call("current_time", **_time_zone(asked, words))
    if words & {"mail", "email"} and (address or words & {"send", "write"}):
        yield _call(
            "send_mail",
            to=address[0] if address else "ada@example.org",
            subject="A note from the demo",
            text=says[1] if says else "Hello! This mail was sent by the demo, once, after you approved it.",
        )
    if {"count", "slowly"} <= words:
        number = re.search(r"\d{1,9}", asked)
        yield _call("slow_count", seconds=min(max(int(number[0]), 1), LONGEST_COUNT) if number else 5)
    if words & {"calculate", "divide"}:
        yield _call("calculator", expression=_expression(asked))


def _time_zone(asked: str, words: set[str]) -> dict[str, str]:
    """The zone that is named, or that of a known city; the tool's own default without either."""
    named = _ZONE.search(asked)
    zone = named[0] if named else next((_ZONES[city] for city in _ZONES if city in words), None)
    return {"time_zone": zone} if zone else {}


def _expression(asked: str) -> str:
    if divided := _DIVIDED.search(asked):
        return f"{divided[1]} / {divided[2]}"
    expression = _EXPRESSION.search(asked)
    return expression[0].strip() if expression else "1 / 0"


def _call(name: str, **arguments: str | int) -> CallAsked:
    return CallAsked(name, json.dumps(arguments, ensure_ascii=False))


def _told(calls: Sequence[CallTurn]) -> str:
    said = [f"{_sentence(call)}\n\n{_quoted(call.result)}\n\n" for call in calls]
    return "".join([*said, demo_texts.CONNECT])


def _sentence(call: CallTurn) -> str:
    worked, failed = demo_texts.AFTER_CALLS.get(call.name, demo_texts.AFTER_ANY_CALL)
    if call.result.startswith(DENIED):
        return demo_texts.AFTER_DENIED.format(call.name)
    if call.result.startswith(_UNKNOWN):
        return demo_texts.AFTER_UNKNOWN.format(call.name)
    return failed if call.result.startswith(_NOT_DONE) else worked


def _quoted(result: str) -> str:
    cut = result[:QUOTED_CHARACTERS] + ("…" if len(result) > QUOTED_CHARACTERS else "")
    return "\n".join(f"> {line}" for line in cut.splitlines() or [""])
