"""What the component keeps in the browser, so that a reload does not show."""

import json

from playwright.sync_api import Page, expect

from tests.support.text_page import checksum, give, piece, show

TEXT = "Kept 你好 👩‍👩‍👧 text"
END = {"m": "m", "t": "t-m", "op": "end"}


def test_the_text_of_an_unfinished_answer_is_there_as_soon_as_its_row(page: Page) -> None:
    """DESIGN 7, step 5: painted before anything came from the server."""
    give(page, [piece("m", "Hm.", 0, k="reasoning"), piece("m", TEXT, 3, a=2, b=3)])
    _reload(page)
    show(page, "m")
    answer = page.get_by_test_id("answer")
    expect(answer).to_have_text(TEXT)
    expect(answer).to_have_attribute("data-attempt", "2")
    expect(answer).to_have_attribute("data-offset", str(len(TEXT) + 3))
    expect(answer).to_have_attribute("data-crc", str(checksum("Hm." + TEXT)))
    expect(page.get_by_test_id("reasoning")).to_have_count(1)


def test_what_is_kept_is_told_to_the_server(page: Page) -> None:
    give(page, [piece("m", TEXT, 0), piece("other", "done", 0), {"m": "other", "t": "t-other", "op": "end"}])
    _reload(page)
    assert json.loads(_stored(page, "have")) == {"t-m": [1, len(TEXT), checksum(TEXT)]}
    kept = json.loads(_stored(page, "answer:t-m"))
    assert kept == {"message": "m", "attempt": 1, "text": TEXT, "parts": [["text", 0, len(TEXT)]]}


def test_text_goes_on_from_what_was_kept(page: Page) -> None:
    """Case B013: the rest is appended once, whatever of it was shown before."""
    give(page, [piece("m", TEXT, 0)])
    _reload(page)
    show(page, "m")
    give(page, [piece("m", TEXT[-4:] + " and more", len(TEXT) - 4)])
    expect(page.get_by_test_id("answer")).to_have_text(TEXT + " and more")


def test_an_ended_answer_is_not_kept(page: Page) -> None:
    give(page, [piece("m", TEXT, 0)])
    _reload(page)
    give(page, [END])
    _reload(page)
    assert page.evaluate("Object.keys(sessionStorage)") == ["have"]
    assert _stored(page, "have") == "{}"


def test_a_kept_text_that_cannot_be_read_is_dropped(page: Page) -> None:
    page.evaluate("sessionStorage.setItem('answer:t-m', '{\"message\":')")
    _reload(page)
    show(page, "m")
    expect(page.get_by_test_id("answer")).to_have_text("waiting for the model")
    assert _stored(page, "answer:t-m") is None


def test_reasoning_is_folded_and_stays_open_once_opened(page: Page) -> None:
    """Case B155; by keyboard."""
    give(page, [piece("m", "I *wonder*.", 0, k="reasoning")])
    show(page, "m")
    reasoning = page.get_by_test_id("reasoning")
    expect(reasoning).not_to_have_attribute("open", "")
    page.get_by_text("Thinking").press("Enter")
    expect(reasoning.locator("em")).to_have_text("wonder")

    _reload(page)
    show(page, "m")
    expect(reasoning).to_have_attribute("open", "")
    expect(reasoning.locator("em")).to_be_visible()
    give(page, [piece("m", "Answer", 11)])
    expect(reasoning.locator("summary")).to_have_text("Reasoning")


def test_the_session_is_named_in_the_url_without_a_navigation(page: Page) -> None:
    """Case B184."""
    page.evaluate("history.replaceState({idx: 3}, '', '/?debug=1#end')")
    entries = page.evaluate("history.length")
    page.evaluate("page.set({sid: 's-1'})")
    assert page.evaluate("location.search + location.hash") == "?debug=1&sid=s-1#end"
    assert page.evaluate("[history.state, history.length]") == [{"idx": 3}, entries]
    assert page.evaluate("localStorage.getItem('recent-session')") == "s-1"


def test_the_page_says_when_it_is_restored(page: Page) -> None:
    root = page.locator("html")
    assert root.get_attribute("data-ready") is None
    page.evaluate("page.set({ready: 's-1'})")
    expect(root).to_have_attribute("data-ready", "s-1")
    page.evaluate("page.set({ready: ''})")
    assert root.get_attribute("data-ready") is None


def _reload(page: Page) -> None:
    page.reload()
    page.wait_for_function("window.page")


def _stored(page: Page, name: str) -> str:
    return page.evaluate("name => sessionStorage.getItem(name)", name)
