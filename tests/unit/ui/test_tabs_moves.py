"""Which tab carries text: the page's table of moves is the drawing in docs/, and holds what is promised."""

import json
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from assistant.ui import tabs

ARCHITECTURE = Path(__file__).parents[3] / "docs" / "ARCHITECTURE.md"
DRAWING = re.compile(r"```mermaid\nstateDiagram-v2\n(.*?)```", re.DOTALL)
ARROW = re.compile(r"(\w+) --> (\w+): (\w+)")

STATES = ("away", "asking", "leading", "mirroring", "alone")
EVENTS = ("stood", "stood_alone", "granted", "heard", "robbed", "left")

Moves = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def moves() -> Moves:
    """The table, as the page reads it."""
    bun = Path(sys.executable).with_name("bun")
    module = Path(tabs.__file__).with_name("moves.js")
    script = f"import {{ MOVES }} from {json.dumps(str(module))}; console.log(JSON.stringify(MOVES));"
    return json.loads(subprocess.run([bun, "-e", script], capture_output=True, check=True).stdout)


def test_the_drawing_has_exactly_the_arrows_of_the_table(moves: Moves) -> None:
    drawings = DRAWING.findall(ARCHITECTURE.read_text(encoding="utf-8"))
    ours = next(drawing for drawing in drawings if "mirroring" in drawing)
    arrows = {(state, after, event) for state, row in moves.items() for event, after in row.items()}
    assert set(ARROW.findall(ours)) == arrows


def test_every_state_and_event_is_known(moves: Moves) -> None:
    assert tuple(moves) == STATES
    assert {event for row in moves.values() for event in row} == set(EVENTS)
    assert {after for row in moves.values() for after in row.values()} == set(STATES)


@pytest.mark.parametrize(("state", "event"), list(product(STATES, EVENTS)))
def test_only_the_lock_makes_a_leader_and_only_a_word_of_another_a_mirror(
    moves: Moves, state: str, event: str
) -> None:
    """In all other states a tab takes text from the server: silence is never by mistake."""
    after = moves[state].get(event)
    assert (after == "leading") <= (event == "granted")
    assert (after == "mirroring") <= (event == "heard")
    assert (after == "alone") <= (event == "stood_alone")
    assert (after == "away") == (event == "left" and state != "away")
