"""The text of documents, also of those that were made to hurt."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.tools.web_fetching import Fetched
from assistant.tools.web_text import title_and_text


def html(body: bytes | str, charset: str | None = "utf-8", content_type: str = "text/html") -> Fetched:
    return Fetched("u", content_type, charset, body.encode() if isinstance(body, str) else body, False)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>a <i>b</i>\n c</p>\n<p>d", "a b c\nd"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<table><tr><td>1<td>2<tr><td>3</table>", "1 2\n3"),
        ("a<br> b", "a\nb"),
        ("a <i> b </i> c", "a b c"),
        ("<pre>x\n  y\n</pre>z", "x\n  y\nz"),
        ("<style>p{}</style><script>a<b</script><noscript>n</noscript><svg><text>s</text></svg>k", "k"),
        ("<!-- no -->a &lt;b&gt; &amp;", "a <b> &"),
        ("", ""),
        ("a\0b", "ab"),
    ],
)
def test_html_is_told_as_a_reader_sees_it(body: str, text: str) -> None:
    assert title_and_text(html(body))[1] == text


def test_a_text_that_is_no_html_is_left_alone() -> None:
    assert title_and_text(html("<a> \n b", content_type="text/plain")) == ("", "<a> \n b")


@pytest.mark.parametrize(
    ("charset", "head", "encoding"),
    [
        ("iso-8859-1", "", "iso-8859-1"),
        (None, '<meta charset="windows-1252">', "windows-1252"),
        ("utf-8", '<meta charset="iso-8859-1">', "utf-8"),
        (None, "", "utf-8"),
        ("no-such", "", "utf-8"),
        ("hex", "", "utf-8"),
        ("utf-7x", "", "utf-8"),
    ],
)
def test_the_charset_is_that_of_the_answer_or_of_the_page(
    charset: str | None, head: str, encoding: str
) -> None:
    page = f"{head}<p>na\u00efve caf\u00e9".encode(encoding)
    assert title_and_text(html(page, charset))[1] == "na\u00efve caf\u00e9"


@pytest.mark.parametrize(
    "piece",
    ["<div>", "<b><p>", "<a href=x>", "<table><td>", "<svg>", "</p>", "<", "&", "<p a='", "<!--", "<script>"],
)
def test_a_page_made_of_one_piece_is_read_in_no_time(piece: str) -> None:
    """A tree, or a parser that looks back, needs minutes for some of these."""
    begun = time.process_time()
    title_and_text(html("<p>begin" + piece * (1_000_000 // len(piece))))
    assert time.process_time() - begun < 5


def test_what_stands_beyond_any_depth_is_read() -> None:
    assert title_and_text(html("<div>" * 50_000 + "deep"))[1] == "deep"


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(alphabet="<>/abpre!-&;\0 \n", max_size=200))
def test_no_bytes_break_it(body: bytes | str) -> None:
    title, text = title_and_text(html(body))
    assert "\0" not in title + text
