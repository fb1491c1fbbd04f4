"""A browser that keeps nothing more: what is typed is sent, answered and restored all the same."""

from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.llm_server import ScriptedProvider

FULL = """() => {
  Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
}"""

FULL_FROM_THE_START = """(() => {
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function (name, value) {
    if (name !== "documents") throw new DOMException("full", "QuotaExceededError");
    setItem.call(this, name, value); // the tests' own count
  };
  window.hints = [];
  const look = () => {
    const hint = document.querySelector('[data-testid="composer-hint"]')?.textContent ?? "";
    if (hint !== (window.hints.at(-1) ?? "")) window.hints.push(hint);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
})();"""
NOT_SAVED = "Drafts are not saved: no room in this browser."


def test_a_full_browser_sends_streams_and_reloads(provider: ScriptedProvider, tab: Tab) -> None:
    """Case B172: a notice says that drafts are not saved, once."""
    script = held_after(provider, 20)
    chat = tab().open()
    chat.page.evaluate(FULL)
    chat.composer.press_sequentially("Count")
    expect(chat.element("composer-hint")).to_contain_text("Drafts are not saved")
    chat.composer.press("Enter")
    chat.shows(so_far(20))
    expect(chat.outbox).to_have_count(0)
    chat.reload()
    chat.shows(so_far(20))
    chat.page.evaluate(FULL)
    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    provider.say("Two.")
    chat.say("And again")
    chat.shows("Two.")
    chat.no_failure()
    assert (len(chat.messages()), len(provider.calls)) == (4, 2)


def test_a_browser_that_keeps_nothing_at_all_restores_what_the_server_has(
    provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B172: nothing can be written, from before the first document's first script on."""
    script = held_after(provider, 20)
    chat = tab()
    chat.page.add_init_script(FULL_FROM_THE_START)
    chat.open()
    chat.say("Count")
    chat.shows(so_far(20))
    expect(chat.outbox).to_have_count(0)
    before = chat.messages()
    chat.named()
    for _ in range(2):
        chat.reload()
        chat.shows(so_far(20))
        chat.busy()
        assert chat.messages() == before
    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    chat.reload()
    chat.shows(WHOLE)
    chat.idle()
    provider.say("Two.")
    chat.say("And again")
    chat.shows("Two.")
    chat.ended("complete")
    chat.no_failure()
    assert (len(chat.messages()), len(provider.calls)) == (4, 2)


def test_a_browser_that_keeps_nothing_says_so_once(provider: ScriptedProvider, tab: Tab) -> None:
    """Case B172: a document says it when the first draft is not kept, and not with every key after it."""
    chat = tab()
    chat.page.clock.install()
    chat.page.add_init_script(FULL_FROM_THE_START)
    chat.open()
    provider.say("One.")
    chat.say("Hello?")
    chat.shows("One.")
    chat.named()
    chat.reload()
    assert NOT_SAVED not in chat.page.evaluate("window.hints")
    chat.composer.press_sequentially("Half")
    expect(chat.element("composer-hint")).to_have_text(NOT_SAVED)
    chat.passes(9)
    expect(chat.element("composer-hint")).to_have_text("")
    chat.composer.press_sequentially(" a thought")
    expect(chat.composer).to_have_value("Half a thought")
    assert chat.page.evaluate("window.hints").count(NOT_SAVED) == 1
