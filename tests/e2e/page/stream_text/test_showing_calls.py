"""The calls of an answer: each at its offset, in plain words, with exactly its arguments, and asked once."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.text_page import checksum, give, opened, piece, show, whole

TEXT = "Hi 👩‍👩‍👧 Ada.\n\nAnd then."
PLACE = len("Hi 👩‍👩‍👧 Ada.")
MAIL = {"subject": "Lunch?", "text": "Dear Ada", "to": "ada@example.org"}
DECIDED = {"decision": "approve", "decided_at": "2030-01-01T12:03:00.000Z"}
_SHOWS = """wanted => {
  const shown = [...document.querySelector('[data-testid="answer"]').children].map((each) =>
    each.dataset.callId ?? each.textContent);
  return JSON.stringify(shown) === JSON.stringify(wanted);
}"""


def call(id: str = "c", arguments: object = MAIL, **more: Any) -> dict[str, Any]:
    """The row of a call, as `ui/rows` makes it."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {
        "id": id,
        "name": "send_mail",
        "arguments": written,
        "offset": PLACE,
        "state": "completed",
    } | more


WAITS = call(state="requested", hash="h", expires_at="2030-01-01T12:03:00.000Z")
IN_DOUBT = call(state="failed", reason="lost", unknown=True, **DECIDED)


def stand(page: Page, *calls: dict[str, Any], state: str = "tool_calling", live: bool = True) -> Locator:
    """Show the message with these calls; returns the last of them."""
    row = {"messageId": "m", "taskId": "t-m", "role": "assistant", "reason": ""}
    rows = [row | {"state": state, "live": live, "calls": calls}]
    page.evaluate("rows => window.page.set({rows, canWish: 'new'})", rows)
    return page.get_by_test_id("tool-call").last


def wishes(page: Page) -> list[list[str]]:
    return page.evaluate("window.page.wishes")


def test_a_call_stands_at_its_offset_whatever_comes_first(page: Page) -> None:
    """Offsets count code points; what the answer says of its text is of the text alone."""
    two = (call("one"), call("two"))
    wanted = ["Hi 👩‍👩‍👧 Ada.", "one", "two", "And then."]

    stand(page, *two)
    give(page, [piece("m", TEXT, 0)])
    page.wait_for_function(_SHOWS, arg=wanted)

    stand(page)
    page.wait_for_function(_SHOWS, arg=[TEXT.replace("\n\n", "")])
    stand(page, *two)
    page.wait_for_function(_SHOWS, arg=wanted)

    give(page, [whole("m", TEXT, p=[["text", 0, len(TEXT), None]])])
    page.wait_for_function(_SHOWS, arg=wanted)
    answer = page.get_by_test_id("answer")
    expect(answer).to_have_attribute("data-offset", str(len(TEXT)))
    expect(answer).to_have_attribute("data-crc", str(checksum(TEXT)))


def test_a_call_waits_for_the_text_before_it_and_outlives_a_text_that_is_cut(page: Page) -> None:
    stand(page, call())
    give(page, [piece("m", "Hi ", 0)])
    expect(page.get_by_test_id("tool-call")).to_have_count(0)
    give(page, [piece("m", TEXT[3:], 3)])
    expect(page.get_by_test_id("tool-call")).to_have_count(1)
    give(page, [piece("m", "Hi", 0, a=2, b=0, f=1)])
    expect(page.get_by_test_id("tool-call")).to_have_count(0)
    give(page, [piece("m", TEXT[2:], 2, a=2, b=2, f=2)])
    expect(page.get_by_test_id("tool-call")).to_have_count(1)


def test_a_call_without_a_word_before_it_is_there_at_once(page: Page) -> None:
    stand(page, call(offset=0, state="executing", started_at="2030-01-01T12:00:00.000Z"))
    expect(page.get_by_test_id("tool-call")).to_have_count(1)
    expect(page.locator(".st-waiting")).to_have_count(0)
    stand(page, call(offset=0), state="streaming")
    expect(page.locator(".st-waiting")).to_have_count(1)


