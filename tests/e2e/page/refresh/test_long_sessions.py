"""Long conversations: older messages come as one scrolls, nothing jumps, and a reload stands as before."""

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.refresh.test_before_the_socket import Silence
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage, Place
from tests.support.databases import sqlite_url
from tests.support.llm_server import ScriptedProvider
from tests.support.long_sessions import long_session_beside, message_id, usual

COUNT = 300
PAGE = 50
MOST = 80
"""Rows on the page, at most."""

LONG = "A paragraph of a long message, with some **weight** in it.\n\n" * 100

_FIRST_SEEN = """() => {
  const all = [...document.querySelectorAll("[data-message-id]")];
  const seen = all.find((each) => each.getBoundingClientRect().bottom > 0);
  return Number(seen.dataset.messageId.split("-").at(-1));
}"""

_KEEPS_NO_PAGE = "sessionStorage.removeItem('page')"
"""Before each document: what is written when a page is left is written more than once."""

_TWO_FRAMES = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


def seeded(chat: ChatPage, app: AppUnderTest, *, count: int = COUNT, **how: object) -> str:
    """A session of so many messages of this browser's owner."""
    owner = chat.page.context.request.get(f"{app.url}/api/owner").json()["id"]
    url = sqlite_url(app.data_dir / "assistant.db")
    return long_session_beside(url, owner, count, **how)


def short(number: int) -> str:
    """So little that all of it fits a model's window, and nothing is summarised."""
    return f"Message {number}, in a line or so. " * 3


def numbers(chat: ChatPage) -> list[int]:
    """The numbers of the messages on the page, from the top."""
    return [int(shown.id.rpartition("-")[2]) for shown in chat.messages()]


def scrolled_to(chat: ChatPage, number: int) -> None:
    """Turn the wheel until the first message that is seen is this one, or beyond it."""
    chat.page.mouse.move(640, 300)
    begin = now = chat.page.evaluate(_FIRST_SEEN)
    while now > number if begin > number else now < number:
        chat.page.mouse.wheel(0, 600 if now < number else -600)
        chat.page.evaluate(_TWO_FRAMES)
        now = chat.page.evaluate(_FIRST_SEEN)


def stands(chat: ChatPage, before: Place) -> bool:
    """Whether the window stands where it stood, within two pixels."""
    after = chat.scroll_place()
    return (after.message, abs(after.edge - before.edge) <= 2) == (before.message, True)


def test_older_messages_come_without_a_jump_and_a_reload_stands_among_them(
    chat: ChatPage, app: AppUnderTest
) -> None:
    """Case B173, B175: 300 messages, the history held back: at message 120 it is message 120 again."""
    chat.open(seeded(chat, app))
    assert numbers(chat) == list(range(COUNT - PAGE + 1, COUNT + 1))
    scrolled_to(chat, 120)
    assert chat.layout_shifts() == []
    shown, before = numbers(chat), chat.scroll_place()
    assert len(shown) <= MOST
    assert shown == list(range(shown[0], shown[-1] + 1))
    assert shown[-1] < COUNT

    silence = Silence(chat)
    chat.reload(wait=False)
    chat.element("message").first.wait_for()
    assert stands(chat, before)
    silence.end()
    chat.ready()
    assert stands(chat, before)
    assert chat.layout_shifts() == []
    expect(chat.element("message").first).to_be_attached()
    assert len(numbers(chat)) <= MOST

    scrolled_to(chat, 180)
    assert chat.layout_shifts() == []
    assert len(numbers(chat)) <= MOST
    chat.element("to-newest").click()
    expect(chat.element("load-newer")).to_have_count(0)
    assert numbers(chat) == list(range(COUNT - PAGE + 1, COUNT + 1))
    assert chat.scroll_place().to_bottom <= 2


def test_a_page_at_the_bottom_of_a_long_session_is_there_again(chat: ChatPage, app: AppUnderTest) -> None:
    """Case B173: 300 messages, the history held back."""
    chat.open(seeded(chat, app))
    before = chat.scroll_place()
    assert before.to_bottom <= 2

    silence = Silence(chat)
    chat.reload(wait=False)
    chat.element("message").first.wait_for()
    assert chat.scroll_place().to_bottom <= 2
    silence.end()
    chat.ready()
    assert chat.scroll_place().to_bottom <= 2
    assert stands(chat, before)


