"""What stands around the thread: the list of sessions, the keyboard, the way down; on a phone too."""

from playwright.sync_api import Browser, ViewportSize, expect

from tests.e2e.page.refresh.answers import held_after
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.refresh.test_stays_put import PARAGRAPHS
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

PHONE = ViewportSize(width=390, height=844)
CARET = "(box => [document.activeElement === box, box.selectionStart, box.selectionEnd])"


def long_session(chat: ChatPage, provider: ScriptedProvider, question: str) -> str:
    provider.say(*PARAGRAPHS)
    chat.say(question)
    chat.ended("complete")
    return chat.named()


def test_each_session_keeps_its_place(chat: ChatPage, provider: ScriptedProvider) -> None:
    first = long_session(chat, provider, "The first")
    chat.scroll_up(1500)
    place = chat.scroll_place()
    chat.element("new-session").click()
    chat.ready("new")
    second = long_session(chat, provider, "The second")
    chat.page.locator(f"[data-session-id='{first}']").click()
    chat.ready(first)
    there = chat.scroll_place()
    assert (there.message, abs(there.edge - place.edge) <= 2) == (place.message, True)

    chat.page.locator(f"[data-session-id='{second}']").click()
    chat.ready(second)
    assert chat.scroll_place().to_bottom <= 2
    chat.reload()
    assert chat.scroll_place().to_bottom <= 2


