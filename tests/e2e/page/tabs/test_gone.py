"""A tab that is gone is followed by nobody, however its follow began."""

import re

import httpx

from tests.e2e.page.refresh.conftest import Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

WITHIN_SECONDS = 15.0


def watches(app: AppUnderTest) -> float:
    figures = httpx.get(f"{app.url}/metrics", verify=False).text
    found = re.search(r"^assistant_open_watches (\S+)$", figures, re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_a_follow_that_the_page_itself_asked_for_ends_with_its_tab(
    app: AppUnderTest, chat: ChatPage, tab: Tab, provider: ScriptedProvider
) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.ended("complete")
    eventually_sync(lambda: watches(app) == 1, WITHIN_SECONDS)
    other = tab().open(chat.named())
    eventually_sync(lambda: watches(app) == 2, WITHIN_SECONDS)
    other.simulate_refresh()

    other.page.close()

    eventually_sync(lambda: watches(app) == 1, WITHIN_SECONDS)
