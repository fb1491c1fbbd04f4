"""A transcript: the text of one answer as one string of code points, cut into parts by ranges.

Reasoning and text stand in the same string, in the order in which they came (Case B153), so one
number, the offset, says where a reader stands. Offsets count Unicode code points, as `len(str)`
does, and are minted only after `Sanitizer` has made the text well-formed.
"""

import zlib
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

REPLACEMENT = "\ufffd"


class PartKind(StrEnum):
    REASONING = "reasoning"
    """What the model thought aloud; folded on the page."""

    TEXT = "text"
    """The answer proper, as Markdown."""

    TOOL_CALL = "tool_call"
    """A tool call that stands at this offset; its range has length zero."""


@dataclass(frozen=True, slots=True)
class Part:
    """A range `[start, end)` of the transcript; `call_id` is set for a tool call only."""

    kind: PartKind
    start: int
    end: int
    call_id: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The wire and storage shape: `{kind, start, end}`, and `call_id` for a tool call."""
        shape: dict[str, Any] = {"kind": self.kind.value, "start": self.start, "end": self.end}
        if self.call_id is not None:
            shape["call_id"] = self.call_id
        return shape

    @classmethod
    def from_json(cls, shape: dict[str, Any]) -> "Part":
        """The part of a shape made by `as_json`."""
        return cls(PartKind(shape["kind"]), shape["start"], shape["end"], shape.get("call_id"))


@dataclass(frozen=True, slots=True)
class Transcript:
    """A text and its parts; the parts cover it from 0 to its end without gap or overlap."""

    text: str = ""
    parts: tuple[Part, ...] = ()

    def __len__(self) -> int:
        return len(self.text)

    def append(self, kind: PartKind, text: str) -> "Transcript":
        """The transcript with `text` at its end; grows the last part when the kind is the same."""
        if not text:
            return self
        start, end = len(self.text), len(self.text) + len(text)
        last = self.parts[-1] if self.parts else None
        if last is not None and last.kind == kind:
            parts = (*self.parts[:-1], replace(last, end=end))
        else:
            parts = (*self.parts, Part(kind, start, end))
        return Transcript(self.text + text, parts)

    def with_call(self, call_id: str) -> "Transcript":
        """The transcript with a tool call of length zero at its end; the part before it is closed."""
        here = len(self.text)
        return Transcript(self.text, (*self.parts, Part(PartKind.TOOL_CALL, here, here, call_id)))

    def cut(self, offset: int) -> "Transcript":
        """The first `offset` code points with the parts that begin before them or, as calls, at them."""
        kept = tuple(
            replace(part, end=min(part.end, offset))
            for part in self.parts
            if part.start < offset or (part.kind == PartKind.TOOL_CALL and part.start == offset)
        )
        return Transcript(self.text[:offset], kept)

    def since(self, offset: int) -> tuple[tuple[PartKind, int, str], ...]:
        """What stands from `offset` on, as (kind, offset, text) pieces of one kind each."""
        return tuple(
            (part.kind, max(part.start, offset), self.text[max(part.start, offset) : part.end])
            for part in self.parts
            if part.end > offset and part.end > part.start
        )


def checksum(text: str) -> int:
    """CRC-32 of the UTF-8 of `text`, unsigned: how a reader proves what it shows (DESIGN 6, Resume)."""
    return zlib.crc32(text.encode("utf-8"))


class Sanitizer:
    """Makes a provider's deltas well-formed before offsets are minted.

    Joins a surrogate pair that was split over two deltas of one stream; an unpaired surrogate and
    U+0000 become U+FFFD, since neither UTF-8 nor PostgreSQL can hold them.
    """

    def __init__(self) -> None:
        self._high = ""

    def feed(self, delta: str) -> str:
        """The text that is certain after `delta`; a high surrogate at its end waits for the next."""
        text = self._high + delta
        self._high = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._high = text[:-1], text[-1]
        return well_formed(text)

    def flush(self) -> str:
        """What was still waiting; call it at the end of a stream or when the kind changes."""
        text, self._high = self._high, ""
        return well_formed(text)


def well_formed(text: str) -> str:
    """`text` with surrogate pairs joined, and lone surrogates and U+0000 replaced by U+FFFD."""
    if text.isascii():
        return text.replace("\0", REPLACEMENT)
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", REPLACEMENT)