def test_back_in_a_session_its_text_is_there_whenever_what_is_held_was_told(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """The page says what it holds just before it forgets the texts of the session that it leaves."""
    provider.say("An answer.")
    chat.say("A question")
    chat.ended("complete")
    sid = chat.named()
    chat.page.evaluate(
        """() => {
          const set = Storage.prototype.setItem;
          Storage.prototype.setItem = function (key, value) {
            set.call(this, key, value);
            if (key === "have" && value === "") window.dispatchEvent(new Event("pageshow"));
          };
          window.dispatchEvent(new Event("pageshow"));
        }"""
    )
    chat.element("new-session").click()
    chat.ready("new")
    chat.page.locator(f"[data-session-id='{sid}']").click()
    chat.ready(sid)
    chat.shows("An answer.")


def test_a_new_page_is_read_from_its_top_until_something_is_sent(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    long_session(chat, provider, "Something long")
    chat.page.set_viewport_size({"width": PHONE["width"], "height": 400})
    for reloads in (False, True):
        if reloads:
            chat.reload()
        else:
            chat.page.keyboard.press("Control+Shift+O")
            chat.ready("new")
        chat.composer.fill("A draft\nof two lines")
        heading = chat.element("empty-state").get_by_role("heading")
        expect(heading).to_be_in_viewport(ratio=1)
        assert chat.page.evaluate("scrollY") == 0

    provider.say("Yes.")
    chat.composer.press("Enter")
    chat.shows("Yes.")
    assert chat.scroll_place().to_bottom <= 2


def test_a_reader_above_stays_there_and_has_a_way_down(chat: ChatPage, provider: ScriptedProvider) -> None:
    script = held_after(provider, 30, chunks=PARAGRAPHS)
    chat.say("Something long")
    chat.shows("".join(PARAGRAPHS[:30]))
    expect(chat.element("to-newest")).to_have_count(0)
    chat.scroll_up(900)
    place = chat.scroll_place()
    script.release()
    chat.shows("".join(PARAGRAPHS))
    assert abs(chat.scroll_place().top - place.top) <= 2

    chat.element("to-newest").click()
    assert chat.scroll_place().to_bottom <= 2
    expect(chat.element("to-newest")).to_have_count(0)


def test_the_caret_stands_where_it_stood(chat: ChatPage) -> None:
    chat.composer.fill("A half-written question")
    chat.composer.evaluate("box => box.setSelectionRange(2, 6)")
    chat.reload()
    assert chat.composer.evaluate(CARET) == [True, 2, 6]
    chat.page.keyboard.type("the ")
    expect(chat.composer).to_have_value("A the -written question")


def test_the_keyboard_writes_on_after_a_button_that_went_away(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    expect(chat.composer).to_be_focused()
    held_after(provider, 20)
    chat.composer.fill("Count for me")
    chat.element("send").click()
    expect(chat.element("stop")).to_be_enabled()
    expect(chat.composer).to_be_focused()
    chat.stop()
    chat.ended("stopped")
    expect(chat.composer).to_be_focused()
    provider.say("Again.")
    chat.element("retry").click()
    chat.ended("complete")
    expect(chat.composer).to_be_focused()


def test_a_title_and_an_end_reach_every_tab(chat: ChatPage, provider: ScriptedProvider, tab: Tab) -> None:
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    other = tab().open()
    expect(other.element("session-item")).to_have_text("Hello?")
    other.page.locator(".session-row").hover()
    other.element("rename").click()
    other.element("session-title").fill("Greetings")
    other.page.keyboard.press("Enter")
    chat.in_front()
    expect(chat.element("session-item")).to_have_text("Greetings")

    chat.page.locator(".session-row").hover()
    chat.element("delete").click()
    chat.ready("new")
    expect(chat.element("empty-state")).to_be_visible()
    expect(chat.element("notice")).to_have_count(0)
    other.in_front()
    expect(other.element("session-item")).to_have_count(0)
    chat.in_front()
    chat.element("undo-delete").click()
    expect(chat.element("session-item")).to_have_text("Greetings")
    chat.element("session-item").click()
    chat.shows("Hello.")


def test_the_keyboard_stays_in_the_list_that_it_works_in(chat: ChatPage, provider: ScriptedProvider) -> None:
    """After a rename on the same session, after a deletion on the one beside it."""
    for text in ("One", "Two", "Three"):
        provider.say("Hello.")
        chat.element("new-session").click()
        chat.ready("new")
        chat.say(text)
        chat.ended("complete")
    items = chat.element("session-item")
    expect(items).to_have_text(["Three", "Two", "One"])

    chat.element("rename").nth(1).focus()
    chat.page.keyboard.press("Enter")
    chat.page.keyboard.insert_text("Zwei")
    chat.page.keyboard.press("Enter")
    expect(items).to_have_text(["Three", "Zwei", "One"])
    expect(items.nth(1)).to_be_focused()

    chat.page.keyboard.press("Tab")
    expect(chat.element("rename").nth(1)).to_be_focused()
    chat.page.keyboard.press("Tab")
    expect(chat.element("archive").nth(1)).to_be_focused()
    chat.page.keyboard.press("Tab")
    chat.page.keyboard.press("Enter")
    expect(items).to_have_text(["Three", "One"])
    expect(items.nth(1)).to_be_focused()
    for _ in range(3):
        chat.page.keyboard.press("Tab")
    chat.page.keyboard.press("Enter")
    expect(items).to_have_text(["Three"])
    expect(items).to_be_focused()


def test_what_is_pressed_without_a_link_never_happens(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    sid = chat.named()
    chat.page.context.set_offline(True)
    expect(chat.element("connection")).to_contain_text("offline")
    chat.element("new-session").click()
    chat.composer.fill("What I write meanwhile")
    chat.page.context.set_offline(False)
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")
    chat.shows("Hello.")
    assert chat.sid == sid
    expect(chat.composer).to_have_value("What I write meanwhile")


def test_a_message_that_is_too_long_stays_in_the_composer(chat: ChatPage) -> None:
    text = "x" * 200_001
    chat.composer.fill(text)
    chat.composer.press("Enter")
    expect(chat.element("composer-hint")).to_contain_text("at most 200,000 characters")
    expect(chat.composer).to_have_value(text)
    assert chat.wishes == []


def test_a_phone_reaches_every_session(
    browser: Browser, app: AppUnderTest, provider: ScriptedProvider
) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    try:
        chat = ChatPage(context.new_page(), app.url).open()
        provider.say("Hello.")
        chat.say("Hello?")
        chat.ended("complete")
        chat.element("new-session").tap()
        chat.ready("new")
        expect(chat.element("session-item")).to_be_hidden()
        chat.element("sessions").tap()
        chat.element("session-item").tap()
        chat.shows("Hello.")
        expect(chat.element("session-item")).to_be_hidden()
        assert chat.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    finally:
        context.close()


def test_an_address_of_nothing_says_so_and_leads_home(app: AppUnderTest, tab: Tab) -> None:
    chat = tab()
    chat.page.goto(f"{app.url}/no/such/page")
    expect(chat.page.get_by_role("heading")).to_have_text("There is nothing here.")
    chat.page.get_by_role("link").click()
    chat.ready("new")
