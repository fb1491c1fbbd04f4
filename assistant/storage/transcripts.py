"""Transcripts in rows: as columns and back, and the one write that fills an answer."""

from typing import Any

from sqlalchemy import update

from assistant.domain.transcript import Part, Transcript
from assistant.storage.schema import messages
from assistant.storage.transaction import Transaction


def as_columns(transcript: Transcript) -> dict[str, Any]:
    """The `text` and `parts` columns of a transcript."""
    return {"text": transcript.text, "parts": [part.as_json() for part in transcript.parts]}


def from_columns(text: str, parts: list[dict[str, Any]]) -> Transcript:
    """The transcript of a `text` and a `parts` column."""
    return Transcript(text, as_parts(parts))


def as_parts(shapes: list[dict[str, Any]]) -> tuple[Part, ...]:
    """The parts of a `parts` column."""
    return tuple(Part.from_json(shape) for shape in shapes)


async def fill(within: Transaction, message_id: str, transcript: Transcript, version: int) -> None:
    """Store an answer's text and parts."""
    await within.changed(
        update(messages).where(messages.c.id == message_id).values(version=version, **as_columns(transcript))
    )
