"""Transcripts in rows: as columns and back, and the one write that fills an answer."""

from typing import Any

from sqlalchemy import update

from assistant.domain.transcript import Part, PartKind, Transcript
from assistant.storage.schema import messages
from assistant.storage.transaction import Transaction


def as_columns(transcript: Transcript) -> dict[str, Any]:
    """The `text` and `parts` columns of a transcript."""
    return {"text": transcript.text, "parts": [part.as_json() for part in transcript.parts]}


def from_columns(text: str | None, parts: Any) -> Transcript:
    """The transcript of a `text` and a `parts` column."""
    return Transcript(text or "", as_parts(text or "", parts))


def as_parts(text: str, shapes: Any) -> tuple[Part, ...]:
    """The parts of a `parts` column: together they cover the text, whoever wrote the row.

    A row of an earlier form is read all the same (Case B155): what its parts do not say is text, and what
    cannot be a part of this text counts as not said.
    """
    parts: list[Part] = []
    here = 0
    for part in filter(None, map(_part, shapes if isinstance(shapes, list) else ())):
        if not here <= part.start <= part.end <= len(text):
            continue
        if here < part.start:
            parts.append(Part(PartKind.TEXT, here, part.start))
        parts.append(part)
        here = part.end
    if here < len(text):
        parts.append(Part(PartKind.TEXT, here, len(text)))
    return tuple(parts)


def _part(shape: Any) -> Part | None:
    try:
        part = Part.from_json(shape)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    if not (type(part.start) is int and type(part.end) is int):
        return None
    is_call = isinstance(part.call_id, str) and part.start == part.end
    return part if (is_call if part.kind is PartKind.TOOL_CALL else part.call_id is None) else None


async def fill(within: Transaction, message_id: str, transcript: Transcript, version: int) -> None:
    """Store an answer's text and parts."""
    await within.changed(
        update(messages).where(messages.c.id == message_id).values(version=version, **as_columns(transcript))
    )
