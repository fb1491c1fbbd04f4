"""A model request in the OpenAI chat shape: messages with their calls, parameters, tools, the kept text."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from assistant.domain.message import Role
from assistant.domain.models import CallTurn, ModelRequest, Step
from assistant.domain.tools import ToolSpec

PASSED_PARAMETERS = frozenset(
    {
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "seed",
        "presence_penalty",
        "frequency_penalty",
        "reasoning_effort",
        # vLLM needs these two to go on from an unfinished assistant message.
        "continue_final_message",
        "add_generation_prompt",
    }
)
"""Parameters of a session that reach the provider; `system` becomes the first message."""

GO_ON = (
    "Go on with your last message exactly where it ends. Begin with the very next character: repeat nothing, "
    "add no greeting and no comment."
)
"""Asks a provider that does not continue a prefix to continue; told to it, never stored (DESIGN 5)."""

SUMMARISED = "[Summary of the earlier messages of this conversation, made so that it fits:]"
SINCE_THEN = "[The conversation goes on with this message:]"

_NO_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


def chat_body(
    request: ModelRequest, *, model: str, continues_prefix: bool, asks_usage: bool
) -> dict[str, Any]:
    """The JSON body of a streamed chat completion.

    Kept text stands last as an assistant message; without `continues_prefix` a user line follows it.
    Without tools there is no word of them, for servers that know none.
    """
    body: dict[str, Any] = {
        name: value
        for name, value in request.parameters.items()
        if name in PASSED_PARAMETERS and value is not None
    }
    if model:
        body["model"] = model
    body["messages"] = list(_messages(request, continues_prefix))
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    body["stream"] = True
    if asks_usage:
        body["stream_options"] = {"include_usage": True}
    return body


def _messages(request: ModelRequest, continues_prefix: bool) -> Iterator[dict[str, Any]]:
    if system := request.parameters.get("system"):
        yield {"role": "system", "content": str(system)}
    for at, turn in enumerate(request.turns):
        yield from _steps(turn.steps)
        # Providers refuse an empty assistant message: an answer that failed before its first word.
        if turn.text or turn.role is Role.USER:
            said = _after_summary(request.summary, turn.text) if at == 0 and request.summary else turn.text
            yield {"role": turn.role.value, "content": said}
    yield from _steps(request.steps)
    if request.kept:
        yield {"role": "assistant", "content": request.kept}
        if not continues_prefix:
            yield {"role": "user", "content": GO_ON}


def _after_summary(summary: str, text: str) -> str:
    """The summary before the first message that is told whole: in it, since templates want roles that take
    turns, and not in the instructions, since what it tells was said by anybody."""
    return f"{SUMMARISED}\n\n{summary}\n\n{SINCE_THEN}\n\n{text}"


def _steps(steps: Iterable[Step]) -> Iterator[dict[str, Any]]:
    for step in steps:
        if step.calls:
            asked = [_call(call) for call in step.calls]
            yield {"role": "assistant", "content": step.text or None, "tool_calls": asked}
        elif step.text:
            yield {"role": "assistant", "content": step.text}
        for call in step.calls:
            yield {"role": "tool", "tool_call_id": call.id, "content": call.result}


def _call(call: CallTurn) -> dict[str, Any]:
    """A call as a server takes it: one that is told a bad name or bad JSON refuses all that follows."""
    name = _NO_NAME_CHARACTER.sub("_", call.name)[:_LONGEST_NAME] or "unnamed"
    function = {"name": name, "arguments": _object(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _object(arguments: str) -> str:
    """The text itself when it is a JSON object; else an object that quotes it, so the model sees its slip."""
    if not arguments.strip():
        return "{}"
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unreadable": arguments}, ensure_ascii=False)


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.schema}
    return {"type": "function", "function": function}
