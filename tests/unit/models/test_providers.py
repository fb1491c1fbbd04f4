"""Which provider answers for which model."""

import pytest

from assistant.domain.errors import ProviderFailed
from assistant.models.demo import Demo
from assistant.models.openai_compatible import OpenAICompatible
from assistant.models.providers import ModelProviders
from tests.support.llm_server import ScriptedProvider
from tests.support.model_events import asked, hear


def test_without_a_configured_model_the_demo_answers() -> None:
    providers = ModelProviders.demo()

    assert providers.names() == ("demo",)
    assert isinstance(providers.choose(None), Demo)
    assert isinstance(providers.choose("demo"), Demo)
    assert providers.choose(None).continues_prefix


def test_an_unknown_model_is_refused_in_words_that_name_the_known_ones() -> None:
    with pytest.raises(ProviderFailed) as refused:
        ModelProviders.demo().choose("gone")

    assert refused.value.code == "model_unknown"
    assert "demo" in refused.value.message


async def test_a_configured_endpoint_serves_its_models() -> None:
    async with ScriptedProvider() as far_side:
        providers = ModelProviders.connected(
            far_side.url, key="k", names=("one", "two"), continues_prefix=True
        )
        chosen = providers.choose(None)

        assert isinstance(chosen, OpenAICompatible)
        assert chosen.continues_prefix
        await hear(chosen, asked())
        await hear(chosen, asked(model="two"))

        assert [call.body["model"] for call in far_side.calls] == ["one", "two"]
        await providers.aclose()


async def test_an_endpoint_whose_model_has_no_name_is_called_default_and_chooses_itself() -> None:
    async with ScriptedProvider() as far_side:
        providers = ModelProviders.connected(far_side.url, names=("",))

        assert providers.names() == ("default",)
        await hear(providers.choose("default"), asked(model="default"))

        assert "model" not in far_side.calls[0].body
        assert "authorization" not in far_side.calls[0].headers
        await providers.aclose()
