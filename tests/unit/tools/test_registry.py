"""What a model writes is checked, what a tool does becomes a result, and nothing of it raises."""

import asyncio
import json
import logging
import threading
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from assistant.domain.tools import BadCall, ToolOutcome, ToolResult, arguments_hash, canonical_json
from assistant.tools.definitions import Call, ToolFailed, tool
from assistant.tools.registry import MOST_ARGUMENT_CHARACTERS, MOST_RESULT_CHARACTERS, ToolRegistry
from tests.unit.tools.running import run

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@tool(idempotent=True)
def sample(count: Annotated[int, Field(ge=1)], word: str = "x", parts: dict[str, Any] | None = None) -> str:
    """Repeat a word.

    count: how often
    word: what to repeat
    parts: anything
    """
    return word * count


REGISTRY = ToolRegistry([sample])


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "1", "null", '"x"', "{", "{'count': 1}", "nonsense", '{"count": 1} {}'),
        *("{}", '{"count": "1"}', '{"count": 1.5}', '{"count": true}', '{"count": 0}', '{"count": null}'),
        *('{"count": 1, "more": 2}', '{"count": 1, "word": 5}', '{"count": 1, "count": 2}'),
        *('{"count": NaN}', '{"count": 1, "parts": {"a": Infinity}}', '{"count": 1, "parts": {"a": 1e999}}'),
        *(
            '{"count": 1, "word": "\\ud800"}',
            '{"count": 1, "word": "\\u0000"}',
            '{"count": 1' + "0" * 5000 + "}",
        ),
        *('{"parts": ' + "[" * 60_000, "x" * (MOST_ARGUMENT_CHARACTERS + 1), ""),
        '{"count": 1, "parts": {"a": {"b": 1, "b": 2}}}',
    ],
)
def test_arguments_that_cannot_be_used_are_told_in_words(text: str) -> None:
    checked = REGISTRY.check("sample", text)
    assert isinstance(checked, BadCall)
    assert checked.text.startswith("The arguments of sample cannot be used: ")
    assert len(checked.text) < 1000


def test_what_is_wrong_is_named() -> None:
    assert REGISTRY.check("sample", '{"count": 0, "more": 1}') == BadCall(
        "The arguments of sample cannot be used: count: Input should be greater than or equal to 1;"
        " more: Extra inputs are not permitted"
    )


def test_an_unknown_tool_is_told_with_those_that_there_are() -> None:
    assert REGISTRY.check("samplee", "{}") == BadCall(
        "There is no tool called 'samplee'. The tools are: sample."
    )
    assert run(REGISTRY, "samplee").outcome is ToolOutcome.FAILED


def test_defaults_are_filled_in_so_that_a_person_decides_about_all_of_it() -> None:
    assert REGISTRY.check("sample", '{"count": 2}') == {"count": 2, "word": "x", "parts": None}


def test_blank_text_counts_as_no_arguments() -> None:
    @tool(idempotent=True)
    def plain() -> str:
        """Do nothing."""
        return ""

    assert ToolRegistry([plain]).check("plain", " ") == {}


@settings(deadline=None)
@given(st.integers(1), TEXT, st.none() | st.dictionaries(TEXT, VALUES, max_size=3))
def test_checked_arguments_pass_the_check_again_and_stay_as_they_are(
    count: int, word: str, parts: dict[str, Any] | None
) -> None:
    written = {"count": count, "word": word, "parts": parts}
    checked = REGISTRY.check("sample", json.dumps(written))
    assert isinstance(checked, dict)
    assert arguments_hash(checked) == arguments_hash(written)
    assert REGISTRY.check("sample", canonical_json(checked)) == checked


@settings(deadline=None)
@given(st.text() | VALUES.map(json.dumps))
def test_no_text_of_a_model_breaks_the_check(text: str) -> None:
    assert isinstance(REGISTRY.check("sample", text), BadCall | dict)


async def test_arguments_that_no_longer_fit_are_not_run() -> None:
    """The tool changed between the decision and the run."""
    result = await REGISTRY.run("sample", {"count": 0}, call_id="c", owner_id="o")
    assert result == ToolResult.failed("count: Input should be greater than or equal to 1")


async def test_a_plain_tool_runs_in_a_thread_and_an_async_one_in_the_loop() -> None:
    seen: list[int] = []

    @tool(idempotent=True)
    def plain() -> str:
        """Look where it runs."""
        seen.append(threading.get_ident())
        return "plain"

    @tool(idempotent=True)
    async def awaited(call: Call) -> ToolResult:
        """Look where it runs, and for whom."""
        seen.append(threading.get_ident())
        return ToolResult(f"{call.call_id} of {call.owner_id}")

    registry = ToolRegistry([plain, awaited])
    results = [
        await registry.run(name, {}, call_id="call-1", owner_id="owner-1") for name in ("plain", "awaited")
    ]

    assert [result.text for result in results] == ["plain", "call-1 of owner-1"]
    assert seen[0] != threading.get_ident() == seen[1]


@pytest.mark.parametrize(
    ("idempotent", "outcome"), [(True, ToolOutcome.FAILED), (False, ToolOutcome.UNKNOWN)]
)
@pytest.mark.parametrize("raised", [ValueError, StopIteration, SystemExit])
def test_an_exception_is_logged_with_the_ids_and_told_without_its_words(
    idempotent: bool, outcome: ToolOutcome, raised: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    @tool(idempotent=idempotent)
    def broken() -> str:
        """Break."""
        raise raised("password in /etc/secret")

    with caplog.at_level(logging.ERROR):
        result = run(ToolRegistry([broken]), "broken")

    assert result.outcome is outcome
    assert "password" not in result.text
    assert "/etc" not in result.text
    assert "the tool broken raised in call call-1 of owner owner-1" in caplog.text


def test_a_tool_that_says_that_it_failed_is_told_in_its_words() -> None:
    @tool(idempotent=False)
    def refusing() -> str:
        """Refuse."""
        raise ToolFailed("Not today.")

    assert run(ToolRegistry([refusing]), "refusing") == ToolResult.failed("Not today.")


async def test_cancelling_a_call_cancels_its_tool() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    @tool(idempotent=True)
    async def waiting() -> str:
        """Wait for ever."""
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    running = asyncio.create_task(ToolRegistry([waiting]).run("waiting", {}, call_id="c", owner_id="o"))
    await began.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended.is_set()


async def test_a_cancelled_call_does_not_wait_for_its_thread() -> None:
    began, gate = threading.Event(), threading.Event()

    @tool(idempotent=True)
    def stuck() -> str:
        """Hang."""
        began.set()
        gate.wait(60)
        return ""

    running = asyncio.create_task(ToolRegistry([stuck]).run("stuck", {}, call_id="c", owner_id="o"))
    await asyncio.to_thread(began.wait)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    gate.set()


def test_a_result_is_cut_with_a_word_and_can_be_stored() -> None:
    @tool(idempotent=True)
    def long() -> str:
        """Say much."""
        return "\0\ud800" + "x" * MOST_RESULT_CHARACTERS

    text = run(ToolRegistry([long]), "long").text
    assert text.startswith("\ufffd\ufffdx")
    assert text.endswith("[Cut here: the first 50,000 of 50,002 characters.]")


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="sample"):
        ToolRegistry([sample, sample])
