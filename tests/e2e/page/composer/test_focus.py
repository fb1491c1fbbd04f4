"""The keyboard is never nowhere, and never taken from where somebody put it."""

from playwright.sync_api import expect

from tests.support.composer_page import ServedPage, user_row

WAIT_MS = 10_000
BEGINNING, ALL = "How it begins", "How it begins, and all the rest."

_DISABLED_FOR_A_MOMENT = """async () => {
  const button = document.body.appendChild(document.createElement("button"));
  const frames = () => new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(() => requestAnimationFrame(done))));
  button.focus();
  button.disabled = true;
  await null; // those who watch the page have seen it
  button.disabled = false;
  await frames();
  const held = document.activeElement === button;
  button.blur();
  button.after(document.createElement("p"));
  await frames();
  return [held, document.activeElement.localName];
}"""


def test_a_button_that_kept_the_focus_does_not_fetch_it_back_later(tab: ServedPage) -> None:
    """It was disabled for less than a frame; whoever then clicks beside everything has left it."""
    assert tab.page.evaluate(_DISABLED_FOR_A_MOMENT) == [True, "body"]


def stands(tab: ServedPage) -> None:
    """A digest of the user's own message, with Edit, and a field beside it."""
    tab.stop_clock()
    digest = {"m": "m-1", "t": "", "op": "replace", "a": 0, "x": BEGINNING, "w": len(ALL)}
    tab.set(chunks=[digest], rows=[{**user_row(), "edits": True}])
    tab.page.evaluate("document.body.append(Object.assign(document.createElement('input'), {id: 'other'}))")


def comes(tab: ServedPage) -> None:
    """The rest of it."""
    tab.set(chunks=[{"m": "m-1", "t": "", "op": "aside", "x": ALL}])


def test_edit_waits_for_the_rest_of_a_digest_and_then_has_the_focus(tab: ServedPage) -> None:
    stands(tab)
    tab.page.get_by_test_id("edit").click()
    assert tab.told("whole") == [["m-1", False]]
    comes(tab)
    expect(tab.box).to_have_value(ALL)
    expect(tab.box).to_be_focused()


def test_edit_takes_no_focus_from_who_went_on_to_something_else(tab: ServedPage) -> None:
    stands(tab)
    tab.page.get_by_test_id("edit").click()
    tab.page.locator("#other").focus()
    comes(tab)
    tab.page.keyboard.type("typed on")
    expect(tab.page.locator("#other")).to_have_value("typed on")
    expect(tab.box).to_have_value("")


def test_edit_of_what_cannot_be_had_says_so_and_takes_no_focus(tab: ServedPage) -> None:
    stands(tab)
    tab.page.get_by_test_id("edit").click()
    tab.pass_time(WAIT_MS)
    expect(tab.hint).to_have_text("The rest of this message could not be had. Try again in a moment.")
    expect(tab.page.get_by_test_id("edit")).to_be_focused()
    expect(tab.box).to_have_value("")
