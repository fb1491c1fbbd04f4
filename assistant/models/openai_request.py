"""A model request in the OpenAI chat shape: messages, parameters, and the kept text at their end."""

from typing import Any

from assistant.domain.message import Role
from assistant.domain.models import ModelRequest

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


def chat_body(
    request: ModelRequest, *, model: str, continues_prefix: bool, asks_usage: bool
) -> dict[str, Any]:
    """The JSON body of a streamed chat completion.

    Kept text stands last as an assistant message; without `continues_prefix` a user line follows it.
    """
    body: dict[str, Any] = {
        name: value
        for name, value in request.parameters.items()
        if name in PASSED_PARAMETERS and value is not None
    }
    if model:
        body["model"] = model
    body["messages"] = _messages(request, continues_prefix)
    body["stream"] = True
    if asks_usage:
        body["stream_options"] = {"include_usage": True}
    return body


def _messages(request: ModelRequest, continues_prefix: bool) -> list[dict[str, str]]:
    messages = []
    if system := request.parameters.get("system"):
        messages.append({"role": "system", "content": str(system)})
    for turn in request.turns:
        # Providers refuse an empty assistant message: an answer that failed before its first word.
        if turn.text or turn.role is Role.USER:
            messages.append({"role": turn.role.value, "content": turn.text})
    if request.kept:
        messages.append({"role": "assistant", "content": request.kept})
        if not continues_prefix:
            messages.append({"role": "user", "content": GO_ON})
    return messages
