"""What a person sees of an answer: Markdown as it grows, and nothing that could do harm."""

from random import Random

import pytest
from playwright.sync_api import Page, expect

from tests.support.markdown_texts import hard_text, pieces
from tests.support.text_page import checksum, give, piece, show, whole

COMPARE = """cases => cases.filter(([text, pieces]) => {
    const row = (messageId, live) => ({messageId, role: "assistant", live});
    page.set({rows: [row("live", true)]});
    let o = 0;
    for (const x of pieces) {
        page.set({chunks: [{m: "live", t: "", op: "text", a: 1, o, x, k: "text", b: 0, f: 0}]});
        o += [...x].length;
    }
    const chunks = [{m: "whole", t: "", op: "replace", a: 1, x: text}];
    page.set({rows: [row("live", false), row("whole", false)], chunks});
    const shown = [...document.querySelectorAll("[data-testid=answer]")].map((answer) => {
        const copy = answer.cloneNode(true);
        copy.normalize();
        return copy;
    });
    const same = shown[0].isEqualNode(shown[1]);
    page.set({rows: [], chunks: [{m: "live", op: "drop"}, {m: "whole", op: "drop"}]});
    return !same;
})"""


@pytest.mark.parametrize("seed", range(3))
def test_a_text_that_grew_looks_like_the_text_at_once(page: Page, seed: int) -> None:
    """Case B157: whatever it holds, and wherever it was cut."""
    random = Random(seed)
    texts = [hard_text(random) for _ in range(40)]
    cases = [[text, pieces(random, text, random.choice((1, 5, 20)))] for text in texts]
    assert page.evaluate(COMPARE, cases) == []


@pytest.mark.parametrize(
    "text",
    [
        "Not a table\n| a | b |\n|-|-x\n",
        "[one]: http://a.example\n'a title\nover lines'\n\nSee [one].\n",
        "- item\n--\nstill of it\n\n\n- loose now\n",
        "> quote\nlazy\n-no list\n\n1. one\n\n   ```\n   two\n",
        "See [two].\n\n> [two]: http://a.example/2\n\n[two]: http://a.example/other\n",
        "end\r\n\r\n```\r\ncode\r\n```\r\n~~~",
    ],
)
def test_a_text_that_grew_by_single_characters_looks_like_the_text_at_once(page: Page, text: str) -> None:
    assert page.evaluate(COMPARE, [[text, list(text)]]) == []


def test_the_shown_text_is_the_text_parts_and_its_place_is_told(page: Page) -> None:
    text = "你好 👩‍👩‍👧 e\u0301\n\nSecond paragraph"
    show(page, "m")
    give(page, [piece("m", "Thinking.", 0, k="reasoning"), piece("m", text, 9)])
    answer = page.get_by_test_id("answer")
    expect(answer).to_have_text("你好 👩‍👩‍👧 e\u0301Second paragraph")
    expect(answer).to_have_attribute("data-offset", str(len(text) + 9))
    expect(answer).to_have_attribute("data-crc", str(checksum("Thinking." + text)))
    expect(answer).to_have_attribute("data-attempt", "1")
    expect(answer).to_have_attribute("data-task-id", "t-m")


def test_what_is_not_text_of_the_model_is_marked(page: Page) -> None:
    show(page, "m", live=False)
    give(page, [piece("m", "Run `it`:\n\n```sh\nmake run\n```\n\n- [x] done\n- next", 0)])
    unmarked = """answer => {
        const copy = answer.cloneNode(true);
        copy.querySelectorAll("[data-chrome]").forEach((each) => each.remove());
        return copy.textContent;
    }"""
    assert page.get_by_test_id("answer").evaluate(unmarked) == "Run it:make rundonenext"


def test_a_fence_half_received_is_code(page: Page) -> None:
    """Case B157."""
    code = "$1 \\(x\\) <b>**not bold**</b>\n- no list\n~~~\n"
    show(page, "m")
    give(page, [piece("m", "Text\n\n```py\n", 0)])
    shown = "code => document.querySelector('pre code').textContent === code"
    for at, character in enumerate(code):
        give(page, [piece("m", character, 12 + at)])
        page.wait_for_function(shown, arg=code[: at + 1].removesuffix("\n"))
    expect(page.locator("pre code")).to_contain_text("**not bold**")
    expect(page.get_by_test_id("answer").locator("li, strong")).to_have_count(0)


