"""A browser that keeps nothing more: what is typed is sent, answered and restored all the same."""

from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.llm_server import ScriptedProvider

FULL = """() => {
  Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
}"""


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
