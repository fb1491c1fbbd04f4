"""What there is to choose from, as it is told."""

from assistant.api.wire import Shape


class Model(Shape):
    """A model that a session may name."""

    name: str


class Models(Shape):
    """All of them, the default one first."""

    models: list[Model]
    default: str


class Tool(Shape):
    """A tool that a model may be allowed; `needs_decision`: a person approves each call."""

    name: str
    description: str
    needs_decision: bool


class Tools(Shape):
    """All of them."""

    tools: list[Tool]