def test_no_level_of_headings_is_left_out(page: Page) -> None:
    """Who hears the page would look for what is missing; each looks as it was written all the same."""
    show(page, "m", live=False)
    give(page, [whole("m", "### First\n\n# Large\n\n#### Deep\n\n## Less\n")])
    headings = page.get_by_test_id("answer").locator(":is(h1, h2, h3, h4, h5, h6)")
    told = headings.evaluate_all("all => all.map((one) => `${one.localName} ${one.className}`)")
    assert told == ["h2 st-h3", "h2 st-h1", "h3 st-h4", "h3 st-h2"]


def test_half_an_underline_does_not_make_a_heading_of_the_text_above(page: Page) -> None:
    show(page, "m")
    give(page, [piece("m", "What to do:\n-", 0)])
    expect(page.get_by_test_id("answer").locator("p")).to_have_text("What to do:")
    give(page, [piece("m", " first", 13)])
    expect(page.get_by_test_id("answer").locator("li")).to_have_text("first")


def test_markup_and_script_in_a_text_are_shown_as_text(page: Page) -> None:
    text = (
        '<script>window.hit=1</script> <b>x</b>\n\n<iframe srcdoc="<script>parent.hit=1</script>"></iframe>'
    )
    show(page, "m", live=False)
    give(page, [whole("m", text)])
    answer = page.get_by_test_id("answer")
    expect(answer).to_contain_text("<script>window.hit=1</script> <b>x</b>")
    expect(answer).to_contain_text("<iframe srcdoc=")
    expect(answer.locator("script, b, iframe")).to_have_count(0)
    assert page.evaluate("window.hit") is None


def test_links_go_to_the_web_and_to_mail_alone(page: Page) -> None:
    show(page, "m", live=False)
    links = (
        "http://a.example/x",
        "mailto:a@b.example",
        "javascript:alert(1)",
        "/local",
        "data:text/html,x",
        "ftp://a.example",
    )
    give(page, [whole("m", " ".join(f"[to]({link})" for link in links) + " run main.py")])
    anchors = page.get_by_test_id("answer").locator("a")
    assert anchors.evaluate_all("all => all.map((a) => a.getAttribute('href'))") == list(links[:2])
    expect(anchors.first).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(anchors.first).to_have_attribute("target", "_blank")


def test_an_image_is_a_link_and_is_not_loaded(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show(page, "m", live=False)
    give(page, [whole("m", "![a cat](http://a.example/cat.png)")])
    expect(page.get_by_role("link", name="a cat")).to_have_attribute("href", "http://a.example/cat.png")
    expect(page.locator("img")).to_have_count(0)
    assert asked == []


def test_a_definition_that_comes_late_makes_earlier_words_a_link(page: Page) -> None:
    show(page, "m")
    give(page, [piece("m", "See [the docs].\n\nMore.\n\n", 0)])
    link = page.get_by_role("link", name="the docs")
    expect(link).to_have_count(0)
    give(page, [piece("m", "[the docs]: http://a.example/docs\n", 24)])
    expect(link).to_have_attribute("href", "http://a.example/docs")


def test_code_is_copied_by_a_named_button(page: Page) -> None:
    show(page, "m", live=False)
    give(page, [whole("m", "```js\nconst a = '<&>';\n\nf(a)\n```")])
    page.get_by_role("button", name="Copy code").press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "const a = '<&>';\n\nf(a)"
    expect(page.locator(".hljs-keyword")).to_have_text("const")


def test_a_caret_stands_at_the_end_while_more_may_come(page: Page) -> None:
    show(page, "m")
    give(page, [piece("m", "- one\n- two", 0)])
    expect(page.locator("li:last-child > .st-caret")).to_have_count(1)
    show(page, "m", live=False)
    expect(page.locator(".st-caret")).to_have_count(0)


def test_the_caret_glows_only_while_nothing_comes(page: Page) -> None:
    """Begun anew with each block, its animation cost a layer and a frame for each (docs/BENCH.md)."""
    show(page, "m")
    give(page, [piece("m", "one", 0)])
    glowing = "document.querySelector('.st-caret').getAnimations().length"
    page.wait_for_function(f"{glowing} === 1")
    give(page, [piece("m", "\n\ntwo", 3)])
    assert page.evaluate(glowing) == 0
    page.wait_for_function(f"{glowing} === 1")


def test_the_words_of_a_user_are_shown_as_they_are(page: Page) -> None:
    show(page, "m", role="user", live=False)
    give(page, [whole("m", "# one\n  **two**\n\n<b>three</b>")])
    assert page.locator("article").inner_text() == "# one\n  **two**\n\n<b>three</b>"
