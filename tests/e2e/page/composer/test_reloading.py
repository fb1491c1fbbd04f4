"""A reload at any moment: the text is in one place, and nothing is sent by it (I5, I6)."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.composer.conftest import Tab
from tests.support.composer_page import ServedPage, sent_chunk, user_row

ACCEPTED = {"state": "accepted", "session_id": "s-1", "message_id": "m-1"}
BUSY = {"state": "refused", "code": "session_busy"}
ONE_PLACE = {"100", "010", "001"}


@pytest.mark.parametrize("fate", ["accepted", "unknown"])
@pytest.mark.parametrize("moment", ["typed", "sent", "accepted", "refused"])
def test_a_reload_at_any_moment_keeps_the_text_in_one_place(tab: ServedPage, moment: str, fate: str) -> None:
    """Case B098. The server says later what had become of the key."""
    tab.write("Hello")
    tab.watch("Hello")
    if moment != "typed":
        tab.page.keyboard.press("Enter")
    key = tab.told("send")[0][0] if moment != "typed" else ""
    if moment == "accepted":
        tab.set(replies=[{"key": key, **ACCEPTED}])
    if moment == "refused":
        tab.set(replies=[{"key": key, **BUSY}])
    tab.frames()

    for _ in range(2):
        tab.reload()
        tab.frames()
    tab.set(sid="s-1", ready="s-1")
    asked = [] if moment in ("typed", "accepted") else [[[key]]]
    assert tab.told("ask") == asked
    expect(tab.items.get_by_role("button")).to_have_count(0)
    if asked and fate == "unknown":
        tab.reply(key, "unknown")
        expect(tab.items.get_by_role("button")).to_have_count(3)
    elif moment != "typed":
        tab.set(replies=[{"key": key, **ACCEPTED}])
        tab.show_sent(key, "Hello")
        assert tab.names("outbox:") == []

    # A reload may show a frame in which the page is not yet drawn at all.
    assert set(tab.frames()) - {"000"} <= ONE_PLACE
    assert len(tab.told("send")) == (0 if moment == "typed" else 1)


@pytest.mark.parametrize("fate", ["accepted", "withdrawn"])
@pytest.mark.parametrize("wish", ["edit", "discard"])
def test_taking_back_goes_on_after_a_reload(tab: ServedPage, wish: str, fate: str) -> None:
    """It is asked for again: a question alone would not keep it from its turn."""
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button(wish).click()
    for _ in range(2):
        tab.reload()
    tab.set(sid="s-1", ready="s-1")
    assert (tab.told("ask"), tab.told("withdraw")) == ([], [[key], [key]])
    assert tab.places("Hello") == [0, 1, 0]
    if fate == "withdrawn":
        tab.reply(key, "withdrawn")
        assert tab.places("Hello") == ([1, 0, 0] if wish == "edit" else [0, 0, 0])
    else:
        tab.set(replies=[{"key": key, **ACCEPTED}])
        tab.show_sent(key, "Hello")
        assert tab.places("Hello") == [0, 0, 1]
    assert tab.names("outbox:") == []
    assert len(tab.told("send")) == 1


def test_loading_never_sends(open_tab: Tab) -> None:
    """Case B098, I5."""
    tab = open_tab()
    tab.set(ready="new")
    key = tab.send("Hello")
    for _ in range(5):
        tab.reload()
        tab.set(ready="new")
    tab.page.go_back()
    tab.page.go_forward()
    other = open_tab()
    other.set(ready="new")
    assert len(tab.told("send")) == 1
    assert other.told("send") == []
    assert other.told("ask") == [[[key]]]
    other.reply(key, "unknown")
    expect(other.items).to_have_attribute("data-state", "unsent")


def test_the_first_frame_after_a_reload_shows_draft_and_outbox_of_the_session(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.write("Next")
    tab.reload()
    expect(tab.items).to_have_attribute("data-state", "sending")
    expect(tab.box).to_have_value("Next")


def test_the_bare_address_shows_those_of_the_recent_session(open_tab: Tab) -> None:
    tab = open_tab("?sid=s-1")
    tab.set(sid="s-1", ready="s-1")
    tab.write("Next")
    bare = open_tab()
    expect(bare.box).to_have_value("Next")


@pytest.mark.parametrize(("stood", "draft"), [("this", ""), ("an earlier one", "Next")])
def test_a_document_that_stands_on_a_new_page_expects_no_session(
    context: BrowserContext, open_tab: Tab, stood: str, draft: str
) -> None:
    """Whatever session another tab made the recent one; what a document before it stood on says nothing."""
    tab = open_tab("?sid=s-1")
    tab.set(sid="s-1", ready="s-1")
    tab.write("Next")
    context.add_init_script(f"""
        window.documentName = "this";
        if (location.protocol === "http:") sessionStorage.setItem("stood-new", "{stood}");
    """)
    assert tab.page.evaluate("localStorage.getItem('recent-session')") == "s-1"
    expect(open_tab().box).to_have_value(draft)


def test_the_words_of_a_refusal_survive_a_reload(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.reload()
    tab.set(sid="s-1", ready="s-1")
    tab.reply(key, "unknown")
    expect(tab.items).to_have_attribute("data-state", "refused")
    expect(tab.items).to_contain_text("An answer is still being written here. Wait for it, or stop it.")


@pytest.mark.parametrize(("wish", "places"), [("edit", [1, 0, 0]), ("discard", [0, 0, 0])])
def test_a_reload_remembers_what_the_withdrawal_was_for(
    tab: ServedPage, wish: str, places: list[int]
) -> None:
    key = tab.send("Hello")
    tab.set(replies=[{"key": key, **BUSY}])
    tab.button(wish).click()
    tab.reload()
    tab.set(sid="s-1", ready="s-1")
    tab.reply(key, "withdrawn")
    assert tab.places("Hello") == places
    assert tab.names("outbox:") == []


def test_a_withdrawal_that_nobody_remembers_gives_the_text_back(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.reload()
    tab.set(sid="s-1", ready="s-1")
    tab.reply(key, "withdrawn")
    assert tab.places("Hello") == [1, 0, 0]


def test_a_conversation_that_has_the_message_settles_it_before_any_reply(tab: ServedPage) -> None:
    key = tab.send("Hello")
    tab.watch("Hello")
    tab.reload()
    tab.frames()
    tab.set(sid="s-1", ready="s-1", chunks=[sent_chunk(key, "Hello")], rows=[user_row()])
    assert tab.places("Hello") == [0, 0, 1]
    assert tab.names("outbox:") == []
    assert set(tab.frames()) - {"000"} <= ONE_PLACE


def test_an_unsent_message_and_the_next_text_both_survive(tab: ServedPage) -> None:
    """Case B111."""
    key = tab.send("First")
    tab.write("Second")
    tab.set(replies=[{"key": key, **BUSY}])
    for _ in range(2):
        tab.reload()
        assert tab.places("First") == [0, 1, 0]
        assert tab.places("Second") == [1, 0, 0]


def test_a_kept_item_that_cannot_be_read_is_dropped(tab: ServedPage) -> None:
    tab.page.evaluate("localStorage.setItem('outbox:x', '{\"key\":')")
    tab.page.evaluate("localStorage.setItem('draft:s-1', '17')")
    tab.reload()
    tab.set(sid="s-1", ready="s-1")
    assert tab.names("outbox:") == []
    tab.write("works")
    expect(tab.box).to_have_value("works")
