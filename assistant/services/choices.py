"""What a session can be set to: the models and tools that there are, and what a parameter may be.

    model        a name of the server's list; None for the first of it
    temperature  0 to 2       top_p  0 to 1       max_tokens  1 and more
    system       what the model is told before everything else
    tools        the names of the tools that the model may ask for; absent for all of them

What is absent is the provider's own choice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.domain.errors import InvalidInput
from assistant.domain.transcript import well_formed

MAX_SYSTEM_CHARACTERS = 20_000
MAX_TOKENS = 2**31 - 1
MAX_TEMPERATURE = 2
MAX_TOP_P = 1


def no_models() -> Sequence[str]:
    """For use cases that are wired without any provider."""
    return ()


@dataclass(frozen=True, slots=True)
class Choices:
    """The models, the default one first, and the names of the tools. Without a list, any name is right."""

    models: Callable[[], Sequence[str]] = no_models
    tools: tuple[str, ...] | None = None

    def check(self, model: str | None, parameters: Mapping[str, Any] | None) -> None:
        """Raise InvalidInput, naming it, for a model, a tool or a parameter that cannot be."""
        if not isinstance(model, str | None) or not isinstance(parameters, Mapping | None):
            raise InvalidInput("A model is a name, and parameters are an object.")
        known = self.models()
        if model is not None and known and model not in known:
            name = well_formed(model)
            raise InvalidInput(f"There is no model {name!r} here.", rule="no_model", name=name)
        for name, value in (parameters or {}).items():
            check = _CHECKS.get(name)
            if check is None:
                raise InvalidInput(
                    f"There is no parameter {well_formed(str(name))!r}.", rule="parameter", name=name
                )
            check(name, value)
        for tool in (parameters or {}).get("tools") or ():
            if self.tools is not None and tool not in self.tools:
                gone = well_formed(tool)
                raise InvalidInput(f"There is no tool {gone!r} here.", rule="no_tool", name=gone)


ANYTHING = Choices()
"""Every model and every tool is right: where no list is known."""


def _number(most: float) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= most:
            raise _refused(name, f"a number from 0 to {most}")

    return check


def _count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_TOKENS:
        raise _refused(name, f"a whole number from 1 to {MAX_TOKENS}")


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str) or len(value) > MAX_SYSTEM_CHARACTERS:
        raise _refused(name, f"a text of at most {MAX_SYSTEM_CHARACTERS} characters")


def _names(name: str, value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _refused(name, "a list of names")


def _refused(name: str, rule: str) -> InvalidInput:
    return InvalidInput(f"{name} is {rule}.", rule="parameter", name=name)


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "temperature": _number(MAX_TEMPERATURE),
    "top_p": _number(MAX_TOP_P),
    "max_tokens": _count,
    "system": _text,
    "tools": _names,
}
