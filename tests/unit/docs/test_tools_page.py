"""The example of docs/TOOLS.md is a tool that works."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from assistant.domain.tools import BadCall, ToolOutcome
from assistant.tools.definitions import Tool
from assistant.tools.registry import MOST_RESULT_CHARACTERS, ToolRegistry

PAGE = (Path(__file__).parents[3] / "docs" / "TOOLS.md").read_text(encoding="utf-8")


@pytest.fixture
def example() -> Tool:
    source = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert source
    module = ModuleType("example")
    exec(source.group(1), module.__dict__)
    return module.__dict__["throw_dice"]


async def test_the_example_is_a_tool_that_runs(example: Tool) -> None:
    registry = ToolRegistry([example])
    arguments = registry.check("throw_dice", '{"count": 3}')
    assert arguments == {"count": 3, "sides": 6}
    result = await registry.run("throw_dice", arguments, call_id="call-1", owner_id="owner-1")
    assert re.fullmatch(r"[1-6] [1-6] [1-6]", result.text)


async def test_the_example_refuses_in_words(example: Tool) -> None:
    registry = ToolRegistry([example])
    assert isinstance(registry.check("throw_dice", '{"count": 11}'), BadCall)
    result = await registry.run("throw_dice", {"count": 1, "sides": 1}, call_id="c", owner_id="o")
    assert (result.outcome, result.text) == (ToolOutcome.FAILED, "Dice have 2 to 100 sides.")


def test_the_page_says_the_bound_of_a_result() -> None:
    assert f"cut at {MOST_RESULT_CHARACTERS:,} characters" in PAGE