def test_when_a_call_expires_is_told_exactly_to_a_keyboard_and_a_touch(page: Page) -> None:
    page.clock.set_fixed_time("2030-01-01T12:00:00Z")
    time = stand(page, WAITS | {"offset": 0}).get_by_test_id("tool-expires")
    expect(time).to_have_text("in 3 minutes")
    time.focus()
    expect(time).to_contain_text("January 1, 2030")
    time.blur()
    expect(time).to_have_text("in 3 minutes")


def test_the_arguments_are_read_exactly_as_they_are_run(page: Page) -> None:
    written = (
        '{"big":12345678901234567890,"float":1.0,"html":"<img src=x onerror=alert(1)>",'
        '"list":["a,b",{"c":"}"}],"quote":"say \\"hi\\"","tags":"noon.\\udb40\\udc49\\udb40\\udc4a",'
        '"turned":"a\\u202eb","zero":"\\u200b\\u3164","emoji":"👩‍👩‍👧 ❤️ 👍🏽"}'
    )
    card = stand(page, call(arguments=written, name="other", offset=0, state="requested", hash="h"))
    shown = dict(zip(card.locator("dt").all_inner_texts(), card.locator("dd").all_inner_texts(), strict=True))
    assert shown == {
        "big": "12345678901234567890",
        "float": "1.0",
        "html": "<img src=x onerror=alert(1)>",
        "list": '["a,b",{"c":"}"}]',
        "quote": 'say "hi"',
        "tags": "noon.⟨U+E0049⟩⟨U+E004A⟩",
        "turned": "a⟨U+202E⟩b",
        "zero": "⟨U+200B⟩⟨U+3164⟩",
        "emoji": "👩‍👩‍👧 ❤️ 👍🏽",
    }
    assert "⟨U+202E⟩" in card.locator(".tc-title").inner_text()
    expect(page.locator("img")).to_have_count(0)


@pytest.mark.parametrize("written", ["", "not JSON", "[1]", '{"a":'])
def test_what_are_no_arguments_is_shown_as_it_is(page: Page, written: str) -> None:
    line = stand(page, call(arguments=written, offset=0, state="failed", reason="error"))
    expect(line).to_contain_text(f"send_mail {written}".strip())


def test_a_long_argument_scrolls_and_the_buttons_stay_near(page: Page) -> None:
    card = stand(page, WAITS | {"arguments": json.dumps(MAIL | {"text": "word " * 5000}), "offset": 0})
    text = card.get_by_role("region", name="text")
    assert text.evaluate("each => each.scrollHeight > each.clientHeight")
    box = card.bounding_box()
    assert box is not None
    assert box["height"] < 500


def test_a_call_that_runs_ticks_and_never_counts_down(page: Page) -> None:
    page.clock.install(time="2030-01-01T12:00:10Z")
    line = stand(page, call(offset=0, state="executing", started_at="2030-01-01T12:00:06.000Z"))
    elapsed = line.get_by_test_id("tool-elapsed")
    expect(elapsed).to_have_text("4 s")
    page.clock.run_for(61_000)
    expect(elapsed).to_have_text("1 min 05 s")
    line = stand(page, call("later", offset=0, state="executing", started_at="2030-01-01T13:00:00.000Z"))
    expect(line.get_by_test_id("tool-elapsed")).to_have_text("0 s")


LINES = [
    (call(state="requested"), "About to begin"),
    (call(), "Done"),
    (call(**DECIDED), "Approved .* · Done"),
    (call(**DECIDED, marked=True), "Marked done"),
    (call(state="failed", reason="error", **DECIDED), "Approved .* · Failed"),
    (call(state="failed", reason="denied", decision="deny", decided_at=DECIDED["decided_at"]), "Denied"),
    (call(state="failed", reason="expired"), "Nobody decided in time"),
    (call(state="failed", reason="stopped"), "Stopped"),
    (call(state="failed", reason="timeout"), "No answer in time"),
    (call(state="failed", reason="lost"), "Broken off"),
]


@pytest.mark.parametrize(("row", "words"), LINES)
def test_a_call_of_which_nothing_is_asked_is_one_line_without_buttons(
    page: Page, row: dict[str, Any], words: str
) -> None:
    """Cases B072, B082."""
    line = stand(page, row | {"offset": 0})
    expect(line.get_by_test_id("tool-fate")).to_have_text(re.compile(words))
    expect(line.get_by_role("button")).to_have_count(0)
    expect(line).to_have_attribute("data-reason", row.get("reason", ""))
    box = line.bounding_box()
    assert box is not None
    assert box["height"] < 40


