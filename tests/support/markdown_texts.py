"""Markdown that is hard to cut: lines whose meaning depends on what stands around them."""

from pathlib import Path
from random import Random

_LINES = (
    "",
    "",
    "",
    "",
    "plain words",
    "**strong** and `code`",
    "two  ",
    "soft\\",
    "# Heading",
    "## Other #",
    "#no heading",
    "===",
    "---",
    "-",
    "--",
    "***",
    "* * *",
    "- item",
    "-",
    "- [ ] open",
    "- [x] done",
    "  - nested",
    "   more of it",
    "    four spaces",
    "\tone tab",
    "1. one",
    "2) two",
    "7. seven",
    "   - deep",
    "+ plus",
    "* star",
    "> quote",
    "> - in it",
    ">",
    "lazy",
    "```",
    "```py",
    "~~~",
    "~~~~ text",
    "  ```",
    "x = 1",
    "    ```",
    "`````",
    "| a | b |",
    "|---|:-:|",
    "|-x",
    "| 1 | `2|3` |",
    "a | b",
    "--|--",
    "[one]: http://a.example/1",
    "[two]:",
    "http://a.example/2",
    '"its title"',
    "'title",
    "ends'",
    "[one]: http://a.example/late",
    "see [one] and [two][] and [text][one]",
    "[^1]: Word",
    "a note[^1]",
    "[task]: http://a.example/t",
    "- see [task]",
    "<div>",
    "</div>",
    "<script>alert(1)</script>",
    "<!-- note",
    "-->",
    "![picture](http://a.example/p.png)",
    "[mail](mailto:a@b.example) [bad](javascript:alert(1))",
    "http://a.example/x",
    "&amp; &lt; &copy; \\* \\[x]",
    "你好，**世界（甲）**之后",
    "👩‍👩‍👧 é e\u0301 🇨🇭",
    "*open emphasis",
    "`open code",
    "~~gone~~",
    "a $x_1$ and \\(y*z*\\) for $5 or $6",
    "$$",
    "$$ a",
    "= b $$",
    "\\[",
    "\\]",
    "x^2 $$ and",
    "$`$",
)

_FILE = Path(__file__).with_name("difficult_texts.txt")
_WRITTEN = tuple(_FILE.read_text(encoding="utf-8").split("%%\n"))

DIFFICULT = (*_WRITTEN, _WRITTEN[-2].replace("\n", "\r\n"))
"""Each about one thing that has gone wrong somewhere when a text came in pieces."""


def hard_text(random: Random) -> str:
    """Up to 30 such lines, and never nothing; some end in CR LF, and the last may be cut."""
    newline = random.choice(("\n", "\n", "\n", "\r\n"))
    text = newline.join(random.choice(_LINES) for _ in range(random.randint(1, 30)))
    if random.random() < 0.3:
        return text[: random.randint(1 + len(text) // 2, len(text) + 1)] or newline
    return text + newline


def pieces(random: Random, text: str, longest: int) -> list[str]:
    """The text in pieces of one to `longest` characters."""
    cut: list[str] = []
    while text:
        size = random.randint(1, longest)
        cut.append(text[:size])
        text = text[size:]
    return cut
