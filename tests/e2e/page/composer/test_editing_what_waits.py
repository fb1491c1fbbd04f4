"""A message that waits is edited in the composer and saved in its place; what is typed is never lost."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.composer.conftest import Tab
from tests.e2e.page.composer.test_composer import KEY
from tests.support.composer_page import ServedPage

HINT = "It was edited elsewhere meanwhile. Save puts your text in its place."


def row(text: str = "Hello", key: str = "k-1") -> dict[str, Any]:
    return {"key": key, "text": text, "at": 1, "paused": False}


@pytest.fixture
def editing(tab: ServedPage) -> ServedPage:
    """Two messages wait, and the first one is being edited; the composer held a draft before."""
    tab.set(busyTask="t-1", queued=[row(), row("Later", "k-2")])
    tab.write("A draft")
    tab.button("edit").first.click()
    expect(tab.box).to_have_value("Hello")
    return tab


def saved(tab: ServedPage) -> str:
    """Press Enter; the key of the wish that this made."""
    tab.page.keyboard.press("Enter")
    *_, key = tab.told("rewrite")[-1]
    return key


def stands_as_before(tab: ServedPage) -> None:
    """Nothing is edited, and the draft of before is there again."""
    expect(tab.page.get_by_test_id("editing")).to_have_count(0)
    expect(tab.box).to_have_value("A draft")
    assert [name for name in tab.names("draft:") if "queued" in name] == []


def test_it_is_saved_in_its_place_and_under_its_key(editing: ServedPage) -> None:
    """Case B108: the text is seen at every moment."""
    editing.write(" there")
    editing.watch("Hello there")
    wish = saved(editing)
    [[key, text, replaces, _]] = editing.told("rewrite")
    assert (key, text, replaces) == ("k-1", "Hello there", "Hello")
    assert KEY.fullmatch(wish)
    expect(editing.box).to_have_js_property("readOnly", True)
    editing.reply(wish, "accepted")
    stands_as_before(editing)
    assert editing.places("Hello there") == [0, 1, 0]
    editing.set(queued=[row("Hello there"), row("Later", "k-2")])
    assert editing.frames()[-2:] == ["100", "010"]
    assert editing.told("send") == editing.told("withdraw") == []


def test_cancel_leaves_it_as_it_is(editing: ServedPage) -> None:
    editing.write(" there")
    editing.page.get_by_test_id("cancel-editing").click()
    stands_as_before(editing)
    assert editing.places("Hello") == [0, 1, 0]
    assert editing.told("rewrite") == []


def test_escape_ends_the_edit_and_not_the_answer(editing: ServedPage) -> None:
    editing.write(" there")
    editing.page.keyboard.press("Escape")
    stands_as_before(editing)
    assert editing.told("stop") == []


def test_an_unchanged_text_is_not_saved(editing: ServedPage) -> None:
    editing.page.get_by_test_id("save-editing").click()
    stands_as_before(editing)
    assert editing.told("rewrite") == []


@pytest.mark.parametrize("typed", [" there", ""])
def test_a_reload_in_mid_edit_loses_nothing_and_saves_nothing(editing: ServedPage, typed: str) -> None:
    """Case B161, and I5."""
    if typed:
        editing.write(typed)
    editing.reload()
    editing.set(sid="s-1", ready="s-1", queued=[row(), row("Later", "k-2")])
    expect(editing.page.get_by_test_id("editing")).to_be_visible()
    expect(editing.box).to_have_value(f"Hello{typed}")
    assert editing.told("rewrite") == []
    editing.write("!")
    saved(editing)
    assert editing.told("rewrite")[0][:3] == ["k-1", f"Hello{typed}!", "Hello"]


def test_a_reload_while_it_is_saved_ends_as_the_server_says(editing: ServedPage) -> None:
    editing.write(" there")
    wish = saved(editing)
    editing.reload()
    editing.set(sid="s-1", ready="s-1", queued=[row("Hello there"), row("Later", "k-2")])
    assert editing.told("withdraw") == [[wish]]
    editing.reply(wish, "accepted")
    stands_as_before(editing)


def test_a_save_that_did_not_arrive_is_offered_again(editing: ServedPage) -> None:
    editing.write(" there")
    wish = saved(editing)
    editing.reply(wish, "withdrawn")
    expect(editing.box).to_have_value("Hello there")
    expect(editing.box).to_have_js_property("readOnly", False)
    assert saved(editing) != wish


@pytest.mark.parametrize(
    ("state", "told"), [("accepted", "was sent before"), ("withdrawn", "was removed elsewhere")]
)
def test_when_its_turn_or_its_end_comes_first_the_text_becomes_a_draft(
    editing: ServedPage, state: str, told: str
) -> None:
    """Case B108: nothing is lost or sent twice; the user is told, also once the next answer begins."""
    editing.write(" there")
    editing.set(queued=[row("Later", "k-2")])
    assert ["k-1"] in [keys for [keys] in editing.told("ask")]
    editing.reply("k-1", state, session_id="s-1")
    editing.set(busyTask="")
    editing.set(busyTask="t-2")
    expect(editing.box).to_have_value("Hello there\n\nA draft")
    expect(editing.page.get_by_test_id("edit-notice")).to_contain_text(told)
    expect(editing.page.get_by_test_id("edit-notice")).to_contain_text("Your text is kept here, not sent.")
    assert [name for name in editing.names("draft:") if "queued" in name] == []
    assert editing.told("send") == editing.told("rewrite") == []
    editing.reload()
    editing.set(sid="s-1", ready="s-1")
    expect(editing.box).to_have_value("Hello there\n\nA draft")


@pytest.mark.parametrize("code", ["request_accepted", "request_withdrawn", "not_found"])
def test_a_save_that_comes_too_late_keeps_the_text_as_a_draft(editing: ServedPage, code: str) -> None:
    editing.write(" there")
    wish = saved(editing)
    editing.reply(wish, "refused", code=code, words="No.")
    expect(editing.box).to_have_value("Hello there\n\nA draft")
    expect(editing.page.get_by_test_id("edit-notice")).to_be_visible()


def test_what_was_only_looked_at_is_no_draft_when_it_goes(editing: ServedPage) -> None:
    editing.set(queued=[row("Later", "k-2")])
    editing.reply("k-1", "accepted", session_id="s-1")
    stands_as_before(editing)
    expect(editing.hint).to_have_text("The message was sent before it was changed.")


def test_an_edit_elsewhere_is_told_and_then_replaced_knowingly(editing: ServedPage) -> None:
    editing.write(" there")
    editing.set(queued=[row("Hi"), row("Later", "k-2")])
    expect(editing.box).to_have_value("Hello there")
    expect(editing.hint).to_have_text(HINT)
    saved(editing)
    assert editing.told("rewrite")[0][:3] == ["k-1", "Hello there", "Hi"]


def test_a_save_that_lost_to_another_keeps_the_text_and_names_the_new_one(editing: ServedPage) -> None:
    editing.write(" there")
    wish = saved(editing)
    editing.reply(wish, "refused", code="request_edited", words="No.")
    expect(editing.box).to_have_value("Hello there")
    expect(editing.hint).to_have_text(HINT)
    editing.set(queued=[row("Hi"), row("Later", "k-2")])
    saved(editing)
    assert [told[2] for told in editing.told("rewrite")] == ["Hello", "Hi"]


def test_an_untouched_text_follows_the_edit_of_elsewhere(editing: ServedPage) -> None:
    editing.set(queued=[row("Hi"), row("Later", "k-2")])
    expect(editing.box).to_have_value("Hi")


def test_two_tabs_write_one_text_and_a_save_ends_it_in_both(editing: ServedPage, open_tab: Tab) -> None:
    other = open_tab("?sid=s-1")
    other.set(sid="s-1", ready="s-1", busyTask="t-1", queued=[row(), row("Later", "k-2")])
    other.button("edit").first.click()
    editing.write(" there")
    expect(other.box).to_have_value("Hello there")
    wish = saved(editing)
    editing.reply(wish, "accepted")
    for each in (editing, other):
        each.set(queued=[row("Hello there"), row("Later", "k-2")])
        stands_as_before(each)
        assert each.places("Hello there") == [0, 1, 0]


def test_a_text_that_two_tabs_edit_becomes_one_draft(editing: ServedPage, open_tab: Tab) -> None:
    """I6: both hear that the message waits no more."""
    other = open_tab("?sid=s-1")
    other.set(sid="s-1", ready="s-1", busyTask="t-1", queued=[row(), row("Later", "k-2")])
    other.button("edit").first.click()
    editing.write(" there")
    expect(other.box).to_have_value("Hello there")
    for each in (editing, other):
        each.set(queued=[row("Later", "k-2")])
        each.reply("k-1", "accepted", session_id="s-1")
    for each in (editing, other):
        expect(each.box).to_have_value("Hello there\n\nA draft")
    assert editing.stored("draft:s-1")["text"] == "Hello there\n\nA draft"


def test_a_text_whose_tab_was_closed_comes_back_as_a_draft_when_its_message_is_gone(
    editing: ServedPage, open_tab: Tab
) -> None:
    """I6: it would be kept where nobody sees it."""
    editing.write(" there")
    editing.page.close()
    other = open_tab("?sid=s-1")
    other.set(sid="s-1", ready="s-1")
    assert ["k-1"] in [keys for [keys] in other.told("ask")]
    other.reply("k-1", "accepted", session_id="s-1")
    expect(other.box).to_have_value("Hello there\n\nA draft")
    expect(other.page.get_by_test_id("edit-notice")).to_be_visible()
