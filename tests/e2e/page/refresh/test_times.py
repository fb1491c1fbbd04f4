"""The time of a message is the stored one, whoever reads it, when, and where."""

from playwright.sync_api import Browser, expect

from tests.e2e.page.refresh.conftest import WINDOW
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

_TIMES = "all => all.map((time) => [time.dateTime, time.title])"
_DAY_MS = 86_400_000


def test_the_next_day_and_in_another_zone_it_is_the_same_instant_in_the_same_order(
    browser: Browser, chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B149: written now in London, read tomorrow in Tokyo."""
    for number in range(3):
        provider.say(f"Answer {number}")
        chat.say(f"Question {number}")
        chat.shows(f"Answer {number}")
    written = chat.element("message-time").evaluate_all(_TIMES)
    assert [at for at, _ in written] == [message.created_at for message in chat.messages()]
    assert chat.element("message-time").all_text_contents() == ["just now"] * 6

    context = browser.new_context(viewport=WINDOW, timezone_id="Asia/Tokyo", locale="en-GB")
    context.add_cookies(
        [
            {"name": each["name"], "value": each["value"], "url": chat.url}
            for each in chat.page.context.cookies()
        ]
    )
    page = context.new_page()
    page.clock.install(time=(chat.page.evaluate("Date.now()") + _DAY_MS) / 1000)
    read = ChatPage(page, chat.url).open(chat.named())
    times = read.element("message-time").evaluate_all(_TIMES)

    assert [at for at, _ in times] == [at for at, _ in written]
    assert all("GMT+9" in exact for _, exact in times)
    assert set(read.element("message-time").all_text_contents()) == {"yesterday"}
    # By the keyboard it is the exact one, and can be copied.
    first = read.element("message-time").first
    first.focus()
    expect(first).to_have_text(times[0][1])
    copied = first.evaluate(
        """time => {
          const clipboardData = new DataTransfer();
          time.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
          return clipboardData.getData("text/plain");
        }"""
    )
    assert copied == times[0][1]
    context.close()


def test_time_passes_on_the_page_and_draws_no_message_anew(
    far_chat: ChatPage, provider: ScriptedProvider
) -> None:
    provider.say("Yes.")
    far_chat.say("Hello?")
    far_chat.shows("Yes.")
    far_chat.ended("complete")
    far_chat.idle()
    expect(far_chat.outbox).to_have_count(0)
    page = far_chat.page
    page.evaluate(
        """() => {
          window.changed = [];
          new MutationObserver((changes) => window.changed.push(...changes.map(({ target }) =>
            target.parentElement?.closest("time") ? "time" : target.nodeName)))
            .observe(document.querySelector(".thread"), {
              subtree: true, childList: true, characterData: true, attributes: true,
            });
        }"""
    )
    far_chat.passes(75)
    expect(far_chat.element("message-time").last).to_have_text("1 minute ago")
    assert set(page.evaluate("window.changed")) == {"time"}
