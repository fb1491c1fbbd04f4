"""Which provider answers for which model."""

import pytest

from assistant.domain.errors import ProviderFailed
from assistant.models.demo import Demo
from assistant.models.openai_compatible import OpenAICompatible
from assistant.models.providers import Endpoint, ModelProviders
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
        endpoint = Endpoint(far_side.url, ("one", "two"), key="k", continues_prefix=True)
        providers = ModelProviders.connected([endpoint])
        chosen = providers.choose(None)

        assert isinstance(chosen, OpenAICompatible)
        assert chosen.continues_prefix
        await hear(chosen, asked())
        await hear(chosen, asked(model="two"))

        assert [call.body["model"] for call in far_side.calls] == ["one", "two"]
        await providers.aclose()


async def test_an_endpoint_whose_model_has_no_name_is_called_default_and_chooses_itself() -> None:
    async with ScriptedProvider() as far_side:
        providers = ModelProviders.connected([Endpoint(far_side.url)])

        assert providers.names() == ("default",)
        await hear(providers.choose("default"), asked(model="default"))

        assert "model" not in far_side.calls[0].body
        assert "authorization" not in far_side.calls[0].headers
        await providers.aclose()


async def test_each_model_is_asked_of_the_endpoint_that_serves_it() -> None:
    async with ScriptedProvider(key="a") as near, ScriptedProvider(key="b") as far:
        providers = ModelProviders.connected(
            [Endpoint(near.url, ("small",), key="a"), Endpoint(far.url, ("big", "small"), key="b")]
        )

        assert providers.names() == ("small", "big")
        for model in (None, "small", "big"):
            await hear(providers.choose(model), asked(model=model))

        assert [call.body["model"] for call in near.calls] == ["small", "small"]
        assert [call.body["model"] for call in far.calls] == ["big"]
        assert {call.status for call in (*near.calls, *far.calls)} == {200}
        await providers.aclose()
