"""A draft on several devices: it appears where nobody is typing, and is gone everywhere once it was sent."""

from playwright.sync_api import expect

from tests.e2e.page.devices.conftest import Device
from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

ROUNDS = 100
_WRITE = """([first, rounds]) => {
  const box = document.querySelector('[data-testid="composer"]');
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  for (let round = first; round <= rounds; round += 1) {
    set.call(box, `${location.search} ${round}`);
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""


def both(chat: ChatPage, second_device: Device, provider: ScriptedProvider, text: str = "One.") -> ChatPage:
    """The same session on two devices, with an answer that has ended."""
    provider.say(text)
    chat.say("Hello?")
    chat.shows(text)
    chat.ended("complete")
    other = second_device(chat).open(chat.named())
    other.shows(text)
    return other


def test_a_draft_appears_on_the_other_device(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider
) -> None:
    other = both(chat, second_device, provider)
    chat.composer.press_sequentially("Half a th")
    expect(other.composer).to_have_value("Half a th")
    other.in_front()
    other.composer.press_sequentially("ought")
    expect(chat.composer).to_have_value("Half a thought", timeout=20_000)
    chat.no_failure()


def test_nothing_is_overwritten_while_it_is_being_typed(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider
) -> None:
    """Both type at once: neither sees its own text taken away."""
    other = both(chat, second_device, provider)
    typed = ""
    for letter in "mine":
        typed += letter
        chat.composer.press_sequentially(letter)
        other.composer.press_sequentially(letter.upper())
        expect(chat.composer).to_have_value(typed)
        expect(other.composer).to_have_value(typed.upper())


def test_what_was_sent_is_cleared_everywhere_also_where_it_was_typed_just_now(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider
) -> None:
    other = both(chat, second_device, provider)
    chat.composer.press_sequentially("Go on")
    expect(other.composer).to_have_value("Go on")
    provider.say("Two.")
    other.composer.press("Enter")
    for page in (other, chat):
        page.in_front()
        page.shows("Two.")
        expect(page.composer).to_have_value("")
        page.reload()
        expect(page.composer).to_have_value("")
    assert len(provider.calls) == 2


def test_a_device_that_was_away_does_not_bring_back_what_was_sent(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider
) -> None:
    """Case B159."""
    other = both(chat, second_device, provider)
    chat.composer.press_sequentially("Go on")
    expect(other.composer).to_have_value("Go on")
    sid = other.sid
    other.page.goto("about:blank")
    provider.say("Two.")
    chat.composer.press("Enter")
    chat.shows("Two.")
    other.open(sid)
    other.shows("Two.")
    expect(other.composer).to_have_value("")
    expect(chat.composer).to_have_value("")


def test_two_tabs_write_drafts_for_different_conversations_and_none_is_lost(
    tab: Tab, provider: ScriptedProvider
) -> None:
    """Case B118: each under a name of its own, a hundred times at once."""
    tabs = [tab().open(), tab().open()]
    for number, page in enumerate(tabs):
        page.in_front()
        if page.sid:
            page.element("new-session").click()
            page.ready("new")
        provider.say(f"Answer {number}.")
        page.say("Hello?")
        page.shows(f"Answer {number}.")
        page.named()
    for first in range(1, ROUNDS, 10):
        for page in tabs:
            page.page.evaluate(_WRITE, [first, first + 9])
        for page in tabs:
            expect(page.composer).to_have_value(f"?sid={page.sid} {first + 9}")
    assert tabs[0].sid != tabs[1].sid
    for page in tabs:
        kept = page.page.evaluate("sid => JSON.parse(localStorage.getItem('draft:' + sid))", page.sid)
        assert kept == {"text": f"?sid={page.sid} {ROUNDS}", "version": ROUNDS}
        page.in_front()
        page.reload()
        expect(page.composer).to_have_value(f"?sid={page.sid} {ROUNDS}")
