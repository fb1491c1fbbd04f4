"""The text of a document: lxml reads HTML as it comes, without a tree, so that no nesting is too deep."""

import re

from lxml import etree  # ty: ignore[missing-module-member]

from assistant.tools.web_fetching import Fetched

_BLOCK = re.compile(
    "address|article|aside|blockquote|body|br|caption|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure"
    "|footer|form|h[1-6]|header|hr|html|legend|li|main|nav|ol|option|p|pre|section|select|summary|table|tbody"
    "|tfoot|thead|tr|ul"
)
_CELL = re.compile("t[dh]")
_SILENT = re.compile("script|style|noscript|template|svg|math|iframe|object|audio|video|canvas|textarea")
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_-]{1,40})", re.IGNORECASE)
_CHARSET = re.compile(
    r"utf-?(8|16|32)(-?[lb]e|-?sig)?|(us-)?ascii|latin-?\d+|(iso|windows|cp|koi8|mac|euc|gb|big5|shift|johab|tis)"
    r"[a-z0-9_-]*",
    re.IGNORECASE,
)
_HTML = frozenset({"text/html", "application/xhtml+xml"})


def title_and_text(fetched: Fetched) -> tuple[str, str]:
    """The title, empty for what is no HTML, and the text with a line a paragraph."""
    if fetched.content_type not in _HTML:
        return "", _decoded(fetched.body, fetched.charset).strip()
    declared = _META_CHARSET.search(fetched.body[:2048])
    charset = fetched.charset or (declared.group(1).decode("ascii") if declared else None)
    reading = _Reading()
    parser = etree.HTMLParser(target=reading, no_network=True)
    # A text, so that libxml2 looks for no charset of its own; it takes no U+0000.
    parser.feed(_decoded(fetched.body, charset).replace("\0", ""))
    try:
        parser.close()
    except etree.XMLSyntaxError:  # nothing that could be a document
        return "", ""
    return _one_line("".join(reading.title)), _lines("".join(reading.text))


class _Reading:
    """A target of lxml's parser: collects what a reader would see."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self.text: list[str] = []
        self._silent: str | None = None
        self._depth = 0
        self._in_title = False
        self._preformatted = 0

    def start(self, tag: str, attributes: object) -> None:
        if self._silent:
            self._depth += tag == self._silent
        elif _SILENT.fullmatch(tag):
            self._silent, self._depth = tag, 1
        elif tag == "title":
            self._in_title = True
        else:
            self._preformatted += tag == "pre"
            self._border(tag)

    def end(self, tag: str) -> None:
        if self._silent:
            self._depth -= tag == self._silent
            if not self._depth:
                self._silent = None
        elif tag == "title":
            self._in_title = False
        else:
            self._preformatted -= tag == "pre" and self._preformatted > 0
            self._border(tag)

    def data(self, text: str) -> None:
        if self._silent:
            return
        if self._in_title:
            self.title.append(text)
        else:
            self._add(text if self._preformatted else re.sub(r"\s+", " ", text))

    def close(self) -> None:
        """Nothing is left to do; lxml asks for it."""

    def _border(self, tag: str) -> None:
        if _BLOCK.fullmatch(tag):
            self.text.append("\n")
        elif _CELL.fullmatch(tag):
            self._add(" ")

    def _add(self, text: str) -> None:
        # One space between two pieces, however many elements have one of their own.
        if not self._preformatted and (not self.text or self.text[-1].endswith((" ", "\n"))):
            text = text.removeprefix(" ")
        if text:
            self.text.append(text)


def _decoded(body: bytes, charset: str | None) -> str:
    # Only what is a charset: Python's codecs know others, some of them slow.
    name = charset if charset and _CHARSET.fullmatch(charset) else "utf-8"
    try:
        return body.decode(name, "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
