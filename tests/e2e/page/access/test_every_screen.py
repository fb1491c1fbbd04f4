"""No screen keeps anything from anybody: axe finds no violation on any of them, in no theme and no size."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e.page.access.actions import ALL
from tests.e2e.page.access.looking import PHONE, Looker
from tests.e2e.page.refresh.cards import MAIL, TEXT, asks, card
from tests.e2e.page.refresh.conftest import WINDOW
from tests.e2e.page.share.reading import SharedPage
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until
from tests.support.smtp_server import SmtpServer

RICH = (
    "# A title\n\nText with `code`, **strong**, a [link](https://a.example) and $x^2$.\n\n"
    "```python\ndef answer(n: int) -> int:\n    return n * 42  # why\n```\n\n"
    "| what | how much |\n| --- | --- |\n| tea | 2 |\n\n"
    "$$\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n$$\n\n"
    "- [x] done\n- [ ] open\n\n1. one\n2. two\n\n> quoted\n\n### Deeper\n\n---\n\nThe end."
)

LAST = ".message:last-of-type"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_no_screen_has_a_violation(
    chat: ChatPage,
    provider: ScriptedProvider,
    mail_server: SmtpServer,
    app: AppUnderTest,
    strangers: BrowserContext,
) -> None:
    look = Looker()
    page = chat.page
    look.at(page, "empty")
    page.goto(f"{chat.url}/there/is/nothing")
    expect(page.get_by_role("heading")).to_be_visible()
    look.at(page, "not found")
    chat.open()

    provider.script().reason("Let me **think** about `it`.").say(RICH)
    chat.say("Everything, please")
    chat.ended("complete")
    expect(page.locator("math")).to_have_count(2)
    chat.element("reasoning").locator("summary").click()
    look.at(page, "a thread of every kind of text")
    chat.element("share").click()
    look.at(page, "share sheet, not shared", ".share")
    chat.element("make-link").click()
    expect(chat.element("share-link")).to_be_visible()
    look.at(page, "share sheet, shared", ".share")
    shared = chat.element("share-link").input_value()
    page.keyboard.press("Escape")
    chat.element("model").click()
    look.at(page, "settings", ".foot")
    chat.element("settings-close").click()

    asks(chat, provider, before="")
    look.at(page, "a card that asks", LAST)
    chat.element("deny-why").click()
    look.at(page, "a card with a reason", LAST)
    provider.say("Not sent.")
    chat.element("deny").click()
    chat.shows("Not sent.")
    look.at(page, "a card that was denied", LAST)
    provider.script().call("send_mail", MAIL)
    mail_server.hangs_up_after = "mail"
    chat.say("Invite her again")
    expect(chat.element("approve")).to_be_enabled()
    chat.element("approve").click()
    expect(chat.element("run-again")).to_be_enabled()
    look.at(page, "a card in doubt", LAST)
    mail_server.hangs_up_after = ""
    provider.say("It is away.")
    chat.element("mark-done").click()
    chat.shows("It is away.")
    provider.script().call("list_notes", {})
    provider.say("Those are your notes.")
    chat.say("My notes?")
    chat.shows("Those are your notes.")
    card(chat).locator("summary").click()
    look.at(page, "a call that is done, opened", LAST)
    provider.script().call("no_such_tool", {"x": TEXT})
    provider.say("It failed.")
    chat.say("Do the impossible")
    chat.shows("It failed.")
    look.at(page, "a call that failed", LAST)

    script = provider.script().hang_before_first()
    chat.say("Slow one")
    script.held_sync()
    look.at(page, "an answer that waits", "main")
    chat.say("Queued behind it")
    expect(chat.outbox).to_have_attribute("data-state", "queued")
    look.at(page, "a queue", ".cp-outbox")
    chat.element("outbox-edit").click()
    look.at(page, "editing what is queued", "main")
    page.keyboard.press("Escape")
    chat.stop()
    chat.ended("stopped")
    look.at(page, "a stopped answer, and a queue that waits for a word", ".cp-outbox")
    chat.element("outbox-discard").click()
    expect(chat.outbox).to_have_count(0)
    provider.fail(400, {"error": {"message": "No such model."}})
    chat.say("Fail")
    chat.ended("error")
    look.at(page, "a failed answer", LAST)
    chat.element("edit").last.click()
    look.at(page, "editing a message", ".foot")
    page.keyboard.press("Escape")
    chat.element("simulate-refresh").click()
    expect(chat.element("differences")).to_be_visible()
    look.at(page, "debug panel", ".debug-panel")

    chat.element("search").fill("title")
    expect(chat.element("search-result").first).to_be_visible()
    look.at(page, "search with hits", ".sidebar")
    chat.element("search").fill("no such thing")
    expect(chat.element("search-told")).to_have_text("Nothing found.")
    look.at(page, "search without hits", ".sidebar")
    chat.element("search").fill("")
    chat.element("rename").first.click()
    look.at(page, "renaming", ".sidebar", still=True)
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE)
    chat.element("sessions").click()
    look.at(page, "the list as a sheet")
    page.keyboard.press("Escape")
    chat.element("forget").click()
    look.at(page, "forget", ".sidebar")
    chat.element("forget-keep").click()
    page.route("**/api/sessions/import", lambda route: None)
    chat.element("import-file").set_input_files({"name": "one.json", "mimeType": "", "buffer": b"{}"})
    expect(chat.element("import-percent")).to_be_visible()
    look.at(page, "an import under way", ".sidebar-foot")
    chat.element("import-close").click()
    expect(chat.element("import-state")).to_have_attribute("data-fate", "cancelled")
    look.at(page, "an import that was cancelled", ".sidebar-foot")
    chat.element("import-close").click()
    chat.element("devices").click()
    expect(chat.element("device-code")).to_be_visible()
    link = chat.element("device-link").input_value()
    look.at(page, "devices", "dialog")
    chat.element("device-close").click()

    provider.say("Half ").hold()
    chat.say("Go on")
    chat.shows("Half ")
    chat.kept()
    app.kill()
    expect(chat.element("connection")).to_be_visible()
    look.at(page, "the link is lost", ".foot")
    app.start()
    chat.ended("interrupted")
    look.at(page, "an interrupted answer", LAST)

    reader = SharedPage(strangers.new_page(), app.url).at(shared.rpartition("/")[2])
    look.at(reader.page, "a shared session")
    reader.page.goto(link)
    expect(reader.element("link-form")).to_have_attribute("data-state", "ready")
    look.at(reader.page, "linking a device")
    reader.page.goto(f"{app.url}/link")
    expect(reader.element("link-form")).to_be_visible()
    look.at(reader.page, "linking without a code")
    reader.page.goto(f"{app.url}/shared/none")
    expect(reader.element("shared-gone")).to_be_visible()
    look.at(reader.page, "a link that does not work")
    reader.page.goto(f"{app.url}/forgotten.html")
    look.at(reader.page, "forgotten")

    chat.element("delete").first.click()
    expect(chat.element("undo-delete")).to_be_visible()
    look.at(page, "a deletion that can be taken back", ".sidebar")
    chat.element("toggle-archive").click()
    expect(chat.element("archive-head")).to_be_visible()
    look.at(page, "archive", ".sidebar")
    assert look.found == []
    assert {name: screen for name, screen in look.controls.items() if name not in ALL} == {}


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_no_screen_in_chinese_has_a_violation(
    app: AppUnderTest, browser: Browser, provider: ScriptedProvider
) -> None:
    look = Looker()
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", locale="zh-CN")
    chat = ChatPage(context.new_page(), app.url).open()
    page = chat.page
    look.at(page, "empty")
    provider.script().reason("想一想。").say("我来写信。").call("send_mail", MAIL)
    chat.say("请 Ada 吃午饭")
    expect(chat.element("approve")).to_be_enabled()
    chat.element("reasoning").locator("summary").click()
    look.at(page, "a card that asks")
    for button, sheet in (("share", "share-sheet"), ("model", "settings"), ("devices", "device-sheet")):
        chat.element(button).click()
        expect(chat.element(sheet)).to_be_visible()
        look.at(page, sheet, f"[data-testid={sheet}]")
        page.keyboard.press("Escape")
        expect(chat.element(sheet)).to_have_count(0)
    for path, there in (("/link", "link-form"), ("/shared/none", "shared-gone"), ("/nowhere", "not-found")):
        page.goto(app.url + path)
        expect(chat.element(there)).to_be_visible()
        until(page, "!document.documentElement.hasAttribute('data-wording')")
        look.at(page, path)
    context.close()
    assert look.found == []
    assert {name: screen for name, screen in look.controls.items() if name not in ALL} == {}
