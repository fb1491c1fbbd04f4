"""Drafts: one a session, kept in the browser at once and with the server a second later."""

from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.composer.conftest import Tab
from tests.support.composer_page import ServedPage

ACCEPTED = {"state": "accepted", "session_id": "s-1", "message_id": "m-1"}


def test_each_session_and_the_new_one_have_their_own_draft(new: ServedPage) -> None:
    """Case B161."""
    sids = ("", "s-1", "s-2")
    for sid in sids:
        new.set(sid=sid, ready=sid or "new")
        expect(new.box).to_have_value("")
        new.write(f"draft of {sid or 'new'}")
    for sid in sids:
        new.set(sid=sid, ready=sid or "new")
        expect(new.box).to_have_value(f"draft of {sid or 'new'}")
    for sid in sids:
        new.page.evaluate("localStorage.removeItem('recent-session')")
        new.page.evaluate("sid => history.replaceState(null, '', sid ? '?sid=' + sid : '/')", sid)
        new.reload()
        new.set(sid=sid, ready=sid or "new")
        expect(new.box).to_have_value(f"draft of {sid or 'new'}")


def test_every_input_is_kept_with_a_higher_version(tab: ServedPage) -> None:
    tab.box.press_sequentially("abc")
    assert tab.stored("draft:s-1") == {"text": "abc", "version": 3}
    tab.reload()
    tab.set(sid="s-1", ready="s-1")
    tab.box.press("End")
    tab.page.keyboard.type("d")
    assert tab.stored("draft:s-1") == {"text": "abcd", "version": 4}


def test_the_server_is_told_a_second_after_the_last_input(tab: ServedPage) -> None:
    tab.stop_clock()
    tab.write("a")
    tab.pass_time(900)
    tab.page.keyboard.insert_text("b")
    tab.pass_time(990)
    assert tab.told("draft") == []
    tab.pass_time(10)
    assert tab.told("draft") == [["s-1", "ab", 2]]


def test_a_draft_that_was_told_into_the_void_is_told_again(tab: ServedPage) -> None:
    tab.stop_clock()
    tab.set(ready="")
    tab.write("a")
    tab.pass_time(2000)
    tab.set(ready="s-1")
    tab.pass_time(1000)
    assert tab.told("draft") == [["s-1", "a", 1]] * 2


def test_a_draft_is_told_before_the_page_turns_to_another_session(tab: ServedPage) -> None:
    tab.write("a")
    tab.set(sid="s-2", ready="s-2")
    assert tab.told("draft") == [["s-1", "a", 1]]


def test_a_stored_draft_of_a_higher_version_wins(tab: ServedPage) -> None:
    tab.write("mine")
    tab.reload()
    tab.set(sid="s-1", ready="s-1", storedDraft={"sid": "s-1", "text": "older", "version": 1})
    expect(tab.box).to_have_value("mine")
    tab.set(storedDraft={"sid": "s-1", "text": "from another device", "version": 7})
    expect(tab.box).to_have_value("from another device")
    assert tab.stored("draft:s-1") == {"text": "from another device", "version": 7}


def test_a_stored_draft_does_not_disturb_who_is_typing(tab: ServedPage) -> None:
    tab.stop_clock()
    tab.write("mine")
    tab.set(storedDraft={"sid": "s-1", "text": "from another device", "version": 7})
    expect(tab.box).to_have_value("mine")
    assert tab.stored("draft:s-1") == {"text": "mine", "version": 8}
    tab.pass_time(1000)
    assert tab.told("draft") == [["s-1", "mine", 8]]


def test_a_stored_draft_of_another_session_waits_for_it(tab: ServedPage) -> None:
    tab.set(storedDraft={"sid": "s-2", "text": "two", "version": 1})
    expect(tab.box).to_have_value("")
    tab.set(sid="s-2", ready="s-2")
    expect(tab.box).to_have_value("two")


