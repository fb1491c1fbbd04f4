"""A tool is its function: name, schema and words come from it, and one that says too little is refused."""

from collections.abc import Callable
from typing import Annotated, Literal

import pytest
from pydantic import Field

from assistant.domain.tools import ToolSpec
from assistant.tools.definitions import Call, tool


def test_a_spec_is_made_of_the_signature_and_the_docstring() -> None:
    @tool(idempotent=False, needs_decision=True, timeout_seconds=5)
    def title_it(
        call: Call, title: Annotated[str, Field(max_length=9)], kind: Literal["a", "b"] = "a"
    ) -> str:
        """Give a title.

        Several lines: of words.

        title: one line
            that goes on
        kind: which one
        """
        return ""

    assert title_it.spec == ToolSpec(
        name="title_it",
        description="Give a title.\n\nSeveral lines: of words.",
        schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "title": {"type": "string", "maxLength": 9, "description": "one line that goes on"},
                "kind": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "which one"},
            },
            "required": ["title"],
        },
        idempotent=False,
        needs_decision=True,
        timeout_seconds=5,
    )


def test_an_argument_without_words_is_refused() -> None:
    def wordless(thing: int) -> str:
        """Do it."""
        return ""

    _refused(wordless, "thing")


def test_an_argument_without_a_type_is_refused() -> None:
    def typeless(thing) -> str:
        """Do it.

        thing: what
        """
        return ""

    _refused(typeless, "thing")


def test_a_tool_without_a_description_is_refused() -> None:
    def silent() -> str:
        return ""

    _refused(silent, "docstring")


def test_arguments_that_have_no_name_are_refused() -> None:
    def many(*things: int) -> str:
        """Do it.

        things: what
        """
        return ""

    _refused(many, "by name")


def test_a_name_that_providers_do_not_take_is_refused() -> None:
    _refused(lambda: "", "name")


def _refused(function: Callable[..., str], word: str) -> None:
    with pytest.raises(TypeError, match=word):
        tool(idempotent=True)(function)