def test_from_running_to_done_nothing_moves(page: Page) -> None:
    give(page, [piece("m", TEXT, 0)])
    before = stand(page, call(state="executing", started_at="2030-01-01T12:00:00.000Z")).bounding_box()
    assert stand(page, call()).bounding_box() == before


def test_while_a_decision_is_on_its_way_neither_button_can_be_pressed(page: Page) -> None:
    card = stand(page, WAITS | {"offset": 0})
    approve, deny = card.get_by_test_id("approve"), card.get_by_test_id("deny")
    approve.dblclick()
    expect(approve).to_be_disabled()
    expect(deny).to_be_disabled()
    [[name, id, decision, hash, reason, key]] = wishes(page)
    assert (name, id, decision, hash, reason) == ("decide", "c", "approve", "h", "")

    why = {"code": "already_decided", "decision": "deny", "decided_on": "Firefox on Android"}
    reply = {"key": key, "state": "refused", "code": why["code"], "details": why}
    page.evaluate("replies => window.page.set({replies})", [reply])
    expect(deny).to_be_enabled()
    assert page.evaluate("window.page.hint()") == "Already denied on Firefox on Android."


def test_a_reason_that_was_typed_is_there_after_a_reload_and_goes_with_the_denial(page: Page) -> None:
    stand(page, WAITS | {"offset": 0})
    page.get_by_test_id("deny-why").click()
    page.get_by_test_id("deny-reason").fill("Not on Thurs")
    page.reload()
    page.wait_for_function("window.page")
    card = stand(page, WAITS | {"offset": 0})
    field = card.get_by_test_id("deny-reason")
    expect(field).to_have_value("Not on Thurs")
    field.press("End")
    page.keyboard.type("day")
    field.press("Enter")
    assert wishes(page)[0][:-1] == ["decide", "c", "deny", "h", "Not on Thursday"]

    stand(page, call(offset=0, state="failed", reason="denied", decision="deny"))
    stand(page, WAITS | {"offset": 0})
    expect(page.get_by_test_id("deny-reason")).to_have_count(0)


def test_details_that_were_opened_are_open_after_a_reload_and_results_are_plain_text(page: Page) -> None:
    row = call(offset=0, result="**Sent** <b>now</b>\n[link](javascript:alert(1))")
    stand(page, row).locator("summary").click()
    page.reload()
    page.wait_for_function("window.page")
    line = stand(page, row)
    expect(line.get_by_role("region", name="Result")).to_have_text(row["result"], use_inner_text=True)
    expect(line.locator("b, strong, a")).to_have_count(0)


def test_of_a_call_in_doubt_a_person_says_what_happened_once_the_task_has_ended(page: Page) -> None:
    card = stand(page, IN_DOUBT | {"offset": 0})
    expect(card).to_contain_text("This may have happened. Check before you run it again.")
    expect(card.get_by_test_id("mark-done")).to_be_disabled()
    card = stand(page, IN_DOUBT | {"offset": 0}, state="failed", live=False)
    card.get_by_test_id("run-again").click()
    expect(card.get_by_test_id("mark-done")).to_be_disabled()
    assert [wish[:-1] for wish in wishes(page)] == [["run_again", "c"]]


def test_looking_wishes_for_nothing(page: Page) -> None:
    """Case B061: drawing and opening every kind of call, again and again."""
    show(page, "m")
    for _ in range(3):
        for row in (WAITS, IN_DOUBT, *(row for row, _ in LINES)):
            line = stand(page, row | {"offset": 0})
            for summary in line.locator("summary").all():
                summary.click()
    assert wishes(page) == []


def test_the_cards_speak_chinese(built: Any, context: BrowserContext) -> None:
    page = opened(context, built, "zh-CN")
    card = stand(page, WAITS | {"offset": 0})
    expect(card).to_contain_text("发送邮件给 ada@example.org：Lunch?")
    expect(card.get_by_role("button", name="批准")).to_be_enabled()
    expect(card.get_by_role("button", name="拒绝")).to_be_enabled()
