"""Digests: a long old message travels as its beginning; the whole comes when asked for (decision 22)."""

import unicodedata
from collections.abc import Collection, Sequence

from assistant.domain.message import Message
from assistant.domain.transcript import Part, PartKind, Transcript

LONG_CHARACTERS = 4_000

DIGEST_CHARACTERS = 600

RECENT_MESSAGES = 6
"""So many of the newest messages are whole, however long."""

_LEAST_CHARACTERS = 300
_BORDERS = ("\n\n", "\n", " ")
_JOINERS = "\u200d\ufe0e\ufe0f"


def digest(message: Message) -> Transcript | None:
    """How a long message begins, cut at a paragraph where there is one, without its reasoning.

    None for a message that is not long, and for one with tool calls: they stand at their places in the whole.
    """
    if len(message.text) <= LONG_CHARACTERS or any(part.kind is PartKind.TOOL_CALL for part in message.parts):
        return None
    said = said_in(message)
    beginning = said[: _cut(said)]
    return Transcript(beginning, (Part(PartKind.TEXT, 0, len(beginning)),) if beginning else ())


def said_in(message: Message) -> str:
    """What a message says, without its reasoning."""
    return "".join(
        message.text[part.start : part.end] for part in message.parts if part.kind is PartKind.TEXT
    )


def old(messages: Sequence[Message], *, has_newer: bool) -> Collection[str]:
    """The ids of those of a stretch that are not among the newest of their branch."""
    return {message.id for message in (messages if has_newer else messages[:-RECENT_MESSAGES])}


def _cut(said: str) -> int:
    if len(said) <= DIGEST_CHARACTERS:
        return len(said)
    for border in _BORDERS:
        at = said.rfind(border, _LEAST_CHARACTERS, DIGEST_CHARACTERS)
        if at > 0:
            return at
    at = DIGEST_CHARACTERS
    while at > _LEAST_CHARACTERS and _is_joined(said, at):
        at -= 1
    return at


def _is_joined(said: str, at: int) -> bool:
    """Whether what stands before and after a place is drawn as one."""
    return said[at - 1] == _JOINERS[0] or said[at] in _JOINERS or bool(unicodedata.combining(said[at]))
