"""What the session on the page is set to, and what it can be set to."""

from collections.abc import Mapping
from typing import Any, TypedDict

import reflex as rx

from assistant.bootstrap import Services
from assistant.ui.states.held import Held, tell


class ToolRow(TypedDict):
    """A tool that a model may be allowed."""

    name: str
    asks: bool
    """Whether a person decides about each call."""


class Parameters(Held, rx.State):
    """What its provider is asked with; nothing on a new page."""

    values: rx.Field[dict[str, Any]] = rx.field(default_factory=dict)
    fingerprint: str = rx.SessionStorage("", name="held:parameters")


class Choices(Held, rx.State):
    """The models, the default one first, and the tools of this server."""

    models: rx.Field[list[str]] = rx.field(default_factory=list)
    tools: rx.Field[list[ToolRow]] = rx.field(default_factory=list)
    fingerprint: str = rx.SessionStorage("", name="held:choices")


async def show_parameters(tab: Any, values: Mapping[str, Any]) -> None:
    """Bring the page to these; `tab` is any state of it, locked."""
    await tell(tab, Parameters, values=dict(values))


async def show_choices(tab: Any, services: Services) -> None:
    """Bring the page to what there is to choose from."""
    known = services.choices.tools or ()
    tools = [
        ToolRow(name=spec.name, asks=spec.needs_decision)
        for spec in services.tools.specs()
        if spec.name in known
    ]
    await tell(tab, Choices, models=list(services.choices.models()), tools=tools)
