"""Hard texts, received in any pieces: what is shown follows from what was received, and stands still.

No browser is needed: `tests/support/growing_text.js` draws every prefix of every text.
"""

import json
import shutil
import subprocess
import sys
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import support
from tests.support.markdown_texts import DIFFICULT, hard_text, pieces

SCRIPT = Path(support.__file__).with_name("growing_text.js")
ROWS_SCRIPT = SCRIPT.with_name("growing_rows.js")

DEFINED_LATER = "[two][2] and [^1]"
"""Of the paragraph whose words become links by definitions that come after it."""

SEEN_FOR_WHAT_THEY_ARE_LATER = (
    # A line below, which nobody can know of, makes a heading or a table of a paragraph.
    "Heading\n=======\n",
    "Other\n---\n",
    "a | b\n--|--\n",
    # An empty line within a list sets its items apart.
    "- next\n\n  1. o",
    "2. two\n\n   s",
    "$a_1*b_2*c$\n\n  $$",
    # Emphasis in emphasis, closed from the inside.
    "**a *b* c** `",
    # What began like a formula and was none.
    "$$ is the",
    "$\\frac{1}{2$ and \\(open\n\n",
    "$$\nopen\n\n",
)
"""Where an element of the last block gives way to another: once, and for good."""


@pytest.fixture(scope="module")
def watched(built: Path) -> dict[str, Any]:
    """What the script found wrong with the difficult texts and with random ones."""
    random = Random(7)
    texts = [*DIFFICULT, *(hard_text(random) for _ in range(60))]
    cuts = [[_ends(pieces(random, text, longest)) for longest in (5, 20)] for text in texts]
    found = _ran(built, SCRIPT, json.dumps({"texts": texts, "cuts": cuts}))
    assert found["prefixes"] > 5000
    return found


def test_what_is_shown_of_a_prefix_is_what_it_would_be_at_once(watched: dict[str, Any]) -> None:
    """Case B157: however it was received, at every moment, and so after a reload at that moment too."""
    assert watched["stale"] == []


def test_a_block_that_another_one_follows_stays_as_it_is(watched: dict[str, Any]) -> None:
    changed = [before for text, _, before, _ in watched["changed"] if text in DIFFICULT]
    assert [before for before in changed if DEFINED_LATER not in before] == []


def test_nothing_that_is_shown_of_the_last_block_gives_way_but_once(watched: dict[str, Any]) -> None:
    """No list for the first star of a bold word, no heading for a dash, no pipes before a table."""
    seen = [prefix for text, prefix, *_ in watched["vanished"] if text in DIFFICULT]
    unknown = [prefix for prefix in seen if not prefix.endswith(SEEN_FOR_WHAT_THEY_ARE_LATER)]
    assert unknown == []
    assert len(seen) == len(SEEN_FOR_WHAT_THEY_ARE_LATER)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"| {number} | a row |\n" for number in range(60)),
        "| a | b |\n|---|\n" + "".join(f"| {number} | too narrow |\n" for number in range(60)),
        "".join(f"> | {number} | quoted\n" for number in range(60)),
    ],
    ids=["no line below", "another number of columns", "in a quote"],
)
def test_rows_that_turn_out_to_be_no_table_are_shown_a_line_later(built: Path, text: str) -> None:
    """And each piece is parsed a few times, however many rows there are."""
    most = _ran(built, ROWS_SCRIPT, text)
    assert most["hidden"] <= 1
    assert most["parses"] <= 3


def _ran(built: Path, script: Path, given: str) -> dict[str, Any]:
    """What a script says of the bundled components."""
    shutil.copy(script, built.parent)
    ran = subprocess.run(
        [Path(sys.executable).with_name("bun"), script.name],
        cwd=built.parent,
        input=given,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def _ends(cut: list[str]) -> list[int]:
    """Where pieces end, as JavaScript counts."""
    return list(accumulate(len(piece.encode("utf-16-le")) // 2 for piece in cut))
