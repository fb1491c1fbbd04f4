"""All tools by name: checks what a model wrote, runs it, and turns whatever happens into a result.

text of the model ──one JSON object?──▶ ──the tool's schema?──▶ arguments
arguments ──the schema still?──▶ the tool ──▶ result | failed, in words | outcome unknown
"""

import json
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assistant.domain.tools import BadCall, ToolResult, ToolSpec
from assistant.domain.transcript import well_formed
from assistant.tools.definitions import LONGEST_SHOWN, BadArguments, Call, Tool, ToolFailed

MOST_ARGUMENT_CHARACTERS = 100_000
MOST_RESULT_CHARACTERS = 50_000

_log = logging.getLogger(__name__)


class ToolRegistry:
    """`domain.tools.Tools` over a few tools; ValueError when two have the same name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.spec.name in self._tools:
                raise ValueError(f"two tools are called {tool.spec.name}")
            self._tools[tool.spec.name] = tool

    def specs(self) -> Sequence[ToolSpec]:
        """Every tool, in the order in which they were given."""
        return tuple(tool.spec for tool in self._tools.values())

    def check(self, name: str, arguments_json: str) -> dict[str, Any] | BadCall:
        """The arguments with defaults filled in, or in words why they cannot be used."""
        tool = self._tools.get(name)
        if tool is None:
            return self._no_such(name)
        try:
            return tool.checked(_one_object(arguments_json))
        except BadArguments as refusal:
            return BadCall(f"The arguments of {name} cannot be used: {refusal}")

    async def run(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str, owner_id: str
    ) -> ToolResult:
        """Run checked arguments once; see `domain.tools.Tools.run`.

        An exception that is not ToolFailed says nothing about the effect. Only of a tool that may be run
        twice is it told as a failure; of another the outcome is unknown, lest the model does it again.
        """
        tool = self._tools.get(name)
        if tool is None:
            return ToolResult.failed(self._no_such(name).text)
        try:
            result = await tool.run(Call(call_id, owner_id), arguments)
        except (BadArguments, ToolFailed) as refusal:
            return _storable(ToolResult.failed(str(refusal)))
        except Exception:
            _log.exception("the tool %s raised in call %s of owner %s", name, call_id, owner_id)
            if tool.spec.idempotent:
                return ToolResult.failed(f"The tool {name} failed by an error of its own.")
            return ToolResult.unknown(f"The tool {name} broke off; nobody knows whether it was carried out.")
        return _storable(result)

    def _no_such(self, name: str) -> BadCall:
        offered = ", ".join(self._tools) or "none"
        return BadCall(f"There is no tool called {name[:LONGEST_SHOWN]!r}. The tools are: {offered}.")


def _one_object(text: str) -> dict[str, Any]:
    if len(text) > MOST_ARGUMENT_CHARACTERS:
        raise BadArguments(f"they have more than {MOST_ARGUMENT_CHARACTERS:,} characters")
    try:
        value = json.loads(
            text.strip() or "{}",
            object_pairs_hook=_each_name_once,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except RecursionError:
        raise BadArguments("they are nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadArguments(f"they are no JSON: {error.msg} at character {error.pos}") from None
    except ValueError:
        raise BadArguments("a number has too many digits") from None
    if not isinstance(value, dict):
        raise BadArguments("they must be one JSON object")
    if any(well_formed(said) != said for said in _texts(value)):
        raise BadArguments("a text holds a character that is none: U+0000 or half a surrogate pair")
    return value


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values under one name a person might be shown the one and the tool be given the other."""
    named = dict(pairs)
    if len(named) < len(pairs):
        raise BadArguments("a name is given twice")
    return named


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadArguments("a number is not finite")
    return number


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _storable(result: ToolResult) -> ToolResult:
    text = well_formed(result.text)
    if len(text) > MOST_RESULT_CHARACTERS:
        cut = f"\n[Cut here: the first {MOST_RESULT_CHARACTERS:,} of {len(text):,} characters.]"
        text = text[:MOST_RESULT_CHARACTERS] + cut
    return ToolResult(text, result.outcome)
