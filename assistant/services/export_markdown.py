"""A session as Markdown: who said what and when, with the calls quoted; every text as it was written.

A text that could swallow what comes after it, by a fence that is not closed or by raw HTML, is quoted:
nothing of a quotation reaches beyond its end.
"""

import json
import re
from datetime import UTC, datetime

from assistant.domain.message import Message, Role
from assistant.domain.session import Session
from assistant.domain.task import Task, TaskReason
from assistant.domain.tool_call import ToolCall, told
from assistant.domain.transcript import PartKind, Transcript

_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ANY_FENCE = re.compile(r"`{3,}|~{3,}")
_HTML = re.compile(r"<(?:!|\?|/?[a-zA-Z])")
_MARKUP = re.compile(r"([\\`*_\[\]<>#&|~])")

_SPEAKER = {Role.USER: "You", Role.ASSISTANT: "Assistant"}
_ENDED = {
    TaskReason.LENGTH: "Cut at the length limit.",
    TaskReason.STOPPED: "Stopped.",
    TaskReason.INTERRUPTED: "Interrupted.",
    TaskReason.TIMEOUT: "Timed out.",
    TaskReason.EXPIRED: "Not decided in time.",
    TaskReason.ERROR: "Failed.",
}


def heading(session: Session, left_out: int) -> str:
    """The title, when it was, and how much of the session is not in the file."""
    when = f"{_time(session.created_at)}, last active {_time(session.updated_at)}"
    told_of = f" Other branches are left out: {left_out} messages." if left_out else ""
    return f"# {_plain(session.title)}\n\n_{when}.{told_of}_\n"


def said(message: Message, transcript: Transcript, task: Task | None) -> str:
    """One message under a heading of its own."""
    blocks = [f"## {_SPEAKER[message.role]} · {_time(message.created_at)}"]
    if task is None:
        blocks.append(_kept(message.text))
    else:
        calls = {call.id: call for call in task.tool_calls}
        for part in transcript.parts:
            text = transcript.text[part.start : part.end]
            if part.kind is PartKind.TOOL_CALL:
                call = calls.get(part.call_id or "")
                blocks += [] if call is None else [_quoted(_called(call))]
            elif part.kind is PartKind.REASONING:
                blocks.append(_quoted(f"**Reasoning**\n\n{text}"))
            else:
                blocks.append(_kept(text))
        blocks += _how_it_ended(task)
    return "\n" + "\n\n".join(block for block in blocks if block) + "\n"


def _how_it_ended(task: Task) -> list[str]:
    if not task.closed:
        return ["_Not ended yet._"]
    words = [_ENDED.get(task.reason, "")] if task.reason else []
    if task.error is not None:
        words.append(_plain(" ".join(task.error.message.split())))
    return [f"_{' '.join(words)}_"] if any(words) else []


def _called(call: ToolCall) -> str:
    state = call.state.value if call.reason is None else f"{call.state.value} ({call.reason.value})"
    decided = f", {call.decision.value}" if call.decision else ""
    blocks = [
        f"**Tool call** {_code(call.name)}: {state}{decided}",
        _fenced(_readable(call.arguments), "json"),
    ]
    if call.settled:
        blocks += ["Result:", _fenced(told(call), "")]
    return "\n\n".join(blocks)


def _kept(text: str) -> str:
    """The text as it is, or quoted where it could reach beyond its end."""
    lines = _LINE_END.split(text)
    return text.strip("\r\n") if _ends_with_itself(lines) else _quoted(text)


def _ends_with_itself(lines: list[str]) -> bool:
    """Whether every fence is closed and plain to see, and no line begins with HTML: when in doubt, no."""
    opened = ""
    for line in lines:
        fence = _FENCE.match(line)
        if opened:
            closes = fence is not None and fence[1].startswith(opened) and not fence[2].strip()
            opened = "" if closes else opened
        elif fence is not None and not ("`" in fence[1] and "`" in fence[2]):
            opened = fence[1]
        elif _ANY_FENCE.search(line) or _HTML.search(line):
            return False
    return not opened


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip(" ") for line in _LINE_END.split(text.strip("\r\n")))


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _code(text: str) -> str:
    line = " ".join(text.split()) or " "
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    return f"{ticks} {line} {ticks}" if "`" in line else f"{ticks}{line}{ticks}"


def _readable(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments


def _plain(text: str) -> str:
    """The text without a meaning in Markdown."""
    return _MARKUP.sub(r"\\\1", text)


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
