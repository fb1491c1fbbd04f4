"""The model of a session before a real server: the chosen one is shown and asked, and never another one."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.http.stage import app_before, end_what_runs
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

FIRST, SECOND = "scripted", "second"
ENDPOINTS = "ASSISTANT_MODEL_ENDPOINTS"


@pytest.fixture(scope="module")
def two_models(provider_port: int) -> Iterator[AppUnderTest]:
    more = json.dumps([{"base_url": f"http://127.0.0.1:{provider_port}/v1", "models": [SECOND]}])
    with app_before(provider_port, {ENDPOINTS: more}) as app:
        yield app


@pytest.fixture
def app(two_models: AppUnderTest, provider: ScriptedProvider) -> Iterator[AppUnderTest]:
    """It serves both models, whatever the test before it took away."""
    both = two_models.environment
    if not two_models.running:
        two_models.start()
    yield two_models
    end_what_runs(two_models, provider)
    if two_models.environment != both:
        two_models.kill()
        two_models.environment = both


def loses_second(app: AppUnderTest) -> None:
    """The operator takes a model away, and starts the server again."""
    app.kill()
    app.environment = {name: value for name, value in app.environment.items() if name != ENDPOINTS}
    app.start()


def chooses_second(chat: ChatPage) -> None:
    chat.element("model").click()
    chat.element("setting-model").select_option(SECOND)


def shows_model(chat: ChatPage, model: str) -> None:
    """Every control shows this one, with the sheet open."""
    expect(chat.element("model")).to_have_text(model)
    expect(chat.element("setting-model")).to_have_value(model)


def is_stored(chat: ChatPage, model: str) -> None:
    address = f"{chat.url}/api/sessions/{chat.named()}"
    eventually_sync(lambda: chat.page.context.request.get(address).json()["session"]["model"] == model)


def asked(provider: ScriptedProvider) -> list[str]:
    """The model of each call."""
    return [call.body["model"] for call in provider.calls]


def begun(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.shows("One.")
    chat.ended("complete")


def test_a_model_chosen_in_the_sheet_is_shown_after_a_reload_and_asked_next(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Cases B163, B164: stored by the choice, not by the next send."""
    begun(chat, provider)
    chooses_second(chat)
    is_stored(chat, SECOND)
    for _ in range(2):
        chat.reload()
        shows_model(chat, SECOND)
    assert asked(provider) == [FIRST]

    provider.say("Two.")
    chat.say("And now?")
    chat.shows("Two.")
    assert asked(provider) == [FIRST, SECOND]
    chat.reload()
    shows_model(chat, SECOND)


def test_a_model_chosen_before_the_first_message_is_shown_after_a_reload_and_asked(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Cases B163, B164: a new page has no session yet that could keep it."""
    chooses_second(chat)
    chat.reload()
    shows_model(chat, SECOND)
    begun(chat, provider)
    assert asked(provider) == [SECOND]
    is_stored(chat, SECOND)
    chat.reload()
    shows_model(chat, SECOND)


@pytest.mark.parametrize("by", ["model-other", "setting-model"])
def test_a_model_that_is_gone_is_said_to_be_gone_until_another_is_chosen(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest, by: str
) -> None:
    """Cases B163, B164: whichever control it is chosen by, and nothing is asked of another before."""
    begun(chat, provider)
    chooses_second(chat)
    is_stored(chat, SECOND)
    loses_second(app)
    chat.reload()
    expect(chat.element("model-gone")).to_contain_text(SECOND)
    expect(chat.element("model")).to_contain_text(f"{SECOND} is gone")
    expect(chat.element("setting-model")).to_have_value(SECOND)

    chat.say("And now?")
    chat.ended("error")
    chat.reload()
    chat.ended("error")
    expect(chat.element("model-gone")).to_contain_text(SECOND)
    assert asked(provider) == [FIRST]
    is_stored(chat, SECOND)

    if by == "model-other":
        chat.element(by).click()
    else:
        chat.element(by).select_option(FIRST)
    is_stored(chat, FIRST)
    chat.reload()
    shows_model(chat, FIRST)
    expect(chat.element("model-gone")).to_have_count(0)
    assert asked(provider) == [FIRST]
    provider.say("Two.")
    chat.say("And then?")
    chat.shows("Two.")
    assert asked(provider) == [FIRST, FIRST]


def test_a_first_message_for_a_model_that_is_gone_goes_to_no_other(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B163: chosen on a new page, which no server has heard of."""
    chooses_second(chat)
    shows_model(chat, SECOND)
    loses_second(app)
    chat.reload()
    expect(chat.element("model-gone")).to_contain_text(SECOND)
    chat.say("Hello?")
    expect(chat.outbox).to_have_attribute("data-state", "refused")
    expect(chat.outbox).to_contain_text(SECOND)
    chat.reload()
    expect(chat.outbox).to_have_attribute("data-state", "refused")
    assert provider.calls == []

    chat.element("outbox-edit").click()
    expect(chat.composer).to_have_value("Hello?")
    expect(chat.element("model-gone")).to_contain_text(SECOND)
    chat.element("model-other").click()
    provider.say("One.")
    chat.composer.press("Enter")
    chat.shows("One.")
    assert asked(provider) == [FIRST]
