"""A reload draws the page as it was before the server says a word, and its words change nothing."""

import re

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.refresh.test_killed import begun
from tests.e2e.page.refresh.test_stays_put import PARAGRAPHS, SEEN, STATES, Bring
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


class Silence:
    """While it lasts, the server hears the page, and the page does not hear the server."""

    def __init__(self, chat: ChatPage) -> None:
        self._unsaid: list[tuple[WebSocketRoute, str | bytes]] = []
        self._lasts = True
        chat.page.route_web_socket(re.compile("/_event"), self._opened)

    def end(self) -> None:
        """Say what was not said, and go on."""
        self._lasts = False
        for socket, message in self._unsaid:
            socket.send(message)

    def _opened(self, socket: WebSocketRoute) -> None:
        socket.connect_to_server().on_message(lambda message: self._say(socket, message))

    def _say(self, socket: WebSocketRoute, message: str | bytes) -> None:
        if self._lasts:
            self._unsaid.append((socket, message))
        else:
            socket.send(message)


@pytest.mark.parametrize("bring", STATES, ids=lambda bring: bring.__name__)
def test_a_reload_draws_the_page_as_it_was_before_the_server_speaks(
    chat: ChatPage, provider: ScriptedProvider, bring: Bring
) -> None:
    """Case B012, B177."""
    bring(chat, provider)
    place, shown, before = chat.scroll_place(), (chat.messages(), chat.held()), chat.picture()
    silence = Silence(chat)

    chat.reload(wait=False)
    chat.element("empty-state" if not shown[0] else "message").first.wait_for()
    assert (chat.messages(), chat.held()) == shown
    assert abs(chat.scroll_place().top - place.top) <= 2
    assert chat.difference(before, chat.picture()) < SEEN
    assert chat.page.locator("html[data-ready]").count() == 0

    silence.end()
    chat.ready()
    assert (chat.messages(), chat.held()) == shown
    assert chat.difference(before, chat.picture()) < SEEN
    assert chat.layout_shifts() == []


def test_a_place_in_the_middle_is_there_before_the_server_speaks(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B173."""
    provider.say(*PARAGRAPHS)
    chat.say("Something long")
    chat.ended("complete")
    chat.scroll_up(900)
    before = chat.scroll_place()
    Silence(chat)

    chat.reload(wait=False)
    chat.element("message").first.wait_for()
    after = chat.scroll_place()
    assert (after.message, abs(after.edge - before.edge) <= 2) == (before.message, True)


def test_what_was_kept_is_not_drawn_for_another_session(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B178, B181."""
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    Silence(chat)

    chat.open("0" * 32, wait=False)
    expect(chat.element("composer")).to_be_visible()
    assert chat.messages() == []


def test_a_session_that_takes_its_time_is_drawn_in_outlines(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    other = tab()
    silence = Silence(other)

    other.open(chat.sid, wait=False)
    expect(other.element("skeleton")).to_be_visible()
    silence.end()
    other.shows("Hello.")
    expect(other.element("skeleton")).to_have_count(0)


def test_a_new_page_that_takes_its_time_is_drawn_empty(tab: Tab) -> None:
    new = tab()
    silence = Silence(new)
    new.open(wait=False)
    expect(new.element("skeleton")).to_be_hidden()
    silence.end()
    new.ready()
    expect(new.element("skeleton")).to_have_count(0)


def test_a_server_that_forgot_the_tab_takes_nothing_off_the_page(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """A new process has an empty state for the tab; in no frame is the page empty."""
    begun(chat, provider)
    chat.page.evaluate(_COUNT_ROWS)
    app.kill()
    app.start()
    chat.ended("interrupted")
    chat.shows(so_far(20))
    assert chat.page.evaluate("window.rowsSeen") == [2]


def test_garbage_in_the_kept_page_is_ignored(chat: ChatPage, provider: ScriptedProvider) -> None:
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    sid = chat.sid
    for garbage in ("{", "null", "[]", f'{{"sid": "{sid}", "rows": 3}}', f'{{"sid": "{sid}", "rows": []}}'):
        chat.page.add_init_script(f"sessionStorage.setItem('page', {garbage!r})")
        chat.reload()
        chat.shows(so_far(20))
        assert len(chat.messages()) == 2


def test_a_page_that_an_earlier_build_kept_is_drawn(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Its rows said everything, and every task had one."""
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    chat.idle()
    shown = (chat.messages(), chat.held())
    silence = Silence(chat)
    chat.page.add_init_script(_AS_KEPT_EARLIER)

    chat.reload(wait=False)
    chat.element("message").first.wait_for()
    assert chat.page.evaluate("window.keptEarlier")
    assert (chat.messages(), chat.held()) == shown
    silence.end()
    chat.ready()
    assert (chat.messages(), chat.held()) == shown
    assert chat.failures_seen() == []


_AS_KEPT_EARLIER = """
  const page = JSON.parse(sessionStorage.getItem("page"));
  for (const row of page.rows) {
    for (const name of ["task_id", "client_id"]) row[name] ??= "";
    row.siblings ??= [row.id];
    if (row.task_id) page.settled[row.id] = {
      id: row.task_id, state: "done", reason: "complete", attempt: 1, live: false, error_code: "", error: "",
      can_retry: false, can_continue: false,
    };
  }
  for (const session of page.sessions) session.updated_at = "2030-01-01T00:00:00.000Z";
  sessionStorage.setItem("page", JSON.stringify(page));
  window.keptEarlier = true;
"""

_COUNT_ROWS = """() => {
  window.rowsSeen = [];
  const count = () => {
    const rows = document.querySelectorAll('[data-testid="message"]').length;
    if (rows !== window.rowsSeen.at(-1)) window.rowsSeen.push(rows);
    requestAnimationFrame(count);
  };
  count();
}"""
