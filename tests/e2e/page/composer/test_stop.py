"""Stop: asked for once, never lost without a word, and before the server has spoken too."""

from playwright.sync_api import expect

from tests.e2e.page.composer.test_composer import KEY
from tests.support.composer_page import ServedPage


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
