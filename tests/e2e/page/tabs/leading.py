"""Who leads, who is brought text, and how it goes on: what these tests ask of many tabs."""

import re

import httpx
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider

GOES_ON_SECONDS = 4.0
"""A leader that hangs is noticed within three seconds; the rest is the pace of a machine with much to do."""


def role(chat: ChatPage) -> str:
    """What the tab is: away, asking, leading, mirroring or alone."""
    return chat.page.evaluate("document.documentElement.dataset.tab ?? ''")


def leader_of(pages: list[ChatPage], within: float = 10.0) -> ChatPage:
    """Wait until one of the tabs leads and all others mirror it."""

    def one() -> list[ChatPage]:
        roles = [role(page) for page in pages]
        assert sorted(roles) == ["leading", *["mirroring"] * (len(pages) - 1)], roles
        return [page for page, is_role in zip(pages, roles, strict=True) if is_role == "leading"]

    return eventually_sync(one, within)[0]


def others(pages: list[ChatPage], one: ChatPage) -> list[ChatPage]:
    return [page for page in pages if page is not one]


def watching(app: AppUnderTest) -> tuple[int, int]:
    """How many pages watch a session at the server, and how many of them are brought text."""
    figures = httpx.get(f"{app.url}/metrics", verify=False).text
    told = dict(re.findall(r"^assistant_(open|carrying)_watches (\d+)", figures, re.MULTILINE))
    return int(told["open"]), int(told["carrying"])


def one_is_brought_text(app: AppUnderTest, pages: int) -> None:
    eventually_sync(lambda: watching(app) == (pages, 1))


def in_mid_answer(chat: ChatPage, provider: ScriptedProvider) -> Script:
    """`chat` is in mid-answer: the provider has said 20 chunks of 40, and holds again after 30."""
    script = held_after(provider, 20, 30)
    chat.say("Count for me")
    chat.shows(so_far(20))
    return script


def tabs_on(chat: ChatPage, tab: Tab, count: int) -> list[ChatPage]:
    """So many tabs on the session of `chat`, itself the first; one leads."""
    sid = chat.named()
    pages = [chat, *(tab().open(sid) for _ in range(count - 1))]
    for page in pages:
        page.holds(so_far(20))
    leader_of(pages)
    return pages


def text_frames(page: ChatPage, since: int = 0) -> list[str]:
    """What came over its socket since with text of the answer in it."""
    return [frame for frame in page.heard[since:] if re.search(r"chunk \d+, ", frame)]


def is_whole(pages: list[ChatPage], provider: ScriptedProvider, text: str = WHOLE) -> None:
    """Every tab holds all of it, each character once, and nothing of any tab looks wrong."""
    for page in pages:
        page.in_front()
        page.shows(text)
        page.ended("complete")
        page.idle()
        page.no_failure()
        assert [message.role for message in page.messages()] == ["user", "assistant"]
        assert page.offsets_seen() == sorted(page.offsets_seen()), "nothing was taken back"
        assert page.endings_seen() == [f"done {len(text)}"], "no end before the whole"
        expect(page.outbox).to_have_count(0)
    assert len(provider.calls) == 1
