"""Which provider answers for which model: the demo alone, or one endpoint with the models it serves."""

from collections.abc import Sequence

from assistant.domain.errors import ProviderFailed
from assistant.models.demo import SECONDS_PER_CHUNK, Demo
from assistant.models.openai_compatible import DEFAULT_TIMEOUTS, OpenAICompatible, Timeouts

DEMO_NAME = "demo"
UNNAMED = "default"
"""The name of an endpoint's only model when the operator gave none; not told to the endpoint."""


class ModelProviders:
    """The models that sessions may choose from; the first name answers when none was chosen.

    Build it with `demo` or `connected`; end it with `aclose`.
    """

    def __init__(self, provider: Demo | OpenAICompatible, names: Sequence[str]) -> None:
        self._provider = provider
        self._names = tuple(names)

    @classmethod
    def demo(cls, *, seconds_per_chunk: float = SECONDS_PER_CHUNK) -> "ModelProviders":
        """The demo provider, for a start without any model configured."""
        return cls(Demo(seconds_per_chunk=seconds_per_chunk), (DEMO_NAME,))

    @classmethod
    def connected(
        cls,
        base_url: str,
        *,
        key: str = "",
        names: Sequence[str] = (),
        continues_prefix: bool = False,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> "ModelProviders":
        """The models `names` at an OpenAI-shaped endpoint such as `http://localhost:11434/v1`."""
        named = [name for name in names if name]
        provider = OpenAICompatible(
            base_url,
            key=key,
            models=named,
            continues_prefix=continues_prefix,
            timeouts=timeouts,
        )
        return cls(provider, named or (UNNAMED,))

    def choose(self, model: str | None) -> Demo | OpenAICompatible:
        """The provider of a model, the default one when None. ProviderFailed when there is no such model."""
        if model is None or model in self._names:
            return self._provider
        known = ", ".join(self._names)
        raise ProviderFailed(
            "model_unknown", f"There is no model {model!r} here any more. Choose one of: {known}."
        )

    def names(self) -> tuple[str, ...]:
        """The models to choose from, the default one first."""
        return self._names

    async def aclose(self) -> None:
        """Close the connections of the provider."""
        if isinstance(self._provider, OpenAICompatible):
            await self._provider.aclose()