def test_a_sent_text_does_not_come_back(tab: ServedPage) -> None:
    """Case B159: not from the browser, and not from an older copy with the server."""
    key = tab.send("Hello")
    assert tab.told("draft") == [["s-1", "", 2]]
    older = {"sid": "s-1", "text": "Hello", "version": 1}
    tab.reload()
    tab.set(sid="s-1", ready="s-1", storedDraft=older)
    expect(tab.box).to_have_value("")
    tab.set(replies=[{"key": key, **ACCEPTED}])
    assert tab.stored("draft:s-1") is None
    tab.set(storedDraft=dict(older))
    expect(tab.box).to_have_value("")


def test_a_first_text_does_not_come_back_on_the_new_page_or_in_its_session(new: ServedPage) -> None:
    """Case B159."""
    key = new.send("Hello")
    new.set(sid="s-1", ready="s-1", replies=[{"key": key, **ACCEPTED}])
    expect(new.box).to_have_value("")
    new.set(sid="", ready="new")
    expect(new.box).to_have_value("")
    assert new.names("draft:") == []


def test_what_is_typed_after_a_first_message_goes_along_into_its_session(new: ServedPage) -> None:
    """I6: it is meant for that session, and the user is in the middle of it."""
    key = new.send("First")
    new.write("Second")
    new.page.keyboard.press("ArrowLeft")
    new.set(sid="s-1", ready="s-1", replies=[{"key": key, **ACCEPTED}])
    new.page.keyboard.insert_text("!")
    expect(new.box).to_have_value("Secon!d")
    assert new.names("draft:") == ["draft:s-1"]


def test_it_goes_along_when_the_reply_comes_after_the_session(new: ServedPage) -> None:
    key = new.send("First")
    new.write("Second")
    new.set(sid="s-1", ready="s-1")
    new.set(replies=[{"key": key, **ACCEPTED}])
    expect(new.box).to_have_value("Second")
    new.set(sid="", ready="new")
    expect(new.box).to_have_value("")


def test_a_draft_of_the_new_page_stays_there_when_another_session_is_opened(new: ServedPage) -> None:
    new.write("For a new one")
    new.set(sid="s-2", ready="s-2")
    expect(new.box).to_have_value("")
    new.set(sid="", ready="new")
    expect(new.box).to_have_value("For a new one")


def test_a_full_storage_is_said_once_and_stops_nothing(open_tab: Tab, context: BrowserContext) -> None:
    """Case B172."""
    context.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }"
    )
    tab = open_tab()
    tab.stop_clock()
    tab.set(sid="s-1", ready="s-1")
    tab.write("Hello")
    expect(tab.hint).to_have_text("Drafts are not saved: no room in this browser.")
    tab.pass_time(8000)
    expect(tab.hint).to_have_text("")
    tab.page.keyboard.press("Enter")
    [[key, text, *_]] = tab.told("send")
    assert text == "Hello"
    assert tab.places("Hello") == [0, 1, 0]
    tab.set(replies=[{"key": key, **ACCEPTED}])
    tab.show_sent(key, "Hello")
    assert tab.places("Hello") == [0, 0, 1]
    expect(tab.hint).to_have_text("")
    tab.write("still works")
    tab.set(sid="s-2", ready="s-2")
    tab.set(sid="s-1", ready="s-1")
    expect(tab.box).to_have_value("still works")


def test_a_sent_text_makes_room_for_itself(tab: ServedPage) -> None:
    """Case B172: the item takes the room of its draft."""
    tab.write("x" * 100_000)
    tab.page.evaluate(
        """let size = 1 << 20; for (let i = 0; size > 1000;) {
        try { localStorage.setItem('filler' + i, 'y'.repeat(size)); i += 1 } catch { size >>= 1 } }"""
    )
    tab.page.keyboard.press("Enter")
    [[key, *_]] = tab.told("send")
    assert tab.stored(f"outbox:{key}")["text"] == "x" * 100_000
    expect(tab.hint).to_have_text("")
