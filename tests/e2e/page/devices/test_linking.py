"""A code from the sheet brings the owner to another browser; nothing but a click carries it out."""

from playwright.sync_api import expect

from tests.e2e.page.devices.linking import is_linked, makes_code, opens_link
from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until


def test_another_browser_shows_the_same_conversations_live(
    chat: ChatPage, phone: ChatPage, provider: ScriptedProvider
) -> None:
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    opens_link(phone, makes_code(chat))
    assert "code=" not in phone.page.url
    expect(phone.element("link-own")).to_have_count(0)
    phone.element("link-use").click()
    is_linked(phone)

    expect(chat.element("device-fate")).to_have_attribute("data-fate", "used")
    expect(chat.element("device-fate")).to_contain_text("Chrome on Linux")
    expect(chat.element("device-code")).to_have_count(0)
    chat.element("device-close").click()
    expect(phone.element("session-item")).to_have_count(1)
    phone.element("session-item").click()
    phone.shows(so_far(20))
    script.release()
    for page in (phone, chat):
        page.in_front()
        page.shows(WHOLE)
        page.no_failure()
    assert len(provider.calls) == 1


def test_looking_at_the_link_uses_nothing_up(chat: ChatPage, phone: ChatPage) -> None:
    """A preview, a prefetch, a reload and a second look only read."""
    link = makes_code(chat)
    for _ in range(3):
        opens_link(phone, link)
    phone.page.request.get(link)
    phone.page.request.head(link)
    opens_link(phone, link)
    expect(chat.element("device-fate")).to_have_attribute("data-fate", "open")
    phone.element("link-use").click()
    is_linked(phone)


def test_a_code_can_be_typed_in_any_way_and_a_wrong_one_is_told(chat: ChatPage, phone: ChatPage) -> None:
    makes_code(chat)
    code = chat.element("device-code").inner_text()
    opens_link(phone, f"{phone.url}/link")
    expect(phone.element("link-use")).to_be_disabled()
    phone.element("link-code").fill("AAAA-AAAA")
    phone.element("link-use").click()
    expect(phone.element("link-why")).to_contain_text("does not count")
    phone.element("link-code").fill(code.lower().replace("-", " "))
    phone.element("link-code").press("Enter")
    is_linked(phone)
    opens_link(phone, f"{phone.url}/link?code={code}")
    phone.element("link-use").click()
    expect(phone.element("link-why")).to_contain_text("does not count")


def test_what_runs_on_the_device_comes_along_and_goes_on(
    chat: ChatPage, phone: ChatPage, provider: ScriptedProvider
) -> None:
    script = held_after(provider, 20)
    phone.say("Count for me")
    phone.shows(so_far(20))
    sid = phone.named()
    phone.composer.fill("and th")
    until(phone.page, "sid => localStorage.getItem('draft:' + sid)?.includes('and th')", arg=sid)
    opens_link(phone, makes_code(chat))
    expect(phone.element("link-own")).to_contain_text("one conversation")
    expect(phone.element("link-use")).to_have_count(0)
    phone.element("link-bring").click()
    is_linked(phone)

    for page in (chat, phone):
        page.in_front()
        expect(page.element("session-item")).to_have_count(1)
    chat.element("device-close").click()
    chat.element("session-item").click()
    chat.shows(so_far(20))
    phone.element("session-item").click()
    expect(phone.composer).to_have_value("and th")
    script.release()
    for page in (phone, chat):
        page.in_front()
        page.shows(WHOLE)
        page.idle()
        assert page.sid == sid
    assert len(provider.calls) == 1


def test_what_is_left_behind_shows_nowhere_any_more(
    chat: ChatPage, phone: ChatPage, provider: ScriptedProvider
) -> None:
    provider.say("Secret.")
    phone.say("Whisper")
    phone.shows("Secret.")
    sid = phone.named()
    phone.composer.fill("half a secret")
    opens_link(phone, makes_code(chat))
    phone.element("link-leave").click()
    is_linked(phone)

    expect(phone.element("session-item")).to_have_count(0)
    expect(phone.composer).to_have_value("")
    kept = phone.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    for secret in ("Secret", "Whisper", "half a secret", sid):
        assert secret not in kept
    phone.open(sid)
    expect(phone.element("notice")).to_contain_text("does not exist")
    expect(phone.element("message")).to_have_count(0)


def test_other_tabs_of_the_device_become_the_new_owners_too(
    tab: Tab, phone: ChatPage, provider: ScriptedProvider
) -> None:
    """Their sockets hold the former cookie: they are loaded again, without what they showed."""
    provider.say("Mine.")
    makes, other, uses = tab().open(), tab().open(), tab().open()
    makes.say("Hello?")
    makes.shows("Mine.")
    other.open(makes.sid)
    other.shows("Mine.")
    other.composer.fill("not yet sent")
    link = makes_code(phone)
    opens_link(uses, link)
    uses.element("link-leave").click()
    is_linked(uses)
    for page in (other, makes):
        page.in_front()
        page.page.wait_for_url(f"{page.url}/")
        page.ready()
        expect(page.element("message")).to_have_count(0)
        expect(page.composer).to_have_value("")
        expect(page.element("session-item")).to_have_count(0)
    provider.say("Ours.")
    other.say("Hello again?")
    other.shows("Ours.")
    phone.element("device-close").click()
    expect(phone.element("session-item")).to_have_count(1)


def test_the_sheet_goes_by_keyboard_and_escape_stops_no_answer(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.element("devices").focus()
    chat.page.keyboard.press("Enter")
    expect(chat.page.get_by_role("dialog", name="Use on another device")).to_be_visible()
    expect(chat.element("device-code")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.page.get_by_role("dialog")).to_have_count(0)
    expect(chat.element("devices")).to_be_focused()
    chat.busy()
    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")


def test_a_code_is_taken_back_and_another_made(chat: ChatPage, phone: ChatPage) -> None:
    link = makes_code(chat)
    first = chat.element("device-code").inner_text()
    chat.element("device-take-back").click()
    expect(chat.element("device-fate")).to_have_attribute("data-fate", "taken back")
    opens_link(phone, link)
    phone.element("link-use").click()
    expect(phone.element("link-why")).to_contain_text("does not count")
    chat.element("device-another").click()
    expect(chat.element("device-code")).to_be_visible()
    assert chat.element("device-code").inner_text() != first
