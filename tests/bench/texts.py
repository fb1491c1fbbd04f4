"""Answers for the bench: texts with every kind of character, cut into chunks as a provider sends them."""

import random

_WORDS = (
    "offset",
    "stream",
    "answer",
    "café",
    "naïve",
    "你好世界",
    "こんにちは",
    "👩‍👩‍👧",
    "🏳️‍🌈",
    "e\u0301tude",
    "**bold**",
    "`code`",
    "\r\n",
    "\n\n",
)


def mixed(length: int, seed: int = 1) -> str:
    """A text of exactly `length` code points with emoji, joiners, combining marks, CJK and line ends."""
    dice = random.Random(seed)
    words: list[str] = []
    size = 0
    while size < length:
        words.append(dice.choice(_WORDS) + " ")
        size += len(words[-1])
    return "".join(words)[:length]


def chunks(text: str, size: int) -> list[str]:
    """`text` in pieces of `size` code points."""
    return [text[begin : begin + size] for begin in range(0, len(text), size)]
