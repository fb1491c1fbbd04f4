"""The list at the side: what each session is at, the archive, and more of it; after a reload too."""

import httpx
from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import asks
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def test_a_session_says_that_it_runs_that_it_waits_and_that_it_failed(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    script = provider.say("One ").hold().say("two.")
    chat.say("Runs")
    chat.shows("One ")
    mark = chat.element("session-mark")
    expect(mark).to_have_attribute("data-mark", "running")
    chat.reload()
    expect(mark).to_have_attribute("data-mark", "running")
    script.release()
    expect(mark).to_have_count(0)

    provider.fail(400)
    chat.say("Fails")
    chat.ended("error")
    expect(mark).to_have_attribute("data-mark", "failed")
    expect(mark).to_have_accessible_name("Failed")


def test_a_session_that_waits_for_its_user_says_so(chat: ChatPage, provider: ScriptedProvider) -> None:
    asks(chat, provider)
    mark = chat.element("session-mark")
    expect(mark).to_have_attribute("data-mark", "waiting")
    chat.element("new-session").click()
    chat.ready("new")
    chat.reload()
    expect(mark).to_have_attribute("data-mark", "waiting")


def test_a_session_is_put_away_and_brought_back(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.shows("One.")
    item = chat.element("session-item")
    item.hover()
    chat.element("archive").click()

    expect(item).to_have_count(0)
    chat.shows("One.")
    chat.element("toggle-archive").click()
    expect(item).to_have_text("Hello?")
    chat.reload()
    expect(item).to_have_text("Hello?")
    item.hover()
    chat.element("unarchive").click()
    expect(item).to_have_count(0)
    chat.element("toggle-archive").click()
    expect(item).to_have_text("Hello?")


def test_there_is_more_of_a_long_list_after_a_reload_too(
    app: AppUnderTest, chat: ChatPage, provider: ScriptedProvider
) -> None:
    cookies = {each["name"]: each["value"] for each in chat.page.context.cookies()}
    with httpx.Client(base_url=app.url, cookies=cookies) as client:
        for number in range(55):
            answer = client.post(
                "/api/messages", json={"text": f"Number {number}"}, headers={"Idempotency-Key": f"k-{number}"}
            )
            assert answer.status_code == 202
    items = chat.element("session-item")
    expect(items).to_have_count(50)
    chat.element("more-sessions").press("Enter")  # the debug panel lies over it
    expect(items).to_have_count(55)
    expect(chat.element("more-sessions")).to_have_count(0)
    chat.reload()
    expect(items).to_have_count(55)
    expect(items.first).to_have_text("Number 54")


def test_a_title_is_written_on_while_the_list_changes(
    app: AppUnderTest, chat: ChatPage, provider: ScriptedProvider
) -> None:
    for text in ("One", "Two"):
        provider.say("Hello.")
        chat.element("new-session").click()
        chat.ready("new")
        chat.say(text)
        chat.ended("complete")
    items = chat.element("session-item")
    expect(items).to_have_text(["Two", "One"])
    chat.element("rename").nth(1).focus()
    chat.page.keyboard.press("Enter")
    chat.page.keyboard.insert_text("My new ti")

    chat.page.request.post(
        f"{app.url}/api/messages", data={"text": "Three"}, headers={"Idempotency-Key": "three"}
    )
    expect(items).to_have_text(["Three", "Two"])
    chat.page.keyboard.insert_text("tle")
    chat.page.keyboard.press("Enter")

    expect(items).to_have_text(["Three", "Two", "My new title"])
