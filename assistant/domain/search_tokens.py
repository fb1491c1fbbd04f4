"""What is searched for: a text as folded tokens, the same for what is indexed and for what is asked.

    "Café Größe"  ->  cafe, grosse           case and accents are folded
    "页面刷新"     ->  页面, 面刷, 刷新          scripts without spaces: pairs
    "Redis 刷"    ->  ·r, ·re, ·red, ·刷      and how each begins, so that what is begun is found quickly
    query "re"    ->  ·re                    the last word may have been begun only
    query "redi"  ->  redi*                  when it is longer, by walking over what begins so

A database sees these tokens and no text, so that both of them find the same.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from assistant.domain.transcript import PartKind, Transcript

MAX_TOKEN_CHARACTERS = 64
"""A longer word is known by its beginning."""

BEGUN_CHARACTERS = 3
"""Beginnings up to this long are tokens: what begins with a letter or two or three is much of everything."""

MAX_TERMS = 32
"""So many different tokens of a query count, the first ones."""

_IGNORED = "\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
"""Accents, and the vowel signs of Hebrew and Arabic. A mark of kana or of an Indic script is a sound."""

_PAIRED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"
"""Letters with the marks that are a part of them, without the full stops."""

_DROPPED = re.compile(f"[{_IGNORED}{_MARKS}]")
_RUN = re.compile(f"(?P<paired>[{_PAIRED}]+)|(?:[{_INDIC}]|(?![{_PAIRED}])[^\\W_])+")
_WITHOUT_DECOMPOSITION = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)


_BEGUN = "\u00b7"
"""Stands before a beginning; no word has it."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a pair of characters, and where it stands in the folded text: `[start, end)`.

    The last character of a run without spaces stands for itself; it is a token only to know that it is there.
    """

    text: str
    start: int
    end: int
    paired: bool = False
    """It is of a script without spaces."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a text must hold: a token, or with `prefix` any that begins so."""

    text: str
    prefix: bool = False

    def fits(self, token: str) -> bool:
        """Whether a token is what this asks for."""
        return token.startswith(self.text) if self.prefix else token == self.text

    @property
    def indexed(self) -> tuple[str, bool]:
        """How the index is asked: for a token, or for all that begin with it."""
        short = self.prefix and len(self.text) <= BEGUN_CHARACTERS
        return (_BEGUN + self.text, False) if short else (self.text, self.prefix)


def fold(text: str) -> str:
    """`text` without what does not tell words apart: case, accents, width, ligatures, invisible signs."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _DROPPED.sub("", plain)).translate(_WITHOUT_DECOMPOSITION)


def tokens_of(folded: str) -> Iterator[Token]:
    """The tokens of a text that `fold` made, in order."""
    for run in _RUN.finditer(folded):
        if run["paired"] is None:
            yield Token(run[0][:MAX_TOKEN_CHARACTERS], run.start(), run.end())
        else:
            for at in range(run.start(), run.end()):
                end = min(at + 2, run.end())
                yield Token(folded[at:end], at, end, paired=True)


def index_tokens(text: str) -> list[str]:
    """All by which a text is found, each once."""
    found: dict[str, None] = {}
    for run in _RUN.finditer(fold(text)):
        whole = run[0][:MAX_TOKEN_CHARACTERS] if run["paired"] is None else run[0]
        if run["paired"] is None:
            found[whole] = None
            for end in range(1, min(len(whole), BEGUN_CHARACTERS) + 1):
                found[_BEGUN + whole[:end]] = None
        else:
            # As `tokens_of`, without an object a character.
            found.update(dict.fromkeys(map("".join, pairwise(whole))))
            found.update(dict.fromkeys(map(_BEGUN.__add__, whole)))
    return list(found)


def searchable(transcript: Transcript) -> str:
    """What of a message is searched in: what was said, not what was thought, a line between two parts."""
    if not transcript.parts:
        return transcript.text
    return "\n".join(text for kind, _, text in transcript.since(0) if kind is PartKind.TEXT)


def terms_of(query: str) -> tuple[Term, ...]:
    """What a query asks for, all of it; nothing when there is no letter and no digit in it.

    Any text is a query: no sign in it is an operator. The last word may have been begun only, and a single
    character of a script without spaces is found wherever it stands.
    """
    found: dict[Term, None] = {}
    tokens = list(tokens_of(fold(query)))
    for at, token in enumerate(tokens):
        if not token.paired:
            is_last = at == len(tokens) - 1 and len(token.text) < MAX_TOKEN_CHARACTERS
            found[Term(token.text, prefix=is_last)] = None
        elif len(token.text) == 2:
            found[Term(token.text)] = None
        elif at == 0 or tokens[at - 1].end != token.end:
            found[Term(token.text, prefix=True)] = None
    return tuple(found)[:MAX_TERMS]
