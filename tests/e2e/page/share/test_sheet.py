"""The owner's sheet: what others will see, the link, and the way to take it back, over reloads too."""

from playwright.sync_api import Locator, expect

from tests.e2e.page.share.conftest import Reader
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def answered(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say("The answer.")
    chat.say("A question")
    chat.shows("The answer.")
    chat.ended("complete")


def link(chat: ChatPage) -> Locator:
    return chat.element("share-link")


def test_a_link_is_made_copied_and_taken_back_and_a_reload_changes_nothing(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    expect(chat.element("share")).to_have_count(0)
    answered(chat, provider)
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(chat.element("share")).to_have_attribute("data-shared", "false")
    chat.page.get_by_role("button", name="Share", exact=True).click()
    expect(chat.element("share-sheet")).to_contain_text("Nobody can write, stop or decide anything")
    chat.element("make-link").click()
    expect(link(chat)).to_be_visible()
    address = link(chat).input_value()
    chat.element("copy-link").click()
    expect(chat.element("copy-link")).to_have_accessible_name("Copied")
    chat.composer.focus()
    chat.page.keyboard.press("Control+V")
    expect(chat.composer).to_have_value(address)
    chat.composer.fill("")
    token = address.rpartition("/")[2]
    assert address == f"{chat.url}/shared/{token}"
    page = reader(token)
    page.shows("The answer.")

    chat.reload()
    expect(link(chat)).to_have_value(address)
    expect(chat.page.get_by_role("button", name="Shared by a link")).to_have_attribute("data-shared", "true")
    chat.element("stop-sharing").click()
    expect(link(chat)).to_have_count(0)
    page.is_gone("The answer.")
    chat.reload()
    expect(chat.element("make-link")).to_be_visible()
    expect(chat.element("share")).to_have_attribute("data-shared", "false")
    chat.element("make-link").click()
    expect(link(chat)).to_be_visible()
    assert link(chat).input_value() != address


def test_the_box_says_what_holds_before_and_after_the_link_is_made(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    answered(chat, provider)
    chat.element("share").click()
    box = chat.element("share-arguments")
    expect(box).not_to_be_checked()
    box.check()
    chat.element("make-link").click()
    expect(link(chat)).to_be_visible()
    address = link(chat).input_value()
    chat.reload()
    expect(box).to_be_checked()
    # The server has the last word, so the box follows it.
    box.click()
    expect(box).not_to_be_checked()
    chat.reload()
    expect(box).not_to_be_checked()
    expect(link(chat)).to_have_value(address)


def test_another_device_of_the_owner_sees_the_same_link(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    answered(chat, provider)
    other = ChatPage(chat.page.context.new_page(), chat.url).open(chat.sid)
    chat.element("share").click()
    chat.element("make-link").click()
    expect(link(chat)).to_be_visible()
    other.element("share").click()
    expect(link(other)).to_have_value(link(chat).input_value())


def test_the_sheet_closes_by_the_keyboard_and_beside_it_and_gives_the_focus_back(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    answered(chat, provider)
    button = chat.element("share")
    button.focus()
    chat.page.keyboard.press("Enter")
    expect(chat.element("share-sheet")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.element("share-sheet")).to_have_count(0)
    expect(button).to_be_focused()
    button.click()
    chat.answers.last.click()
    expect(chat.element("share-sheet")).to_have_count(0)
    chat.reload()
    expect(chat.element("share-sheet")).to_have_count(0)
