"""A tool from a function: its name, its schema from the signature, its words from the docstring.

    @tool(idempotent=True)
    def current_time(time_zone: str = "UTC") -> str:
        "Tell the date and the time in a time zone.

        time_zone: an IANA name such as Europe/Rome"

Every argument has a type and a line in the docstring, or the definition is refused. A parameter of type
`Call` is no argument: it gets the ids of the call.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema

from assistant.domain.tools import ToolResult, ToolSpec, canonical_json
from assistant.tools.threads import in_thread

Returned = str | ToolResult
Function = Callable[..., Returned] | Callable[..., Awaitable[Returned]]

PROBLEMS_SHOWN = 5
LONGEST_SHOWN = 80
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class ToolFailed(Exception):
    """Raised by a tool that did not do it: nothing happened, and the words are told to the model."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class BadArguments(Exception):
    """Arguments that the schema does not allow; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Call:
    """Which call a tool carries out and for whom; the call id is its idempotency key."""

    call_id: str
    owner_id: str


def tool(
    *, idempotent: bool, needs_decision: bool = False, timeout_seconds: float | None = None
) -> Callable[[Function], "Tool"]:
    """Make a tool of a function, plain (it then runs in a thread) or async.

    The function returns the text for the model, or a ToolResult; it raises ToolFailed when nothing
    happened. Raises TypeError for a function that does not describe itself.
    """

    def define(function: Function) -> Tool:
        summary, arguments = _described(function)
        spec = ToolSpec(
            name=_name(function),
            description=summary,
            schema=arguments.model_json_schema(schema_generator=_Schema),
            idempotent=idempotent,
            needs_decision=needs_decision,
            timeout_seconds=timeout_seconds,
        )
        spec.schema.pop("title", None)
        return Tool(spec, function, arguments, _call_parameter(function))

    return define


class Tool:
    """One tool: its spec, the check of its arguments, and the way to run it."""

    def __init__(
        self, spec: ToolSpec, function: Function, arguments: type[BaseModel], call_parameter: str | None
    ) -> None:
        self.spec = spec
        self._function = function
        self._arguments = arguments
        self._call_parameter = call_parameter

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with defaults filled in, as JSON values; BadArguments says what is wrong."""
        return self._read(arguments).model_dump(mode="json")

    async def run(self, call: Call, arguments: Mapping[str, Any]) -> ToolResult:
        """Run it once; raises BadArguments, and whatever the function raises."""
        read = self._read(arguments)
        given: dict[str, Any] = {name: getattr(read, name) for name in self._arguments.model_fields}
        if self._call_parameter:
            given[self._call_parameter] = call
        if inspect.iscoroutinefunction(self._function):
            returned = await self._function(**given)
        else:
            plain = cast(Callable[..., Returned], self._function)
            returned = await in_thread(lambda: plain(**given), name=f"tool {self.spec.name}")
        return returned if isinstance(returned, ToolResult) else ToolResult(returned)

    def _read(self, arguments: Mapping[str, Any]) -> BaseModel:
        # From JSON even when strict: a date may be written as text, but "5" is no number.
        try:
            return self._arguments.model_validate_json(canonical_json(arguments))
        except ValidationError as refusal:
            raise BadArguments(_in_words(refusal)) from None


class _Schema(GenerateJsonSchema):
    """Without the titles, which only repeat the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _described(function: Function) -> tuple[str, type[BaseModel]]:
    name = _name(function)
    if not _NAME.fullmatch(name):
        raise TypeError(f"{name!r} is no name for a tool")
    hints = get_type_hints(function, include_extras=True)
    parameters = {
        parameter.name: parameter
        for parameter in inspect.signature(function).parameters.values()
        if hints.get(parameter.name) is not Call
    }
    summary, words = _docstring(function, frozenset(parameters))
    if not summary:
        raise TypeError(f"the tool {name} needs a docstring that says what it does")
    fields: dict[str, Any] = {}
    for parameter in parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{parameter} of the tool {name} cannot be given by name")
        if parameter.name not in hints or parameter.name not in words:
            raise TypeError(
                f"the argument {parameter.name} of the tool {name} needs a type and a line of words"
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (
            hints[parameter.name],
            Field(default=default, description=words[parameter.name]),
        )
    config = ConfigDict(extra="forbid", strict=True, validate_default=True)
    return summary, create_model(name, __config__=config, **fields)


def _name(function: Function) -> str:
    return str(getattr(function, "__name__", ""))


def _docstring(function: Function, names: frozenset[str]) -> tuple[str, dict[str, str]]:
    """What the tool does, and what each argument is: paragraphs of lines that begin with `name:`."""
    summary: list[str] = []
    words: dict[str, str] = {}
    current: str | None = None
    for line in (inspect.getdoc(function) or "").splitlines():
        begin, colon, rest = line.partition(":")
        if colon and begin in names:
            current = begin
            words[current] = rest.strip()
        elif current and line.strip():
            words[current] = f"{words[current]} {line.strip()}"
        elif not current:
            summary.append(line)
    return "\n".join(summary).strip(), {name: said for name, said in words.items() if said}


def _call_parameter(function: Function) -> str | None:
    return next((name for name, hint in get_type_hints(function).items() if hint is Call), None)


def _in_words(refusal: ValidationError) -> str:
    problems = refusal.errors(include_url=False, include_context=False, include_input=False)
    shown = [
        f"{'.'.join(str(step) for step in problem['loc'])[:LONGEST_SHOWN]}: {problem['msg']}"
        for problem in problems[:PROBLEMS_SHOWN]
    ]
    more = len(problems) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])])
