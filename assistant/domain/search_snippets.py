"""The piece of a text around the first thing that was searched for, and where the hits stand in it.

Plain text and ranges, never markup: whoever shows it draws the marks.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.domain.search_tokens import Term, Token, fold, tokens_of

BEFORE_CHARACTERS = 60
AFTER_CHARACTERS = 140
EDGE_CHARACTERS = 20
"""How far a cut may move so that it falls between two words."""

_CHUNK_CHARACTERS = 1024
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text on one line; each range is `(start, end)` in code points of it, in order and without overlap."""

    text: str
    ranges: tuple[tuple[int, int], ...]


def snippet_of(text: str, terms: Sequence[Term]) -> Snippet:
    """The snippet of `text` around the first token that a term asks for; its beginning when none is there."""
    folded = fold(text)
    first = next((token.start for token in tokens_of(folded) if _term_of(token, terms)), 0)
    at = first if len(folded) == len(text) and text.isascii() else _origin(text, first)
    begin, end = _window(text, at)
    shown = " ".join(text[begin:end].split())
    shown = (_ELLIPSIS if begin else "") + shown + (_ELLIPSIS if end < len(text) else "")
    return Snippet(shown, _ranges(shown, terms))


def _term_of(token: Token, terms: Sequence[Term]) -> Term | None:
    return next((term for term in terms if term.fits(token.text)), None)


def _ranges(text: str, terms: Sequence[Term]) -> tuple[tuple[int, int], ...]:
    folded, origins = _mapped(text)
    found: list[tuple[int, int]] = []
    for token in tokens_of(folded):
        term = _term_of(token, terms)
        if term is None:
            continue
        end = token.start + len(term.text) if term.prefix else token.end
        start, end = origins[token.start][0], origins[end - 1][1]
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _mapped(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The folded text, and for each of its characters the range of `text` that it came from."""
    folded: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = fold(text[start:end])
        folded.append(piece)
        origins += [(start, end)] * len(piece)
    return "".join(folded), origins


def _origin(text: str, at: int) -> int:
    """The offset in `text` of the character from which the folded one at `at` came."""
    begin = 0
    while begin < len(text):
        end = _next_cluster(text, begin + _CHUNK_CHARACTERS)
        long = len(fold(text[begin:end]))
        if at < long:
            return begin + _mapped(text[begin:end])[1][at][0]
        at -= long
        begin = end
    return 0


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of characters with what belongs to them, which are folded one for itself."""
    start = 0
    while start < len(text):
        end = _next_cluster(text, start + 1)
        yield start, end
        start = end


def _next_cluster(text: str, at: int) -> int:
    at = min(at, len(text))
    while at < len(text) and _goes_on(text[at]):
        at += 1
    return at


def _goes_on(character: str) -> bool:
    """A mark, or a vowel or final consonant of Hangul, which is folded together with what stands before."""
    if character.isascii():
        return False
    return unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"


def _window(text: str, at: int) -> tuple[int, int]:
    begin, end = max(0, at - BEFORE_CHARACTERS), min(len(text), at + AFTER_CHARACTERS)
    if begin:
        space = next(
            (place for place in range(begin, min(begin + EDGE_CHARACTERS, at)) if text[place].isspace()), None
        )
        begin = _next_cluster(text, begin) if space is None else space
    if end < len(text):
        space = next(
            (place for place in range(end, max(end - EDGE_CHARACTERS, at), -1) if text[place].isspace()), None
        )
        end = _next_cluster(text, end) if space is None else space
    return min(begin, at), end