@pytest.mark.parametrize("number", [120, COUNT], ids=["far up", "at the bottom"])
def test_a_tab_that_kept_no_page_stands_where_it_stood_once_a_late_history_is_there(
    chat: ChatPage, app: AppUnderTest, number: int
) -> None:
    """Case B173: 300 messages, nothing to draw before them; and a page that is left before it has shown
    anything knows of no place, so it forgets none."""
    chat.open(seeded(chat, app))
    if number < COUNT:
        scrolled_to(chat, number)
    before, shown = chat.scroll_place(), numbers(chat)
    chat.page.add_init_script(_KEEPS_NO_PAGE)
    for _ in range(2):
        silence = Silence(chat)
        chat.reload(wait=False)
        expect(chat.element("skeleton")).to_be_visible()
        assert chat.messages() == []
    silence.end()
    chat.ready()
    assert (stands(chat, before), numbers(chat)) == (True, shown)
    assert number < COUNT or chat.scroll_place().to_bottom <= 2


@pytest.mark.parametrize("number", [120, COUNT], ids=["far up", "at the bottom"])
def test_a_long_session_is_come_back_to_at_the_same_message(
    chat: ChatPage, app: AppUnderTest, number: int
) -> None:
    """Case B173: by the list, from a new page; and reloaded there."""
    sid = seeded(chat, app)
    chat.open(sid)
    if number < COUNT:
        scrolled_to(chat, number)
    before, shown = chat.scroll_place(), numbers(chat)
    chat.element("new-session").click()
    chat.ready("new")
    chat.page.locator(f"[data-session-id='{sid}']").click()
    chat.ready(sid)
    assert (stands(chat, before), numbers(chat)) == (True, shown)
    chat.reload()
    assert (stands(chat, before), numbers(chat)) == (True, shown)
    assert number < COUNT or chat.scroll_place().to_bottom <= 2


def test_a_session_a_little_longer_than_a_page_is_there_again_from_its_top(
    chat: ChatPage, app: AppUnderTest
) -> None:
    """Case B173, B175: 70 messages, all of them on the page."""
    chat.open(seeded(chat, app, count=PAGE + 20))
    scrolled_to(chat, 1)
    expect(chat.element("message")).to_have_count(PAGE + 20)
    before = chat.scroll_place()
    chat.reload()
    expect(chat.element("message")).to_have_count(PAGE + 20)
    assert stands(chat, before)


