"""What these tests do with a code: read it from the sheet, give it on another device."""

import re

from playwright.sync_api import expect

from tests.support.chat_page import ChatPage

CODE = re.compile(r"^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$")


def makes_code(chat: ChatPage) -> str:
    """Open the sheet; returns the link that it shows."""
    chat.element("devices").click()
    code = chat.element("device-code")
    expect(code).to_have_text(CODE)
    link = chat.element("device-link").input_value()
    assert link == f"{chat.url}/link?code={code.inner_text()}"
    return link


def opens_link(device: ChatPage, link: str) -> None:
    """Go to the link on another device, and wait until the page knows what it would do."""
    device.page.goto(link)
    expect(device.element("link-form")).to_have_attribute("data-state", "ready")


def is_linked(device: ChatPage) -> ChatPage:
    """The page opens as the new owner's."""
    device.page.wait_for_url(f"{device.url}/")
    return device.ready()
