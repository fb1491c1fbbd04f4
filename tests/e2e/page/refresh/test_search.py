"""Search over the list: titles and texts of all sessions, in any script, and after a reload again."""

from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def two_sessions(chat: ChatPage, provider: ScriptedProvider) -> None:
    for question, answer in (("About tea", "Oolong <b>is</b> tea."), ("About pages", "页面刷新之后还在。")):
        provider.say(answer)
        chat.say(question)
        chat.shows(answer)
        chat.element("new-session").click()
        chat.ready("new")


def test_a_word_of_an_answer_is_found_and_leads_to_its_session(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    two_sessions(chat, provider)
    results = chat.element("search-result")
    chat.page.keyboard.press("Control+k")
    expect(chat.element("search")).to_be_focused()
    chat.page.keyboard.type("oolong")

    expect(results).to_have_count(1)
    expect(results).to_contain_text("About tea")
    expect(results).to_contain_text("Oolong <b>is</b> tea.")
    expect(results.locator("mark")).to_have_text("Oolong")
    expect(chat.element("session-item").first).to_be_hidden()
    chat.reload()
    expect(results).to_have_count(1)
    results.click()
    chat.shows("Oolong <b>is</b> tea.")
    chat.element("search").fill("")
    expect(chat.element("session-item")).to_have_count(2)
    expect(chat.element("session-item").first).to_be_visible()


def test_chinese_is_found_and_nothing_is_said_to_be_nothing(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    two_sessions(chat, provider)
    chat.element("search").fill("刷新")
    expect(chat.element("search-result")).to_have_count(1)
    expect(chat.element("search-told")).to_have_text("1 result")
    chat.element("search").fill('"no such" OR (thing*')
    expect(chat.element("search-told")).to_have_text("Nothing found.")
    chat.element("search").press("Escape")
    expect(chat.element("search")).to_have_value("")
    expect(chat.element("session-item")).to_have_count(2)


def test_escape_in_the_search_stops_no_answer(chat: ChatPage, provider: ScriptedProvider) -> None:
    script = provider.say("One ").hold().say("two.")
    chat.say("Hello?")
    chat.shows("One ")
    chat.element("search").fill("hello")
    chat.element("search").press("Escape")
    chat.busy()
    script.release()
    chat.shows("One two.")
