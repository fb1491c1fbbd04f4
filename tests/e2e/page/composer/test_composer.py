"""The composer: what sends, what stops, and what the keys do."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.page.composer.conftest import Tab
from tests.support.composer_page import ServedPage

KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def test_a_press_of_send_moves_the_text_into_the_outbox_and_tells_the_server(tab: ServedPage) -> None:
    tab.write("Hello")
    tab.send_button.click()
    [[key, text, sid, edits, queue, settings]] = tab.told("send")
    assert KEY.fullmatch(key)
    assert (text, sid, edits, queue, settings) == ("Hello", "s-1", "", False, {})
    kept = tab.stored(f"outbox:{key}")
    assert (kept["key"], kept["sid"], kept["text"]) == (key, "s-1", "Hello")
    expect(tab.box).to_have_value("")
    expect(tab.items).to_have_attribute("data-state", "sending")
    expect(tab.items).to_have_attribute("data-key", key)
    expect(tab.items.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("delay", [0, 20])
def test_a_double_click_sends_once(tab: ServedPage, delay: int) -> None:
    """Case B100."""
    tab.write("Hello")
    tab.send_button.dblclick(delay=delay)
    assert len(tab.told("send")) == 1
    expect(tab.items).to_have_count(1)


def test_enter_twice_and_a_held_enter_send_once(tab: ServedPage) -> None:
    """Case B100."""
    tab.write("Hello")
    for _ in range(5):
        tab.page.keyboard.down("Enter")
    tab.page.keyboard.up("Enter")
    tab.page.keyboard.press("Enter")
    assert len(tab.told("send")) == 1
    expect(tab.box).to_have_value("")


def test_a_held_enter_does_not_send_what_is_typed_meanwhile(tab: ServedPage) -> None:
    tab.set(canSend=False)
    tab.write("Hello")
    tab.page.keyboard.down("Enter")
    tab.set(canSend=True)
    tab.page.keyboard.down("Enter")
    assert tab.told("send") == []
    expect(tab.box).to_have_value("Hello")


def test_shift_enter_breaks_the_line(tab: ServedPage) -> None:
    tab.write("one")
    tab.page.keyboard.press("Shift+Enter")
    tab.page.keyboard.type("two")
    expect(tab.box).to_have_value("one\ntwo")
    assert tab.told("send") == []


@pytest.mark.parametrize("event", [{"isComposing": True}, {"keyCode": 229}])
def test_an_enter_that_belongs_to_an_input_method_does_not_send(
    tab: ServedPage, event: dict[str, object]
) -> None:
    tab.write("ni hao")
    tab.box.dispatch_event("keydown", {"key": "Enter", "bubbles": True, "cancelable": True, **event})
    assert tab.told("send") == []
    tab.page.keyboard.press("Enter")
    assert len(tab.told("send")) == 1


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_nothing_is_not_sent(tab: ServedPage, text: str) -> None:
    tab.write(text)
    tab.page.keyboard.press("Enter")
    expect(tab.send_button).to_be_disabled()
    assert tab.told("send") == []


def test_the_text_is_sent_as_it_was_written(tab: ServedPage) -> None:
    text = "  <b>你好</b> 👩‍👩‍👧\n\n\tend "
    tab.send(text)
    assert tab.told("send")[0][1] == text
    expect(tab.items.locator(".cp-bubble")).to_have_js_property("textContent", text)


def test_without_a_connection_the_text_stays(tab: ServedPage) -> None:
    tab.set(canSend=False)
    tab.write("Hello")
    tab.page.keyboard.press("Enter")
    expect(tab.send_button).to_be_disabled()
    expect(tab.hint).to_have_text("Not connected. Your text is kept here.")
    assert tab.told("send") == []
    expect(tab.box).to_have_value("Hello")


def test_sending_does_not_wait_for_the_restore(open_tab: Tab) -> None:
    """Case B112."""
    tab = open_tab("?sid=s-1")
    key = tab.send("Hello")
    tab.reply(key, "accepted", session_id="s-1", message_id="m-1")
    tab.set(sid="s-1", ready="s-1")
    assert tab.told("ask") == []
    assert tab.places("Hello") == [0, 1, 0]


def test_what_is_sent_before_the_first_connection_goes_out_with_it(open_tab: Tab) -> None:
    tab = open_tab("?sid=s-1")
    tab.set(sid="s-1", carries=False)
    key = tab.send_early("Hello")
    assert tab.told("send") == []
    tab.set(carries=True)
    assert tab.told("send") == [[key, "Hello", "s-1", "", False, {}]]
    tab.set(carries=False)
    tab.set(carries=True, ready="s-1")
    assert len(tab.told("send")) == 1


def test_what_could_not_be_sent_with_the_first_connection_was_not_sent(open_tab: Tab) -> None:
    tab = open_tab("?sid=s-1")
    tab.set(sid="s-1", carries=False)
    tab.send_early("Hello")
    tab.set(canSend=False)
    tab.set(canSend=True, carries=True, ready="s-1")
    assert tab.told("send") == []
    expect(tab.items).to_have_attribute("data-state", "unsent")


def test_a_slash_focuses_the_composer_and_is_typed_in_it(tab: ServedPage) -> None:
    tab.box.blur()
    tab.page.keyboard.press("/")
    expect(tab.box).to_be_focused()
    expect(tab.box).to_have_value("")
    tab.page.keyboard.press("/")
    expect(tab.box).to_have_value("/")


def test_a_slash_elsewhere_is_left_alone(tab: ServedPage) -> None:
    tab.page.evaluate("document.body.append(Object.assign(document.createElement('input'), {id: 'other'}))")
    tab.page.locator("#other").press("/")
    expect(tab.page.locator("#other")).to_have_value("/")


def test_the_up_arrow_in_an_empty_composer_does_nothing(tab: ServedPage) -> None:
    tab.box.press("ArrowUp")
    expect(tab.box).to_have_value("")


def test_the_box_grows_to_two_fifths_of_the_height(tab: ServedPage) -> None:
    height = "element => element.getBoundingClientRect().height / innerHeight"
    one = tab.box.evaluate(height)
    tab.box.fill("a\nb\nc")
    three = tab.box.evaluate(height)
    tab.box.fill("line\n" * 100)
    assert one < three < tab.box.evaluate(height) == pytest.approx(0.4, abs=0.002)
    tab.box.fill("")
    assert tab.box.evaluate(height) == one


def test_what_was_typed_before_the_page_was_alive_is_kept(open_tab: Tab) -> None:
    tab = open_tab()
    tab.set(ready="new")
    tab.write("kept")
    early = open_tab("?early=early")
    early.set(ready="new")
    expect(early.box).to_have_value("kept\n\nearly")


def test_everything_has_a_name(tab: ServedPage) -> None:
    expect(tab.page.get_by_role("textbox", name="Message")).to_be_visible()
    send = tab.page.get_by_role("button", name="Send")
    expect(send).to_have_attribute("title", "Send (Enter)")
    tab.set(busyTask="t-1")
    expect(tab.page.get_by_role("button", name="Stop")).to_have_attribute("title", "Stop (Esc)")
    expect(tab.page.get_by_role("status")).to_have_text("")


def test_a_chinese_page_speaks_chinese(open_tab: Tab) -> None:
    tab = open_tab(language="zh-CN")
    tab.set(ready="new")
    expect(tab.page.get_by_role("button", name="发送")).to_be_visible()
