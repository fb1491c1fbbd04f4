"""How an entry stands in a Redis stream: its id, and the fields `offset, text, op, kind` (DESIGN 6)."""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from assistant.domain.log import Entry, Op, Position
from assistant.domain.transcript import Part, PartKind

_log = logging.getLogger(__name__)

LAST_SEQ = 2**64 - 1
"""The highest number that the second half of a stream id can hold."""


def entry_id(position: Position) -> str:
    """`<attempt>-<seq>`."""
    return f"{position.attempt}-{position.seq}"


def position_of(raw: bytes) -> Position:
    """The position of an id as the server spells it."""
    attempt, _, seq = raw.decode().partition("-")
    return Position(int(attempt), int(seq))


def as_fields(entry: Entry) -> dict[str, str]:
    """The fields of one XADD; `parts` only where the entry carries them."""
    fields: dict[str, str] = {
        "offset": str(entry.offset),
        "text": entry.text,
        "op": entry.op.value,
        "kind": entry.kind.value,
    }
    if entry.op is Op.REPLACE:
        fields["parts"] = json.dumps([part.as_json() for part in entry.parts])
    return fields


def entries_of(raw: Iterable[tuple[bytes, Mapping[bytes, bytes]]]) -> list[Entry]:
    """The entries among raw ones; what somebody else put into a log is passed over."""
    entries = []
    for raw_id, fields in raw:
        try:
            entries.append(from_fields(raw_id, fields))
        except (KeyError, ValueError, TypeError, AttributeError):
            _log.warning("not an entry of ours: %r", raw_id)
    return entries


def from_fields(raw_id: bytes, fields: Mapping[bytes, bytes]) -> Entry:
    """The entry that `as_fields` made. Raises what a stranger's fields make it raise."""
    parts: list[dict[str, Any]] = json.loads(fields.get(b"parts", b"[]"))
    return Entry(
        position_of(raw_id),
        Op(fields[b"op"].decode()),
        int(fields[b"offset"]),
        fields[b"text"].decode(),
        PartKind(fields[b"kind"].decode()),
        tuple(Part.from_json(part) for part in parts),
    )
