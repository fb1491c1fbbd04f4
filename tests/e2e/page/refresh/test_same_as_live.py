"""What a restored page shows is what the live page showed: characters, parts, code, order and times."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.e2e.page.refresh.answers import held_after
from tests.e2e.page.refresh.conftest import WINDOW
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

BREAKS = ("First", "\n", "\n\n", "a\r\n", "\r", "\n", " \n```py\n", "", "  x = 1\n", "```\n", "\n   end", " ")

CODE = "echo $1 \\(x\\) <b>no tag</b> **no weight**\n- ~~~\n  $$y$$\n\n| no | table |\n"
FENCED = ("Like this:\n\n```sh\n", *CODE.splitlines(keepends=True), "```\n\n- and then\n- *this*\n")

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)


def test_line_breaks_of_every_kind_are_the_same_live_and_restored(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B036: each as a chunk of its own, and a reload between any two of the hard ones."""
    gates = (2, 4, 5, 7, 9)
    script = held_after(provider, *gates, chunks=BREAKS)
    chat.say("Break some lines")
    for gate in gates:
        chat.holds("".join(BREAKS[:gate]))
        chat.reload()
        assert chat.holds_now("".join(BREAKS[:gate]))
        script.release()
    chat.holds("".join(BREAKS))
    assert chat.answers.locator("pre code").text_content() == "  x = 1"
    chat.ended("complete")
    live = chat.answers.inner_html()
    chat.reload()
    assert chat.holds_now("".join(BREAKS))
    assert chat.answers.inner_html() == live


def test_parts_stand_in_the_order_in_which_they_came_at_every_border(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B153, B045: thought, text, thought, text; the question stays above them (Case B154)."""
    script = (
        provider.script().reason("Alpha ").hold().say("Beta ").hold().reason("Gamma ").hold().say("Delta")
    )
    order = ["Question", "Alpha", "Beta", "Gamma", "Delta"]
    chat.say("Question")
    for count in range(2, 6):
        held = "".join(f"{word} " for word in order[1:count]).removesuffix(" " if count == 5 else "")
        chat.holds(held)
        assert words_shown(chat) == order[:count]
        chat.reload()
        assert chat.holds_now(held)
        assert words_shown(chat) == order[:count]
        assert chat.element("reasoning").count() == (count >= 2) + (count >= 4)
        script.release()
    chat.ended("complete")
    chat.reload()
    assert words_shown(chat) == order
    assert [message.role for message in chat.messages()] == ["user", "assistant"]


def test_a_fence_that_is_resumed_is_verbatim_and_in_the_end_as_if_drawn_at_once(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B157."""
    gates = range(1, len(FENCED))
    script = held_after(provider, *gates, chunks=FENCED)
    chat.say("Code")
    for gate in gates:
        chat.holds("".join(FENCED[:gate]))
        if gate % 2:
            chat.reload()
            assert chat.holds_now("".join(FENCED[:gate]))
        if gate > 1:
            said = "".join(FENCED[1:gate]).removesuffix("\n")
            assert chat.answers.locator("pre code").text_content() == said
        script.release()
    chat.ended("complete")
    live = chat.answers.inner_html()
    chat.reload()
    assert chat.holds_now("".join(FENCED))
    assert chat.answers.inner_html() == live
    assert chat.answers.locator("b, table, li").count() == 2


@pytest.fixture
def far_away(browser: Browser) -> Iterator[BrowserContext]:
    """Another browser, in another time zone."""
    context = browser.new_context(viewport=WINDOW, timezone_id="Pacific/Auckland", reduced_motion="reduce")
    yield context
    context.close()


def test_times_and_order_are_the_server_s_wherever_and_whenever_the_page_is(
    chat: ChatPage, provider: ScriptedProvider, far_away: BrowserContext
) -> None:
    """Case B149, B150, B151: one browser's clock stands still in another century, the other is far away."""
    chat.page.clock.set_fixed_time(LONG_AGO)
    chat.reload()
    chat.say("Question 1")
    chat.ended("complete")
    far_away.add_cookies(
        [
            {"name": cookie["name"], "value": cookie["value"], "url": chat.url}
            for cookie in chat.page.context.cookies()
        ]
    )
    other = ChatPage(far_away.new_page(), chat.url).open(chat.sid)
    for number, page in ((2, other), (3, chat), (4, other), (5, chat)):
        page.in_front()
        page.idle()
        page.say(f"Question {number}")
        for each in (chat, other):
            each.element("answer").nth(number - 1).wait_for()
            each.ended("complete")

    live = chat.messages()
    assert [message.role for message in live] == ["user", "assistant"] * 5
    asked = [f"Question {number}" for number in range(1, 6)]
    times = [message.created_at for message in live]
    assert times == sorted(times)
    assert min(times) > LONG_AGO.replace(year=2002).isoformat()
    for page in (chat, other):
        page.in_front()
        for _ in range(2):
            assert page.messages() == live
            assert page.page.locator('[data-role="user"] .st-user').all_inner_texts() == asked
            page.reload()
    assert len(provider.calls) == 5


def words_shown(chat: ChatPage) -> list[str]:
    """The known words as they stand on the page, folded ones too, from the top."""
    shown = "".join(chat.element("message").all_text_contents())
    return re.findall("Question|Alpha|Beta|Gamma|Delta", shown)
