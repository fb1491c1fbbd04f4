"""The drawings and words in docs/ are those of the tables and enums in the domain."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from assistant.domain import session, task, title, tool_call
from assistant.domain.machine import Machine
from assistant.domain.records import KeyState
from assistant.domain.session import SESSION, SessionState
from assistant.domain.task import TASK, TaskReason, TaskState
from assistant.domain.title import TITLE, TitleFrom
from assistant.domain.tool_call import TOOL_CALL, ToolCallReason, ToolCallState

DOCS = Path(__file__).parents[3] / "docs"
DRAWING = re.compile(r"```mermaid\nstateDiagram-v2\n(.*?)```", re.DOTALL)
ARROW = re.compile(r"(\w+) --> (\w+): (\w+)")


def _drawings() -> list[set[tuple[str, str, str]]]:
    text = (DOCS / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return [set(ARROW.findall(body)) for body in DRAWING.findall(text)]


def _arrows(machine: Machine) -> set[tuple[str, str, str]]:
    return {(state.value, after.value, event.value) for (state, event), after in machine.arrows.items()}


@pytest.mark.parametrize(
    ("place", "machine"),
    [(0, TASK), (1, TOOL_CALL), (2, SESSION), (3, TITLE)],
    ids=["task", "tool call", "session", "title"],
)
def test_a_drawing_has_exactly_the_arrows_of_its_table(place: int, machine: Machine) -> None:
    assert _drawings()[place] == _arrows(machine)


@pytest.mark.parametrize(
    ("noun", "states"),
    [
        ("task", TaskState),
        ("tool call", ToolCallState),
        ("session", SessionState),
        ("title", TitleFrom),
        ("key", KeyState),
    ],
)
def test_the_glossary_lists_exactly_the_states_of(noun: str, states: type[StrEnum]) -> None:
    text = (DOCS / "GLOSSARY.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith(f"**{noun}**:"))
    assert re.findall(r"`(\w+)`", line) == [state.value for state in states]


@pytest.mark.parametrize(("heading", "reasons"), [("task", TaskReason), ("tool call", ToolCallReason)])
def test_the_glossary_explains_exactly_the_reasons_of(heading: str, reasons: type[StrEnum]) -> None:
    text = (DOCS / "GLOSSARY.md").read_text(encoding="utf-8")
    table = text.split(f"| {heading} reason |", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == [reason.value for reason in reasons]


@pytest.mark.parametrize("module", [task, tool_call, session, title])
def test_every_member_of_a_machine_has_one_sentence(module: object) -> None:
    source = Path(str(getattr(module, "__file__", ""))).read_text(encoding="utf-8")
    members = re.findall(r'^    [A-Z_]+ = "\w+"\n(    """.+""")?', source, re.MULTILINE)
    assert members
    assert all(members)
