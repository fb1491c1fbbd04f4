"""The page in English and in Chinese: every word, from the first frame, and at once when it is switched."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.page.refresh.conftest import WINDOW, Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until
from tests.support.page_words import latin, said

Chinese = Callable[[], ChatPage]

MAIL = {"to": "ada@example.org", "subject": "午餐", "text": "亲爱的 Ada：\n\n星期四一起吃饭吗？"}

_EACH_FRAME = """(() => {
  const english = /New session|Write a message|Settings|There is nothing|Use this device/;
  const look = () => {
    const seen = document.body && getComputedStyle(document.body).opacity !== "0" && document.body.innerText;
    const placeholder = seen && document.querySelector("textarea")?.placeholder;
    if (english.test(`${seen || ""} ${placeholder || ""}`)) window.sawEnglish = `${seen} ${placeholder}`;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


@pytest.fixture
def chinese(app: AppUnderTest, browser: Browser) -> Iterator[Chinese]:
    """Opens tabs of a browser whose owner reads Chinese; an error in the page's own code fails the test."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", locale="zh-CN")
    context.add_init_script(_EACH_FRAME)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield lambda: ChatPage(context.new_page(), app.url)
    context.close()
    assert errors == []


def is_chinese(page: Page, *names: str) -> None:
    """Now, and in every frame of this document."""
    assert latin(page, *names) == []
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert page.evaluate("window.sawEnglish ?? null") is None


def test_whoever_reads_chinese_reads_no_other_word_on_any_screen(
    chinese: Chinese, provider: ScriptedProvider
) -> None:
    chat = chinese().open()
    page = chat.page
    expect(chat.element("empty-state")).to_be_visible()
    is_chinese(page)

    # A card that asks, then what was decided, its details, and an answer that failed.
    provider.script().reason("想一想。").say("我来写信。").call("send_mail", MAIL)
    chat.say("请 Ada 吃午饭")
    expect(chat.element("approve")).to_be_enabled()
    chat.element("deny-why").click()
    is_chinese(page, "Ada")
    chat.reload()
    is_chinese(page, "Ada")
    provider.say("好的，没有发。\n\n| 一 | 二 |\n|-|-|\n| 三 | 四 |\n\n- [x] 五\n\n```python\nx = 1\n```\n")
    chat.element("deny").click()
    chat.ended("complete")
    chat.element("tool-call").locator("summary").click()
    is_chinese(page, "Ada")
    provider.fail(400, {"error": {"message": "太长了"}})
    chat.say("再来")
    chat.ended("error")
    chat.element("error").locator("xpath=..").locator("summary").click()
    expect(chat.element("error")).to_contain_text("“太长了”")
    is_chinese(page, "Ada")

    # Sheets, search, the archive, what was deleted, and a message that waits.
    for button, sheet in (("share", "share-sheet"), ("model", "settings"), ("devices", "device-sheet")):
        chat.element(button).click()
        expect(chat.element(sheet)).to_be_visible()
        if sheet == "share-sheet":
            chat.element("make-link").click()
            link = chat.element("share-link").input_value()
        if sheet == "device-sheet":
            expect(chat.element("device-code")).to_be_visible()
        is_chinese(page, "Ada")
        page.keyboard.press("Escape")
        expect(chat.element(sheet)).to_have_count(0)
    chat.element("forget").click()
    is_chinese(page, "Ada")
    page.keyboard.press("Escape")
    chat.element("search").fill("午饭")
    expect(chat.element("search-result").first).to_be_visible()
    is_chinese(page, "Ada")
    chat.element("search").fill("")
    held = provider.script().say("慢。").hold()
    chat.say("三")
    chat.busy()
    chat.say("四")
    expect(chat.outbox).to_have_attribute("data-state", "queued")
    is_chinese(page, "Ada")
    chat.stop()
    chat.ended("stopped")
    held.release()
    expect(chat.element("queue-paused")).to_be_visible()
    is_chinese(page, "Ada")
    # What is there for others, and what is not there.
    elsewhere = {"/link": "link-form", "/shared/nobody": "shared-gone", "/nowhere": "not-found"}
    for address, there in {
        link: "shared",
        **{chat.url + path: name for path, name in elsewhere.items()},
    }.items():
        page.goto(address)
        expect(page.get_by_test_id(there)).to_be_visible()
        until(page, "!document.documentElement.hasAttribute('data-wording')")
        is_chinese(page, "Ada")
    chat.open()
    page.locator(".session-row").first.hover()
    chat.element("delete").first.click()
    expect(chat.element("undo-delete")).to_be_visible()
    is_chinese(page, "Ada")
    chat.element("toggle-archive").click()
    expect(chat.element("archive-head")).to_be_visible()
    is_chinese(page, "Ada")
    page.goto(f"{chat.url}/forgotten.html")
    expect(page.locator("h1")).to_have_text("此浏览器已被忘记。")
    is_chinese(page)


def test_a_switch_is_seen_at_once_in_every_tab_and_from_the_first_frame_after_a_reload(
    tab: Tab, chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Every word that a switch draws anew is the one that a reload draws: none was forgotten."""
    provider.script().say("| a |\n|-|\n| b |\n\n- [ ] c\n\n```\nd\n```\n").call("send_mail", MAIL)
    chat.say("Hello?")
    expect(chat.element("approve")).to_be_enabled()
    other = tab().open(chat.named())
    chat.in_front()
    chat.composer.fill("a draft")
    for button in ("model", "share"):
        chat.element(button).click()
    chat.element("forget").click()
    english = said(chat.page)

    chat.element("language").focus()
    chat.page.keyboard.press("Enter")

    expect(chat.element("language")).to_be_focused()
    expect(chat.composer).to_have_value("a draft")
    expect(chat.element("language")).to_have_text("English")
    at_once = said(chat.page)
    assert at_once != english
    assert chat.page.title() == "助手"
    other.in_front()
    expect(other.element("approve")).to_have_text("批准")
    chat.in_front()
    chat.page.add_init_script(_EACH_FRAME)
    chat.reload()
    assert chat.page.evaluate("[document.documentElement.lang, window.sawEnglish ?? null]") == ["zh-CN", None]
    chat.element("forget").click()
    assert said(chat.page) == at_once

    chat.element("language").click()
    expect(chat.element("language")).to_have_text("中文")
    expect(chat.element("approve")).to_have_text("Approve")


def test_what_the_server_told_is_said_in_the_language_of_the_page(
    tab: Tab, chat: ChatPage, provider: ScriptedProvider
) -> None:
    """A notice is kept as what was told, not as words."""
    chat.open("nobody-s", wait=False)
    expect(chat.element("notice")).to_contain_text("does not exist")
    chat.element("language").click()
    expect(chat.element("notice")).to_have_text("此会话不存在，或不属于你。")
    chat.page.reload()
    expect(chat.element("notice")).to_have_text("此会话不存在，或不属于你。")
