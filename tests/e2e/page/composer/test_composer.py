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
    [[key, text, sid, edits, queue]] = tab.told("send")
    assert KEY.fullmatch(key)
    assert (text, sid, edits, queue) == ("Hello", "s-1", "", False)
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


def test_a_text_behind_one_that_is_on_its_way_waits_for_its_turn(tab: ServedPage) -> None:
    tab.send("First")
    tab.write("Second")
    tab.page.keyboard.press("Enter")
    assert [(text, queue) for _, text, _, _, queue in tab.told("send")] == [
        ("First", False),
        ("Second", True),
    ]


def test_on_a_new_page_the_second_text_waits_for_the_session_of_the_first(new: ServedPage) -> None:
    """It would make a session of its own."""
    new.send("First")
    new.write("Second")
    new.page.keyboard.press("Enter")
    assert [text for _, text, *_ in new.told("send")] == ["First"]
    expect(new.box).to_have_value("Second")
    expect(new.hint).to_have_text("Wait for the answer, or stop it, to send this.")


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


def test_a_message_to_a_busy_session_waits_for_its_turn(tab: ServedPage) -> None:
    """Case B108: the server keeps it; it is shown by the server's list."""
    tab.set(busyTask="t-1")
    key = tab.send("Hello")
    assert tab.told("send") == [[key, "Hello", "s-1", "", True]]
    tab.reply(key, "queued", session_id="s-1")
    tab.set(queued=[{"key": key, "text": "Hello", "at": 1, "paused": False}])
    expect(tab.items).to_have_attribute("data-state", "queued")
    assert tab.names("outbox:") == []
    tab.reload()
    tab.set(sid="s-1", ready="s-1", queued=[{"key": key, "text": "Hello", "at": 1, "paused": False}])
    assert tab.places("Hello") == [0, 1, 0]
    tab.show_sent(key, "Hello")
    assert tab.places("Hello") == [0, 0, 1]


def test_a_waiting_message_can_be_taken_back_and_edited(tab: ServedPage) -> None:
    tab.set(busyTask="t-1", queued=[{"key": "k-1", "text": "Hello", "at": 1, "paused": False}])
    tab.button("edit").click()
    assert tab.told("withdraw") == [["k-1"]]
    tab.reply("k-1", "withdrawn")
    tab.set(queued=[])
    assert tab.places("Hello") == [1, 0, 0]


def test_one_that_left_the_list_is_asked_about(tab: ServedPage) -> None:
    """It was sent, or taken back on another device."""
    tab.set(queued=[{"key": "k-1", "text": "Hello", "at": 1, "paused": False}])
    tab.set(queued=[])
    assert tab.told("ask") == [[["k-1"]]]
    assert tab.places("Hello") == [0, 1, 0]
    tab.reply("k-1", "withdrawn")
    expect(tab.items).to_have_count(0)


def test_what_waits_behind_a_bad_end_is_sent_by_a_press_only(tab: ServedPage) -> None:
    """Case B110."""
    tab.set(queued=[{"key": "k-1", "text": "Hello", "at": 1, "paused": True}])
    expect(tab.page.get_by_test_id("queue-paused")).to_be_visible()
    assert tab.told("release") == []
    tab.page.get_by_test_id("queue-send").click()
    [[key]] = tab.told("release")
    assert KEY.fullmatch(key)


def test_a_message_beside_a_paused_queue_goes_at_once(tab: ServedPage) -> None:
    tab.set(queued=[{"key": "k-1", "text": "Later", "at": 1, "paused": True}])
    key = tab.send("Hello")
    assert tab.told("send") == [[key, "Hello", "s-1", "", False]]


def test_send_and_stop_take_turns_in_one_place(tab: ServedPage) -> None:
    stop = tab.page.get_by_test_id("stop")
    place = tab.send_button.bounding_box()
    expect(stop).to_have_count(0)
    tab.set(busyTask="t-1")
    expect(tab.send_button).to_have_count(0)
    assert stop.bounding_box() == place


def test_stop_is_asked_once_until_the_task_changes(tab: ServedPage) -> None:
    tab.set(busyTask="t-1")
    stop = tab.page.get_by_test_id("stop")
    stop.click()
    expect(stop).to_be_disabled()
    tab.page.keyboard.press("Escape")
    [[task, key]] = tab.told("stop")
    assert task == "t-1"
    assert KEY.fullmatch(key)
    tab.set(busyTask="t-2")
    tab.page.keyboard.press("Escape")
    tasks, keys = zip(*tab.told("stop"), strict=True)
    assert tasks == ("t-1", "t-2")
    assert len(set(keys)) == 2


def test_a_stop_that_was_lost_can_be_pressed_again(tab: ServedPage) -> None:
    tab.stop_clock()
    tab.set(busyTask="t-1")
    stop = tab.page.get_by_test_id("stop")
    stop.click()
    tab.pass_time(8000)
    expect(stop).to_be_disabled()
    assert tab.told("withdraw") == [[tab.told("stop")[0][1]]]
    tab.reply(tab.told("stop")[0][1], "withdrawn")
    expect(stop).to_be_enabled()
    expect(tab.hint).to_contain_text("“Stop” did not reach the server")


