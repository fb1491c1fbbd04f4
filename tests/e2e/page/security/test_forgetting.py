"""Forget this browser: asked once more, all that is local goes in every tab, and the next load is new."""

from playwright.sync_api import expect

from tests.e2e.page.security.conftest import Watched
from tests.support.chat_page import WITHIN_MS, ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

_KEPT = """async () => [
  localStorage.length, sessionStorage.length,
  (await indexedDB.databases()).length, (await caches.keys()).length]"""
_KEEP_MORE = """async () => {
  await (await caches.open("old")).put("/x", new Response("x"));
  await new Promise((done) => {
    indexedDB.open("old").onsuccess = ({ target }) => done(target.result.close());
  });
}"""


def owner_of(watched: Watched) -> str:
    return watched.context.request.get(f"{watched.url}/api/owner").json()["id"]


def forget(chat: ChatPage) -> None:
    chat.element("forget").click()
    expect(chat.element("forget-asked")).to_contain_text("cannot be reached again")
    chat.element("forget-now").click()
    chat.page.wait_for_url("**/forgotten.html")


def test_everything_local_goes_in_every_tab_and_the_server_goes_on(
    strict: Watched, provider: ScriptedProvider
) -> None:
    chat, other = strict.tab().open(), strict.tab().open()
    other.composer.fill("a draft that nobody sent")
    script = provider.script().say("Once ").hold()
    script.say("upon a time.")
    chat.in_front()
    chat.say("A story")
    session = chat.named()
    chat.page.evaluate(_KEEP_MORE)
    cookie = strict.context.cookies()[0]

    forget(chat)

    other.page.wait_for_url("**/forgotten.html")
    for tab in (chat, other):
        eventually_sync(lambda tab=tab: tab.page.evaluate(_KEPT) == [0, 0, 0, 0])
    assert strict.context.cookies() == []
    script.release()
    held = {"cookie": f"{cookie['name']}={cookie['value']}"}
    address = f"{strict.url}/api/sessions/{session}"

    def ended() -> bool:
        asked = strict.context.request.get(address, headers=held).json()
        return asked["messages"][-1]["text"] == "Once upon a time."

    eventually_sync(ended)
    strict.is_clean()


def test_the_next_load_is_somebody_new(strict: Watched, provider: ScriptedProvider) -> None:
    chat = strict.tab().open()
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    session, before = chat.named(), owner_of(strict)

    forget(chat)
    chat.page.get_by_role("link", name="Start anew").click()
    chat.ready()

    assert owner_of(strict) != before
    assert chat.sid == ""
    expect(chat.element("session-item")).to_have_count(0)
    chat.open(session)
    expect(chat.element("notice")).to_contain_text("does not exist, or it is not yours")


def test_the_way_back_shows_nothing_of_it(strict: Watched, provider: ScriptedProvider) -> None:
    chat = strict.tab().open()
    provider.say("A secret.")
    chat.say("Tell me")
    chat.ended("complete")
    session = chat.named()
    chat.page.goto(f"{strict.url}/api/docs")
    chat.open(session)

    forget(chat)
    for _ in range(chat.page.evaluate("history.length")):
        chat.page.go_back()
        if "?sid=" in chat.page.url:
            break
    assert chat.sid == session
    # A document out of the browser's cache brings no cookie: the page says that it is not known.
    settled = 'html[data-ready], [data-testid="connection"][data-state="unknown"]'
    expect(chat.page.locator(settled).first).to_be_attached(timeout=WITHIN_MS)

    expect(chat.element("message")).to_have_count(0)
    expect(chat.element("session-item")).to_have_count(0)


def test_nobody_forgets_by_a_single_click(strict: Watched, provider: ScriptedProvider) -> None:
    chat = strict.tab().open()
    before = owner_of(strict)

    chat.element("forget").click()
    chat.element("forget-asked").press("Escape")
    expect(chat.element("forget")).to_be_focused()
    chat.element("forget").click()
    chat.element("forget-keep").click()

    expect(chat.element("forget-asked")).to_have_count(0)
    assert owner_of(strict) == before
    assert strict.dialogs == []


def test_while_the_server_is_away_nothing_is_forgotten(strict: Watched, provider: ScriptedProvider) -> None:
    chat = strict.tab().open()
    chat.composer.fill("a draft")
    before = owner_of(strict)
    strict.context.route("**/api/owner", lambda route: route.abort())

    chat.element("forget").click()
    chat.element("forget-now").click()

    expect(chat.element("forget-asked")).to_contain_text("nothing was forgotten")
    expect(chat.composer).to_have_value("a draft")
    strict.context.unroute_all()
    assert owner_of(strict) == before


def test_a_tab_that_stood_elsewhere_shows_nothing_of_it_when_it_comes_back(
    strict: Watched, provider: ScriptedProvider
) -> None:
    chat = strict.tab().open()
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    other = strict.tab().open(chat.named())
    other.shows("Hello.")
    other.page.goto("about:blank")
    chat.in_front()
    forget(chat)

    other.in_front()
    other.page.go_back(wait_until="commit")

    expect(other.composer).to_be_visible()
    expect(other.element("message")).to_have_count(0)
    expect(other.element("session-item")).to_have_count(0)
