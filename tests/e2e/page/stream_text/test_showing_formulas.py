"""Formulas: MathML of known kinds, drawn once their end is there; what is none stays what it is."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.text_page import give, piece, show, whole

AT_ONCE = """texts => texts.map((x, at) => {
    page.set({rows: [{messageId: "m", role: "assistant", live: false}],
              chunks: [{m: "m", t: "", op: "replace", a: at + 1, x}]});
    const answer = document.querySelector("[data-testid=answer]");
    return [answer.querySelectorAll("math").length, answer.textContent];
})"""

SAID = """Let $x_1$ and \\(y^2\\) with $$z$$ and `$c$`, $5 or $6:

$$
\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}
= \\frac{1}{2}
$$

- in a list \\[ \\sum_{i=0}^n i \\]

| $a$ | b |
|---|---|
| \\(q\\) | $7 |
"""

NO_FORMULAS = (
    "$5 and $6",
    "It costs $5-$6, US$7 or A$8.",
    "from $10 million to US$ or so",
    "价格是$5元，也就是$6元。",
    "$HOME/bin:$PATH",
    "`$x$` and ``\\(y\\)``",
    "```\n$$\nx\n$$\n\\[y\\]\n$z$\n```",
    "```\nopen $x$\n\\(y\\)",
    "    indented $$x$$",
    "\\$x\\$ and \\[1\\] and \\[a\\](b)",
    "$ x $ and $$ and $$",
    "a $x\n\ny$ b",
    "$$\nx\n\ny\n$$",
)

NOT_UNDERSTOOD = (
    "\\href{javascript:window.owned=1}{x}",
    "\\url{javascript:window.owned=1}",
    "\\includegraphics{http://evil.example/x.png}",
    "\\htmlClass{a}{x}",
    "\\class{st-caret}{x}",
    "\\id{root}{x}",
    "\\style{position:fixed}{x}",
    "\\data{testid=answer}{x}",
    "\\color{red;background:url(//evil.example/)}{x}",
    "\\def\\x{\\x\\x}\\x",
    "\\sqrt{" * 500 + "x" + "}" * 500,
    "x" * 3500,
    "\\frac{1}{",
    "a & b",
    "\\unknown",
    "x^2^3",
)

ELEMENTS = """() => [...document.querySelectorAll(".st-math *")].map((one) => [
    one.namespaceURI, one.localName, ...one.getAttributeNames()].join(" "))"""


def test_formulas_are_drawn_where_they_stand(page: Page) -> None:
    """In lines, in blocks, in lists and cells; code and prices are left alone."""
    show(page, "m", live=False)
    give(page, [whole("m", SAID)])
    answer = page.get_by_test_id("answer")
    expect(answer.locator("math")).to_have_count(7)
    expect(answer.locator(".st-display")).to_have_count(3)
    expect(answer.locator("li math")).to_have_count(1)
    expect(answer.locator("th math, td math")).to_have_count(2)
    expect(answer.locator("code")).to_have_text("$c$")
    expect(answer).to_contain_text("$5 or $6:")
    expect(answer).not_to_contain_text("\\")


def test_what_is_no_formula_is_shown_as_it_is(page: Page) -> None:
    loaded = AT_ONCE.replace("texts.map", "['$x$', ...texts].map")
    page.evaluate(loaded, [])
    expect(page.locator("math")).to_have_count(1)
    shown = page.evaluate(AT_ONCE, list(NO_FORMULAS))
    assert [(text, count) for text, (count, _) in zip(NO_FORMULAS, shown, strict=True) if count] == []
    assert [written for _, written in shown[:5]] == list(NO_FORMULAS[:5])


def test_a_formula_that_is_not_understood_or_not_wanted_is_shown_as_written(page: Page) -> None:
    """No error, no colour, nothing loaded, and neither the page nor the browser gives up."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show(page, "m", live=False)
    give(page, [whole("m", "$x$")])
    expect(page.locator("math")).to_have_count(1)
    texts = [f"\\({formula}\\)" for formula in NOT_UNDERSTOOD]
    assert page.evaluate(AT_ONCE, texts) == [[0, text] for text in texts]
    assert page.evaluate("window.owned") is None
    assert asked == []


def test_a_formula_is_made_of_known_elements_and_covers_nothing_else(page: Page) -> None:
    show(page, "m", live=False)
    tricks = (
        "\\(\\text{<img src=x onerror=window.owned=1>}\\)",
        "$$\\tag{<script>window.owned=1</script>} x \\label{root}$$",
        "\\(\\rule{9999em}{9999em}\\)",
        "\\(\\kern-9999em \\text{over there}\\)",
        "\\(\\raisebox{9999em}{x}\\)",
    )
    give(page, [whole("m", "\n\n".join((*tricks, "The end.")))])
    expect(page.locator("math")).to_have_count(len(tricks))
    for described in page.evaluate(ELEMENTS):
        space, name, *attributes = described.split(" ")
        assert space.endswith("MathML"), described
        assert name.startswith("m"), described
        assert not {"href", "id", "src"} & set(attributes), described
        assert not any(attribute.startswith(("on", "data")) for attribute in attributes), described
    assert page.evaluate("window.owned") is None
    # Whatever is asked for ends at the border of the answer.
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0
    assert page.evaluate("document.documentElement.scrollHeight") < 3000


@pytest.mark.parametrize(
    ("written", "element"),
    [("\\(a*b*c\\)", "p"), ("$a_1*b*c$", "p"), ("$$\nx\n= y\n- z\n$$", "div"), ("\\[\nx\n| y |\n\\]", "div")],
)
def test_a_formula_half_received_is_its_source_and_then_a_formula(
    page: Page, written: str, element: str
) -> None:
    """No list, no emphasis, no error on the way, and one element all the time."""
    show(page, "m")
    give(page, [piece("m", "$x$\n\n", 0)])
    expect(page.locator("math")).to_have_count(1)
    block = page.locator(".st-block:nth-child(2)")
    for at, character in enumerate(written):
        give(page, [piece("m", character, 5 + at)])
        shown = block.evaluate_all("all => all.map((one) => [one.firstChild.localName, one.textContent])")
        assert len(shown) <= 1
        assert page.locator(".st-block em, .st-block li, .st-block table, merror").count() == 0
        if shown and at < len(written) - 2:
            assert shown[0][0] == element
            assert written.startswith(shown[0][1])
    give(page, [piece("m", "\n\nThen.", 5 + len(written))])
    expect(page.locator("math")).to_have_count(2)
    assert block.evaluate("one => one.firstChild.localName") == element
