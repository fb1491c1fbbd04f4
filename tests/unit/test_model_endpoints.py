"""More endpoints by one variable: read, refused in words, and never shown."""

import json

import pytest

from assistant.bootstrap.wiring import providers_of
from assistant.settings import SettingsError, load

NAME = "ASSISTANT_MODEL_ENDPOINTS"
ONE = {"base_url": "http://one.example/v1", "models": ["small"], "api_key": "very secret"}
TWO = {"base_url": "https://two.example/v1/", "models": ["big", "huge"], "continues_prefix": True}
FIRST = {"ASSISTANT_MODEL_BASE_URL": "http://first.example/v1", "ASSISTANT_MODEL_NAME": "first"}


async def test_the_models_of_all_endpoints_can_be_chosen() -> None:
    settings = load({**FIRST, NAME: json.dumps([ONE, TWO])})
    providers = providers_of(settings)

    assert providers.names() == ("first", "small", "big", "huge")
    assert providers.choose("huge").continues_prefix
    assert not providers.choose("small").continues_prefix
    assert "very secret" not in repr(settings)
    await providers.aclose()


async def test_each_says_its_window_or_has_that_of_all() -> None:
    more = json.dumps([ONE, {**TWO, "context_tokens": 200_000}])
    providers = providers_of(load({**FIRST, NAME: more, "ASSISTANT_MODEL_CONTEXT_TOKENS": "8192"}))

    windows = {name: providers.choose(name).context_tokens for name in providers.names()}

    assert windows == {"first": 8_192, "small": 8_192, "big": 200_000, "huge": 200_000}
    await providers.aclose()


async def test_a_window_of_which_nobody_said_anything_is_unknown() -> None:
    more = json.dumps([ONE, {**TWO, "context_tokens": 200_000}])
    for given in ({**FIRST, NAME: more}, {}):
        providers = providers_of(load(given))
        windows = {name: providers.choose(name).context_tokens for name in providers.names()}
        assert set(windows.values()) <= {None, 200_000}
        assert [name for name, window in windows.items() if window] == (["big", "huge"] if given else [])
        await providers.aclose()


async def test_they_are_enough_without_a_first_one() -> None:
    settings = load({NAME: json.dumps([TWO])})
    providers = providers_of(settings)

    assert providers.names() == ("big", "huge")
    assert not settings.demo_tools
    await providers.aclose()


@pytest.mark.parametrize(
    "given",
    [
        "not json, very secret",
        '{"very secret": 1}',
        '["very secret"]',
        json.dumps([{**ONE, "base_url": ""}]),
        json.dumps([{**ONE, "base_url": "very secret"}]),
        json.dumps([{**ONE, "models": []}]),
        json.dumps([{**ONE, "models": [""]}]),
        json.dumps([{**ONE, "key": "very secret"}]),
        json.dumps([ONE, ONE]),
        json.dumps([{**ONE, "context_tokens": 100}]),
    ],
)
def test_what_cannot_be_used_is_named_and_not_shown(given: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load({NAME: given})
    assert list(refused.value.problems) == [NAME]
    assert "very secret" not in str(refused.value)
