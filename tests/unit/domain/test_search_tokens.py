"""Tokens and terms: what is indexed of a text is asked for by the same words of a query."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from assistant.domain.search_snippets import AFTER_CHARACTERS, BEFORE_CHARACTERS, EDGE_CHARACTERS, snippet_of
from assistant.domain.search_tokens import Term, fold, index_tokens, terms_of, tokens_of
from tests.unit.domain.texts import texts as hard_texts

texts = st.one_of(hard_texts, st.text(max_size=30))


def indexed(text: str) -> set[str]:
    return set(index_tokens(text))


def found(text: str, query: str) -> bool:
    """As a database does it."""
    tokens = indexed(text)
    asked = [term.indexed for term in terms_of(query)]
    return all(
        any(t.startswith(word) for t in tokens) if prefix else word in tokens for word, prefix in asked
    )


def test_words_pairs_and_how_they_begin_are_indexed() -> None:
    assert indexed("Redis 刷新了") == {"redis", "·r", "·re", "·red", "刷新", "新了", "·刷", "·新", "·了"}


def test_the_last_word_may_have_been_begun_only() -> None:
    assert terms_of("Redis serv") == (Term("redis"), Term("serv", prefix=True))
    assert terms_of("页面刷新") == (Term("页面"), Term("面刷"), Term("刷新"))
    assert terms_of("刷 redis") == (Term("刷", prefix=True), Term("redis", prefix=True))


@given(texts)
def test_every_text_is_found_by_itself(text: str) -> None:
    assert found(text, text)


@given(texts)
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(texts, st.integers(1, 64))
def test_a_word_is_found_by_every_beginning(text: str, length: int) -> None:
    for token in tokens_of(fold(text)):
        if not token.paired:
            assert found(text, token.text[:length])


@given(texts)
def test_tokens_hold_no_space_no_quote_and_no_control_character(text: str) -> None:
    for token in indexed(text):
        assert not {unicodedata.category(sign) for sign in token} & {"Zs", "Zl", "Zp", "Cc"}
        assert not set(token) & set(" \"'\\:&|!()*<>")


@given(texts, texts)
def test_a_snippet_is_short_and_its_ranges_stand_in_it(text: str, query: str) -> None:
    snippet = snippet_of(text, terms_of(query))
    most = BEFORE_CHARACTERS + AFTER_CHARACTERS + 2 * EDGE_CHARACTERS + 2
    assert len(snippet.text) <= most + sum(not each.isalnum() for each in text)
    ends = [0]
    for start, end in snippet.ranges:
        assert ends[-1] <= start < end <= len(snippet.text)
        ends.append(end)


def shown(text: str, query: str) -> tuple[str, list[str]]:
    snippet = snippet_of(text, terms_of(query))
    return snippet.text, [snippet.text[start:end] for start, end in snippet.ranges]


def test_a_snippet_stands_around_the_first_hit_however_far_it_is() -> None:
    text, hits = shown("filler é 字 " * 5_000 + "Das Café\n\n schließt. " + "more " * 500, "cafe schliess")
    assert hits == ["Café", "schließ"]
    assert text.startswith("…")
    assert text.endswith("…")
    assert "Das Café schließt." in text


def test_hits_are_marked_as_far_as_they_were_typed() -> None:
    assert shown("今天页面刷新了吗？刷", "刷新") == ("今天页面刷新了吗？刷", ["刷新"])
    assert shown("今天页面刷新了吗？刷", "刷")[1] == ["刷", "刷"]
    assert shown("Servers serve", "serv")[1] == ["Serv", "serv"]
    assert shown("e\u0301cole \u1112\u1161\u11ab\u1100\u116e\u11a8", "ecole 한국")[1] == [
        "e\u0301cole",
        "\u1112\u1161\u11ab\u1100\u116e\u11a8",
    ]
    assert shown("nothing here", "absent") == ("nothing here", [])
