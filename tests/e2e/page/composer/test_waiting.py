"""Messages that wait at the server for their turn, and other versions of a message."""

from playwright.sync_api import expect

from tests.e2e.page.composer.test_composer import KEY
from tests.support.composer_page import ServedPage


def test_a_message_to_a_busy_session_waits_for_its_turn(tab: ServedPage) -> None:
    """Case B108: the server keeps it; it is shown by the server's list."""
    tab.set(busyTask="t-1")
    key = tab.send("Hello")
    assert tab.told("send") == [[key, "Hello", "s-1", "", True, {}]]
    tab.reply(key, "queued", session_id="s-1")
    tab.set(queued=[{"key": key, "text": "Hello", "at": 1, "paused": False}])
    expect(tab.items).to_have_attribute("data-state", "queued")
    assert tab.names("outbox:") == []
    tab.reload()
    tab.set(sid="s-1", ready="s-1", queued=[{"key": key, "text": "Hello", "at": 1, "paused": False}])
    assert tab.places("Hello") == [0, 1, 0]
    tab.show_sent(key, "Hello")
    assert tab.places("Hello") == [0, 0, 1]


def test_a_waiting_message_can_be_removed(tab: ServedPage) -> None:
    tab.set(busyTask="t-1", queued=[{"key": "k-1", "text": "Hello", "at": 1, "paused": False}])
    tab.button("discard").click()
    assert tab.told("withdraw") == [["k-1"]]
    tab.reply("k-1", "withdrawn")
    tab.set(queued=[])
    assert tab.places("Hello") == [0, 0, 0]


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
    assert tab.told("send") == [[key, "Hello", "s-1", "", False, {}]]


def test_a_text_behind_one_that_is_on_its_way_waits_for_its_turn(tab: ServedPage) -> None:
    tab.send("First")
    tab.write("Second")
    tab.page.keyboard.press("Enter")
    assert [(text, queue) for _, text, _, _, queue, _ in tab.told("send")] == [
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


def test_another_version_of_a_message_is_sent_beside_it(tab: ServedPage) -> None:
    tab.write("A draft")
    tab.show_sent("k-0", "Hello", "m-0")
    tab.box.fill("")
    tab.page.keyboard.press("ArrowUp")
    expect(tab.box).to_have_value("Hello")
    tab.write(" again")
    tab.page.keyboard.press("Enter")
    [[_, text, sid, edits, queue, _]] = tab.told("send")
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
