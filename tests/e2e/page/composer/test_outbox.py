"""The outbox: from the press of Send until the message stands in the conversation, or is taken back."""

import pytest
from playwright.sync_api import expect

from tests.e2e.page.composer.conftest import Tab
from tests.support.composer_page import ServedPage, sent_chunk, user_row

ACCEPTED = {"state": "accepted", "session_id": "s-1", "message_id": "m-1"}
BUSY = {"state": "refused", "code": "session_busy"}


@pytest.mark.parametrize("order", ["reply first", "chunk first", "row last", "at once"])
def test_an_accepted_message_stands_in_one_place_at_every_frame(tab: ServedPage, order: str) -> None:
    """Case B104."""
    tab.write("Hello")
    tab.watch("Hello")
    tab.frames()
    tab.page.keyboard.press("Enter")
    [[key, *_]] = tab.told("send")
    tab.frames()
    reply = {"replies": [{"key": key, **ACCEPTED}]}
    chunk = {"chunks": [sent_chunk(key, "Hello")]}
    row = {"rows": [user_row()]}
    updates = {
        "reply first": [reply, chunk | row],
        "chunk first": [chunk | row, reply],
        "row last": [chunk, reply, row],
        "at once": [reply | chunk | row],
    }
    for update in updates[order]:
        tab.set(**update)
        tab.frames()
    assert tab.frames() == ["100", "010", "001"]
    assert tab.names("outbox:") == []


def test_the_bubble_becomes_the_message_without_moving(tab: ServedPage) -> None:
    key = tab.send("A message that is long enough to be broken over more lines than one. " * 4)
    before = tab.items.locator(".st-user").bounding_box()
    tab.show_sent(key, tab.told("send")[0][1])
    assert tab.page.locator("article .st-user").bounding_box() == before


def test_equal_texts_are_messages_of_their_own(tab: ServedPage) -> None:
    """Case B107."""
    chunks, rows = [], []
    for number in range(3):
        key = tab.send("continue")
        assert tab.places("continue") == [0, 1, number]
        chunks.append(sent_chunk(key, "continue", f"m-{number}"))
        rows.append(user_row(f"m-{number}"))
        tab.set(chunks=chunks, rows=rows)
    assert tab.places("continue") == [0, 0, 3]


def test_a_history_that_does_not_know_the_message_yet_leaves_it_there(tab: ServedPage) -> None:
    """Case B106."""
    tab.send("Hello")
    for _ in range(5):
        tab.set(rows=[], chunks=[])
        tab.set(rows=[user_row("other")], chunks=[sent_chunk("other-key", "Earlier", "other")])
        assert tab.places("Hello") == [0, 1, 0]


