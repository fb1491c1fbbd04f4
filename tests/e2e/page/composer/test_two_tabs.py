"""Two tabs on one localStorage: what one does, the other shows, and a text is never in both ways at once."""

import pytest
from playwright.sync_api import expect

from tests.e2e.page.composer.conftest import Tab
from tests.support.composer_page import ServedPage

ACCEPTED = {"state": "accepted", "session_id": "s-1", "message_id": "m-1"}
BUSY = {"state": "refused", "code": "session_busy"}


@pytest.fixture
def other(tab: ServedPage, open_tab: Tab) -> ServedPage:
    """A second tab with the same session."""
    other = open_tab("?sid=s-1")
    other.set(sid="s-1", ready="s-1")
    return other


def test_what_one_tab_sends_the_other_shows(tab: ServedPage, other: ServedPage) -> None:
    """Case B104."""
    key = tab.send("Hello")
    expect(other.items).to_have_attribute("data-key", key)
    other.watch("Hello")
    other.frames()
    tab.set(replies=[{"key": key, **ACCEPTED}])
    tab.show_sent(key, "Hello")
    other.frames()
    assert other.places("Hello") == [0, 1, 0]
    other.show_sent(key, "Hello")
    assert other.frames() == ["010", "001"]
    assert other.told("send") == []


def test_each_item_is_written_and_removed_by_its_own_key(tab: ServedPage, other: ServedPage) -> None:
    first = tab.send("First")
    tab.set(replies=[{"key": first, **BUSY}])
    expect(other.items).to_have_attribute("data-state", "refused")
    expect(other.box).to_have_value("")
    second = other.send("Second")
    other.set(replies=[{"key": second, **BUSY}])
    expect(tab.items.locator(".cp-bubble")).to_have_text(["First", "Second"])
    tab.button("discard").first.click()
    tab.reply(first, "withdrawn")
    expect(other.items.locator(".cp-bubble")).to_have_text(["Second"])
    assert tab.names("outbox:") == [f"outbox:{second}"]


def test_the_other_tab_can_take_back_what_this_one_could_not_send(tab: ServedPage, other: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    other.button("edit").click()
    expect(tab.button("edit")).to_be_disabled()
    for each in (other, tab):
        each.reply(key, "withdrawn")
    expect(tab.items).to_have_count(0)
    assert [other.places("Hello"), tab.places("Hello")] == [[1, 0, 0], [1, 0, 0]]
    assert other.stored("draft:s-1")["text"] == "Hello"


def test_the_other_tab_finishes_the_withdrawal_of_one_that_was_closed(
    tab: ServedPage, other: ServedPage
) -> None:
    other.stop_clock()
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button("edit").click()
    expect(other.button("edit")).to_be_disabled()
    tab.page.close()
    other.pass_time(8000)
    assert other.told("withdraw") == [[key]]
    other.reply(key, "withdrawn")
    assert other.places("Hello") == [1, 0, 0]


def test_one_draft_is_shown_in_both_tabs(tab: ServedPage, other: ServedPage) -> None:
    tab.write("Hello")
    expect(other.box).to_have_value("Hello")
    tab.page.keyboard.press("Enter")
    expect(other.box).to_have_value("")
    expect(other.items).to_have_count(1)
    assert other.places("Hello") == [0, 1, 0]


def test_a_first_message_of_one_tab_leaves_the_new_page_of_the_other(open_tab: Tab) -> None:
    tab, other = open_tab(), open_tab()
    for each in (tab, other):
        each.set(ready="new")
    key = tab.send("Hello")
    expect(other.items).to_have_count(1)
    tab.set(sid="s-1", ready="s-1", replies=[{"key": key, **ACCEPTED}])
    expect(other.items).to_have_count(0)
    assert tab.places("Hello") == [0, 1, 0]
