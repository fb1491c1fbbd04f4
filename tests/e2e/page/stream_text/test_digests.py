"""A digest on the page: the rest is asked for, and who wanted it is told when it cannot be had."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.support.text_page import give, show, whole

WAIT_MS = 10_000
BEGINNING, ALL = "How it begins", "How it begins, and all the rest."
MISSING = "The rest of this message could not be had. Try again in a moment."

_WATCH_CLIPBOARD = """() => {
  window.written = [];
  window.asked = 0;
  navigator.clipboard.write = async ([item]) => {
    window.asked += 1;
    window.written.push(await (await item.getType("text/plain")).text());
  };
}"""


def stands(page: Page, **more: Any) -> None:
    """A digest with a clock that only tests move."""
    page.clock.install(time=0)
    page.clock.pause_at(60_000)
    give(page, [whole("m", BEGINNING, w=len(ALL), **more)])
    show(page, "m", live=False, copied=True)


def test_a_whole_that_cannot_be_had_is_said_and_can_be_asked_for_again(page: Page) -> None:
    stands(page)
    button = page.get_by_test_id("show-whole")
    button.click()
    expect(button).to_be_disabled()
    page.clock.run_for(WAIT_MS)
    expect(button).to_be_enabled()
    assert page.evaluate("window.page.hint()") == MISSING

    button.click()
    give(page, [whole("m", ALL)])
    expect(button).to_have_count(0)
    assert page.evaluate("window.page.wishes") == [["whole", "m", True]] * 2


def test_a_rest_that_is_on_its_way_is_copied_by_the_press(page: Page) -> None:
    """A browser that allows it for a moment after a press only has to be asked in that moment."""
    stands(page)
    page.evaluate(_WATCH_CLIPBOARD)
    page.get_by_test_id("copy").click()
    assert page.evaluate("[window.page.wishes, window.asked, window.written]") == [
        [["whole", "m", False]],
        1,
        [],
    ]
    give(page, [{"m": "m", "t": "t-m", "op": "aside", "x": ALL}])
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.written") == [ALL]


def test_a_rest_that_cannot_be_had_is_said_and_nothing_is_copied(page: Page) -> None:
    stands(page)
    page.evaluate(_WATCH_CLIPBOARD)
    page.get_by_test_id("copy").click()
    page.clock.run_for(WAIT_MS)
    assert page.evaluate("[window.page.hint(), window.written]") == [MISSING, []]
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    expect(page.get_by_role("button", name="Copied")).to_have_count(0)