def test_a_refused_message_says_why_and_offers_what_to_do(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    expect(tab.items).to_have_attribute("data-state", "refused")
    expect(tab.items).to_contain_text("Not sent. An answer is still being written here.")
    expect(tab.items.get_by_role("button")).to_have_text(["Send", "Edit", "Discard"])


def test_send_again_is_the_same_wish(tab: ServedPage) -> None:
    """Case B102."""
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button("send").click()
    assert tab.told("send") == [[key, "Hello", "s-1", "", False, {}]] * 2
    expect(tab.items).to_have_attribute("data-state", "sending")
    tab.set(replies=[{"key": key, **ACCEPTED}])
    tab.show_sent(key, "Hello")
    assert tab.places("Hello") == [0, 0, 1]


def test_a_dead_key_is_replaced_by_a_press_of_send(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.reply(key, "refused", code="request_withdrawn", words="It was withdrawn.")
    tab.button("send").click()
    [[first, *_], [second, text, sid, *_]] = tab.told("send")
    assert first == key != second
    assert (text, sid) == ("Hello", "s-1")
    assert tab.names("outbox:") == [f"outbox:{second}"]


def test_edit_puts_the_text_before_what_is_being_written(tab: ServedPage) -> None:
    """Case B111."""
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.watch("Hello")
    tab.write("Next")
    tab.button("edit").click()
    assert tab.told("withdraw") == [[key]]
    expect(tab.items).to_have_count(1)
    expect(tab.button("edit")).to_be_disabled()
    tab.reply(key, "withdrawn")
    expect(tab.box).to_have_value("Hello\n\nNext")
    expect(tab.box).to_be_focused()
    expect(tab.items).to_have_count(0)
    assert tab.names("outbox:") == []
    assert tab.stored("draft:s-1")["text"] == "Hello\n\nNext"
    assert set(tab.frames()) == {"010", "100"}


def test_edit_into_an_empty_composer_adds_nothing(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button("edit").click()
    tab.reply(key, "withdrawn")
    expect(tab.box).to_have_value("Hello")


def test_discard_takes_it_away_once_the_server_agrees(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button("discard").click()
    assert tab.places("Hello") == [0, 1, 0]
    tab.reply(key, "withdrawn")
    assert tab.places("Hello") == [0, 0, 0]
    assert tab.names("outbox:") == []


def test_a_text_that_another_tab_has_just_taken_back_is_not_taken_twice(tab: ServedPage) -> None:
    """The reply to both tabs comes before this one hears that the item is gone."""
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button("edit").click()
    withdrawn = [{"key": key, "state": "withdrawn"}]
    tab.page.evaluate(
        "([key, replies]) => { localStorage.removeItem('outbox:' + key); page.set({replies}) }",
        [key, withdrawn],
    )
    assert tab.places("Hello") == [0, 0, 0]


@pytest.mark.parametrize("button", ["edit", "discard"])
def test_of_send_and_withdrawal_one_wins(tab: ServedPage, button: str) -> None:
    """DESIGN 8: the withdrawal came too late, so the message is in the conversation and nowhere else."""
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button(button).click()
    tab.set(replies=[{"key": key, **ACCEPTED}])
    assert tab.places("Hello") == [0, 1, 0]
    tab.show_sent(key, "Hello")
    tab.reply(key, "withdrawn")
    assert tab.places("Hello") == [0, 0, 1]


def test_a_withdrawal_that_was_lost_is_asked_for_again(tab: ServedPage) -> None:
    tab.stop_clock()
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button("discard").click()
    tab.pass_time(8000)
    assert (tab.told("ask"), tab.told("withdraw")) == ([], [[key], [key]])
    expect(tab.items).to_contain_text("Not sent. An answer is still being written here.")
    tab.reply(key, "withdrawn")
    expect(tab.items).to_have_count(0)


def test_a_reply_that_does_not_come_is_asked_for_more_and_more_rarely(tab: ServedPage) -> None:
    tab.stop_clock()
    key = tab.send("Hello")
    for asked, seconds in enumerate([8, 5, 10, 20, 30, 30]):
        tab.pass_time(seconds * 1000 - 10)
        assert len(tab.told("ask")) == asked
        tab.pass_time(10)
        assert len(tab.told("ask")) == asked + 1
    assert tab.told("ask")[-1] == [[key]]
    tab.reply(key, "unknown")
    expect(tab.items).to_have_attribute("data-state", "unsent")
    tab.pass_time(120_000)
    assert len(tab.told("ask")) == 6
    assert len(tab.told("send")) == 1


def test_nothing_is_asked_while_there_is_no_connection_and_all_at_once_after(tab: ServedPage) -> None:
    tab.stop_clock()
    key = tab.send("Hello")
    tab.set(ready="")
    tab.pass_time(60_000)
    assert tab.told("ask") == []
    expect(tab.items).to_have_attribute("data-state", "sending")
    tab.set(ready="s-1")
    assert tab.told("ask") == [[[key]]]


def test_an_old_reply_that_comes_again_changes_nothing(tab: ServedPage) -> None:
    first = tab.send("First")
    tab.page.evaluate("page.set({ready: ''}); page.set({ready: 's-1'})")
    tab.reply(first, "unknown")
    expect(tab.items).to_have_attribute("data-state", "unsent")
    tab.button("send").click()
    tab.reply(first, "unknown")
    expect(tab.items).to_have_attribute("data-state", "sending")
    for _ in range(2):
        tab.set(replies=[{"key": first, **ACCEPTED}, {"key": "other", "state": "unknown"}])
    assert tab.places("First") == [0, 1, 0]


def test_the_server_may_say_accepted_after_it_said_unknown(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.page.evaluate("page.set({ready: ''}); page.set({ready: 's-1'})")
    tab.reply(key, "unknown")
    tab.set(replies=[{"key": key, **ACCEPTED}])
    expect(tab.items).to_have_attribute("data-state", "sending")
    tab.show_sent(key, "Hello")
    expect(tab.items).to_have_count(0)


def test_an_accepted_message_that_stands_elsewhere_does_not_stay_for_ever(tab: ServedPage) -> None:
    tab.stop_clock()
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **ACCEPTED}])
    tab.pass_time(9000)
    expect(tab.items).to_have_count(1)
    tab.pass_time(1000)
    expect(tab.items).to_have_count(0)
    assert tab.names("outbox:") == []


def test_a_first_message_goes_along_into_its_session(new: ServedPage) -> None:
    new.watch("Hello")
    key = new.send("Hello")
    assert new.told("send") == [[key, "Hello", "", "", False, {}]]
    new.frames()
    new.set(sid="s-1", ready="s-1", replies=[{"key": key, **ACCEPTED}])
    new.frames()
    assert new.places("Hello") == [0, 1, 0]
    new.show_sent(key, "Hello")
    assert new.frames()[-2:] == ["010", "001"]


def test_a_first_message_is_shown_on_the_new_page_until_it_moves(new: ServedPage) -> None:
    key = new.send("Hello")
    new.set(replies=[{"key": key, **ACCEPTED}])
    assert new.places("Hello") == [0, 1, 0]
    new.set(sid="s-1", ready="s-1")
    assert new.places("Hello") == [0, 1, 0]
    new.set(sid="", ready="new")
    assert new.places("Hello") == [0, 0, 0]


def test_items_of_other_sessions_are_not_shown(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.set(sid="s-2", ready="s-2")
    expect(tab.items).to_have_count(0)
    tab.set(sid="s-1", ready="s-1")
    expect(tab.items).to_have_attribute("data-state", "refused")


def test_items_stand_in_the_order_in_which_they_were_sent(open_tab: Tab) -> None:
    tab = open_tab("?sid=s-1")
    for at, key in ((3, "a"), (1, "c"), (2, "b")):
        item = {"key": key, "sid": "s-1", "text": f"text {at}", "at": at}
        tab.page.evaluate("i => localStorage.setItem('outbox:' + i.key, JSON.stringify(i))", item)
    tab.reload()
    expect(tab.items.locator(".cp-bubble")).to_have_text(["text 1", "text 2", "text 3"])
    tab.set(sid="s-1", ready="s-1")
    [[keys]] = tab.told("ask")
    assert sorted(keys) == ["a", "b", "c"]