def test_a_stop_that_a_lost_link_may_have_taken_along_is_withdrawn(tab: ServedPage) -> None:
    """Of the stop and its withdrawal one wins; neither arrives later."""
    tab.set(busyTask="t-1")
    stop = tab.page.get_by_test_id("stop")
    stop.click()
    tab.set(ready="")
    tab.set(ready="s-1")
    [[_, key]] = tab.told("stop")
    assert tab.told("withdraw") == [[key]]
    tab.reply(key, "accepted")
    expect(stop).to_be_enabled()
    assert tab.names("wish:") == []


def test_a_stop_without_a_link_is_refused_at_once(tab: ServedPage) -> None:
    tab.set(busyTask="t-1", ready="")
    tab.page.get_by_test_id("stop").click()
    assert tab.told("stop") == []
    expect(tab.page.get_by_test_id("stop")).to_be_enabled()
    expect(tab.hint).to_contain_text("Not connected")


def test_a_stop_before_the_server_spoke_takes_the_message_back(tab: ServedPage) -> None:
    """Case B093: and when the message was taken already, its answer is stopped."""
    key = tab.send("Hello")
    tab.page.keyboard.press("Escape")
    assert tab.told("withdraw") == [[key]]
    assert tab.places("Hello") == [0, 1, 0]
    tab.reply(key, "accepted", session_id="s-1", message_id="m-1", task_id="t-1")
    [[task, _]] = tab.told("stop")
    assert task == "t-1"

    other = tab.send("Another")
    tab.page.keyboard.press("Escape")
    tab.reply(other, "withdrawn")
    assert tab.places("Another") == [1, 0, 0]


def test_what_is_sent_before_the_first_connection_goes_out_with_it(open_tab: Tab) -> None:
    tab = open_tab("?sid=s-1")
    tab.set(sid="s-1", carries=False)
    key = tab.send_early("Hello")
    assert tab.told("send") == []
    tab.set(carries=True)
    assert tab.told("send") == [[key, "Hello", "s-1", "", False]]
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


def test_another_version_of_a_message_is_sent_beside_it(tab: ServedPage) -> None:
    tab.write("A draft")
    tab.show_sent("k-0", "Hello", "m-0")
    tab.box.fill("")
    tab.page.keyboard.press("ArrowUp")
    expect(tab.box).to_have_value("Hello")
    tab.write(" again")
    tab.page.keyboard.press("Enter")
    [[_, text, sid, edits, queue]] = tab.told("send")
    assert (text, sid, edits, queue) == ("Hello again", "s-1", "m-0", False)
    expect(tab.box).to_have_value("")


def test_escape_leaves_the_other_version_and_the_draft_is_there_again(tab: ServedPage) -> None:
    tab.show_sent("k-0", "Hello", "m-0")
    tab.page.keyboard.press("ArrowUp")
    expect(tab.page.get_by_test_id("editing")).to_be_visible()
    tab.reload()
    tab.set(sid="s-1", ready="s-1")
    expect(tab.box).to_have_value("Hello")
    tab.box.focus()
    tab.page.keyboard.press("Escape")
    expect(tab.box).to_have_value("")
    expect(tab.page.get_by_test_id("editing")).to_have_count(0)
    assert tab.names("draft:") == []


def test_the_second_half_of_a_double_click_on_send_is_no_stop(tab: ServedPage) -> None:
    tab.write("Hello")
    tab.page.evaluate("addEventListener('click', () => queueMicrotask(() => page.set({busyTask: 't-1'})))")
    tab.send_button.dblclick()
    expect(tab.page.get_by_test_id("stop")).to_be_enabled()
    assert len(tab.told("send")) == 1
    assert tab.told("stop") == []


def test_escape_does_nothing_while_nothing_runs(tab: ServedPage) -> None:
    tab.write("Hello")
    tab.page.keyboard.press("Escape")
    assert tab.told("stop") == []
    expect(tab.box).to_have_value("Hello")


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
    tab.set(model="demo")
    expect(tab.page.get_by_role("textbox", name="Message")).to_be_visible()
    send = tab.page.get_by_role("button", name="Send")
    expect(send).to_have_attribute("title", "Send (Enter)")
    tab.set(busyTask="t-1")
    expect(tab.page.get_by_role("button", name="Stop")).to_have_attribute("title", "Stop (Esc)")
    expect(tab.page.get_by_role("status")).to_have_text("")
    expect(tab.page.get_by_test_id("model")).to_have_text("demo")


def test_a_chinese_page_speaks_chinese(open_tab: Tab) -> None:
    tab = open_tab(language="zh-CN")
    tab.set(ready="new")
    expect(tab.page.get_by_role("button", name="发送")).to_be_visible()
