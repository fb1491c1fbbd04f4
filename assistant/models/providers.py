"""Which provider answers for which model: the demo alone, or endpoints with the models that each serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.domain.errors import ProviderFailed
from assistant.models.demo import SECONDS_PER_CHUNK, Demo
from assistant.models.openai_compatible import DEFAULT_TIMEOUTS, OpenAICompatible, Timeouts

DEMO_NAME = "demo"
UNNAMED = "default"
"""The name of an endpoint's only model when the operator gave none; not told to the endpoint."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-shaped endpoint such as `http://localhost:11434/v1`, and the models `names` at it."""

    base_url: str
    names: tuple[str, ...] = ()
    key: str = ""
    continues_prefix: bool = False
    context_tokens: int | None = None


class ModelProviders:
    """The models that sessions may choose from; the first name answers when none was chosen.

    Build it with `demo` or `connected`; end it with `aclose`.
    """

    def __init__(self, by_name: Mapping[str, Demo | OpenAICompatible]) -> None:
        self._by_name = dict(by_name)
        self._default = next(iter(self._by_name.values()))

    @classmethod
    def demo(
        cls,
        *,
        seconds_per_chunk: float = SECONDS_PER_CHUNK,
        context_tokens: int | None = None,
    ) -> "ModelProviders":
        """The demo provider, for a start without any model configured."""
        return cls({DEMO_NAME: Demo(seconds_per_chunk=seconds_per_chunk, context_tokens=context_tokens)})

    @classmethod
    def connected(
        cls, endpoints: Sequence[Endpoint], *, timeouts: Timeouts = DEFAULT_TIMEOUTS
    ) -> "ModelProviders":
        """All models of these endpoints, of which there is at least one; a model that two of them serve is
        asked of the first."""
        by_name: dict[str, Demo | OpenAICompatible] = {}
        for endpoint in endpoints:
            provider = OpenAICompatible(
                endpoint.base_url,
                key=endpoint.key,
                models=endpoint.names,
                continues_prefix=endpoint.continues_prefix,
                context_tokens=endpoint.context_tokens,
                timeouts=timeouts,
            )
            for name in endpoint.names or (UNNAMED,):
                by_name.setdefault(name, provider)
        return cls(by_name)

    def choose(self, model: str | None) -> Demo | OpenAICompatible:
        """The provider of a model, the default one when None. ProviderFailed when there is no such model."""
        if model is None:
            return self._default
        if model in self._by_name:
            return self._by_name[model]
        known = ", ".join(self._by_name)
        raise ProviderFailed(
            "model_unknown", f"There is no model {model!r} here any more. Choose one of: {known}."
        )

    def names(self) -> tuple[str, ...]:
        """The models to choose from, the default one first."""
        return tuple(self._by_name)

    async def aclose(self) -> None:
        """Close the connections of the providers."""
        for provider in dict.fromkeys(self._by_name.values()):
            if isinstance(provider, OpenAICompatible):
                await provider.aclose()
