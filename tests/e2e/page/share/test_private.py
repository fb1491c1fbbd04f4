"""What stays private: arguments unless they are allowed, what a reader has, and the address itself."""

from playwright.sync_api import BrowserContext, Response, expect

from tests.e2e.page.refresh.cards import AFTER, BEFORE, MAIL, asks
from tests.e2e.page.share.conftest import Reader
from tests.e2e.page.share.reading import GONE_WITHIN_MS, SharedPage, shared_by, unshared_by
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer

PRIVATE = (MAIL["to"], MAIL["subject"], "Dear Ada", "not on Thursdays")

LINKED = "See [elsewhere](http://127.0.0.1:1/)."


def everywhere(page: SharedPage, token: str) -> str:
    """All that a reader's browser was ever told, and what it asks for over HTTP."""
    told = page.page.request.get(f"{page.url}/api/shared/{token}").text()
    return told + page.everything() + "".join(page.heard)


def test_private_arguments_are_nowhere_a_reader_can_look(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, reader: Reader
) -> None:
    asks(chat, provider)
    token = shared_by(chat)
    page = reader(token)
    call = page.element("tool-call")
    expect(call).to_contain_text("Send a mail")
    expect(call).to_contain_text("Waits for its owner")

    provider.say(AFTER)
    chat.element("deny-why").click()
    chat.element("deny-reason").fill("not on Thursdays")
    chat.element("deny").click()
    page.shows(BEFORE + AFTER)
    expect(call).to_have_attribute("data-state", "failed")
    page.reload()
    page.shows(BEFORE + AFTER)
    expect(call).to_contain_text("Failed")
    for text in PRIVATE:
        assert text not in everywhere(page, token)
        assert text in chat.page.content() + chat.page.request.get(
            f"{chat.url}/api/sessions/{chat.sid}"
        ).text() + str(chat.heard)


def test_the_owner_allows_arguments_and_takes_that_back_on_an_open_page(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, reader: Reader
) -> None:
    asks(chat, provider)
    token = shared_by(chat)
    page = reader(token)
    call = page.element("tool-call")
    expect(call).to_contain_text("Send a mail")
    assert shared_by(chat, with_arguments=True) == token
    expect(call).to_contain_text(f"Send a mail to {MAIL['to']}: {MAIL['subject']}")
    call.get_by_role("group").or_(call.locator("summary")).first.click()
    expect(call).to_contain_text("Dear Ada", use_inner_text=True)

    assert shared_by(chat) == token
    expect(call).not_to_contain_text(MAIL["to"], timeout=GONE_WITHIN_MS)
    page.shows(BEFORE)
    left = page.everything()
    for text in PRIVATE:
        assert text not in left
    chat.stop()
    chat.idle()


def test_a_shared_page_is_indexed_by_nobody_and_names_itself_to_nobody(
    app: AppUnderTest, chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    provider.say(LINKED)
    chat.say("Where?")
    chat.ended("complete")
    token = shared_by(chat)
    page = reader(token)
    answers: list[Response] = []
    page.page.on("response", lambda answer: answers.append(answer))
    referrers: list[str] = []
    page.page.on("request", lambda request: referrers.append(request.headers.get("referer", "")))
    page.reload()
    page.holds(LINKED)
    expect(page.answers).to_have_text("See elsewhere.")

    document = next(answer for answer in answers if "/shared/" in answer.url)
    assert document.status == 200
    assert document.headers["x-robots-tag"] == "noindex, nofollow"
    assert document.headers["referrer-policy"] == "no-referrer"
    assert document.headers["cache-control"] == "private, no-store"
    assert "set-cookie" not in document.headers
    robots = page.page.locator("meta[name=robots]")
    expect(robots).to_have_attribute("content", "noindex, nofollow")
    assert referrers
    assert token not in "".join(referrers)
    expect(page.answers.locator("a")).to_have_attribute("rel", "noopener noreferrer nofollow")


def test_what_a_reader_has_of_their_own_is_not_touched(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader, strangers: BrowserContext
) -> None:
    provider.say("Theirs.")
    chat.say("Shared question")
    chat.ended("complete")
    token = shared_by(chat)
    provider.say("Mine.")
    mine = ChatPage(strangers.new_page(), chat.url).open()
    mine.say("My own question")
    mine.shows("Mine.")
    mine.ended("complete")
    mine.composer.fill("My own draft")
    sid = mine.named()
    kept = strangers.cookies()
    draft = "() => JSON.parse(localStorage.getItem(`draft:${localStorage.getItem('recent-session')}`))?.text"
    assert mine.page.evaluate(draft) == "My own draft"

    page = SharedPage(mine.page, chat.url).at(token)
    page.shows("Theirs.")
    page.reload()
    page.shows("Theirs.")
    assert page.sid == ""
    assert page.page.evaluate("localStorage.getItem('recent-session')") == sid
    assert page.page.evaluate(draft) == "My own draft"
    assert strangers.cookies() == kept
    unshared_by(chat)
    page.is_gone("Theirs.", "Shared question")

    mine.open()
    mine.shows("Mine.")
    assert mine.sid == sid
    expect(mine.composer).to_have_value("My own draft")
    expect(mine.element("session-item")).to_have_count(1)