def test_what_others_write_moves_nobody_who_is_far_up_and_what_he_sends_is_shown(
    chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B173, B175: only who sends goes to the newest."""
    chat.open(seeded(chat, app, says=short))
    scrolled_to(chat, 130)
    expect(chat.element("load-newer")).to_be_attached()
    before, shown = chat.scroll_place(), numbers(chat)
    other = tab().open(chat.sid)
    script = provider.script().say("Told ").hold().say("elsewhere.")
    other.say("And there?")
    other.shows("Told ")
    chat.in_front()
    chat.busy()
    assert (stands(chat, before), numbers(chat)) == (True, shown)
    script.release()
    chat.idle()
    assert (stands(chat, before), numbers(chat)) == (True, shown)

    provider.say("Here below.")
    chat.say("And now?")
    chat.shows("Told elsewhere.", number=-2)
    chat.shows("Here below.")
    expect(chat.outbox).to_have_count(0)
    assert chat.scroll_place().to_bottom <= 2


def test_a_step_between_versions_far_up_stays_where_it_is(
    chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider, tab: Tab
) -> None:
    """Message 5 of 300 was edited: a version stands where the other stood, and the keyboard stays there."""
    sid = seeded(chat, app, says=short)
    provider.say("Another answer.")
    sent = chat.page.context.request.post(
        f"{app.url}/api/messages",
        data={"text": "Another question.", "session_id": sid, "edits": message_id(sid, 5)},
        headers={"Idempotency-Key": "an-edit-far-up"},
    ).json()
    chat.open(sid).idle()
    chat.shows("Another answer.")
    other = tab().open(sid)
    expect(other.element("message")).to_have_count(6)
    chat.in_front()

    def top(of: str) -> float:
        message = chat.page.locator(f"[data-message-id='{of}']")
        return message.evaluate("message => message.getBoundingClientRect().top")

    first, second = message_id(sid, 5), sent["message_id"]
    before = top(second)
    chat.element("sibling-earlier").press("Enter")
    expect(chat.element("sibling-place")).to_have_text("1 / 2")
    expect(chat.element("sibling-later")).to_be_focused()
    expect(chat.element("load-newer")).to_be_attached()
    assert abs(top(first) - before) <= 2
    assert numbers(chat)[:5] == [1, 2, 3, 4, 5]
    stood, shown = chat.scroll_place(), numbers(chat)
    assert abs(top(first) - before) <= 2
    chat.reload()
    assert (stands(chat, stood), numbers(chat)) == (True, shown)
    expect(chat.element("sibling-place")).to_have_text("1 / 2")
    expect(other.element("message").last).to_have_attribute("data-message-id", message_id(sid, COUNT))

    chat.element("sibling-later").press("Enter")
    expect(chat.element("sibling-place")).to_have_text("2 / 2")
    expect(chat.element("sibling-earlier")).to_be_focused()
    expect(chat.element("message")).to_have_count(6)


def test_keys_that_go_to_an_end_never_get_stuck_before_it(chat: ChatPage, app: AppUnderTest) -> None:
    """Pressed at the end of what is shown they move nothing, and bring what comes next all the same."""
    chat.open(seeded(chat, app, count=120))
    # As on a machine that is quick enough: nothing is asked for again because it is long ago.
    chat.page.evaluate("(now) => { performance.now = () => now; }", chat.page.evaluate("performance.now()"))
    chat.page.evaluate("document.activeElement.blur()")

    def pressed(key: str, number: int) -> None:
        """Until this message is shown. A press may meet what the other end brings; the next does not."""
        for _ in range(12):
            if number in (shown := numbers(chat)):
                return
            beside = shown[0] - 1 if key == "Home" else shown[-1] + 1
            message = chat.page.locator(f"[data-message-id='{message_id(chat.sid, beside)}']")
            for is_last in (False, False, True):
                chat.page.keyboard.press(key)
                try:
                    expect(message).to_be_attached(timeout=2_000)
                    break
                except AssertionError:
                    if is_last:
                        raise
        raise AssertionError(numbers(chat))

    for key, number in (("Home", 20), ("End", 120), ("Home", 20), ("End", 120), ("Home", 1), ("End", 120)):
        pressed(key, number)


def test_an_answer_far_up_is_written_on_where_it_stands(
    chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider
) -> None:
    """DESIGN 7: an unfinished task is restored whole wherever it stands, and goes on."""
    script = provider.script().say("Working").hold().say(" on.")
    number = COUNT - 160
    sid = seeded(chat, app, says=short, pending=number)
    chat.open(sid).busy()
    scrolled_to(chat, number - 1)
    answer = chat.page.locator(f"[data-message-id='{message_id(sid, number)}']").get_by_test_id("answer")
    expect(answer).to_have_attribute("data-offset", str(len("Working")))
    before = chat.scroll_place()

    chat.reload().busy()
    assert stands(chat, before)
    assert chat.text_of(answer) == "Working"
    script.release()
    expect(answer).to_have_attribute("data-reason", "complete")
    assert chat.text_of(answer) == "Working on."
    assert stands(chat, before)


def test_a_long_old_message_is_a_digest_until_it_is_opened_and_stays_open(
    chat: ChatPage, app: AppUnderTest
) -> None:
    """Copied and edited it is whole at any time."""
    long = {COUNT - 20, COUNT - 21, COUNT - 1}
    sid = seeded(chat, app, says=lambda number: LONG if number in long else usual(number))
    chat.open(sid)
    answer, question, recent = (
        chat.page.locator(f"[data-message-id='{message_id(sid, number)}']")
        for number in (COUNT - 20, COUNT - 21, COUNT - 1)
    )
    for digest in (answer, question):
        assert len(digest.inner_text()) < 1_000
        expect(digest.get_by_test_id("show-whole")).to_have_text("Show all 6,000 characters")
    expect(recent.get_by_test_id("show-whole")).to_have_count(0)

    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer.hover()
    answer.get_by_test_id("copy").click()
    expect(answer.get_by_test_id("copy")).to_have_attribute("aria-label", "Copied")
    expect(answer.get_by_test_id("show-whole")).to_be_visible()
    chat.composer.press("Control+V")
    expect(chat.composer).to_have_value(LONG)
    chat.composer.fill("")
    question.hover()
    question.get_by_test_id("edit").click()
    expect(chat.composer).to_have_value(LONG)
    chat.page.keyboard.press("Escape")

    answer.get_by_test_id("show-whole").click()
    expect(answer.get_by_test_id("show-whole")).to_have_count(0)
    assert len(answer.inner_text()) > 5_000
    before = chat.scroll_place()
    chat.reload()
    assert len(answer.inner_text()) > 5_000
    assert stands(chat, before)
    chat.page.add_init_script(_KEEPS_NO_PAGE)
    chat.reload()
    expect(answer.get_by_test_id("show-whole")).to_have_count(0)
    expect(question.get_by_test_id("show-whole")).to_have_count(1)
