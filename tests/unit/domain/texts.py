"""Texts of every kind that is hard to cut, and ways to cut them, for the property tests."""

from hypothesis import strategies as st

from assistant.domain.transcript import PartKind, Transcript

ATOMS = (
    *'aZ0 <&"\\',
    "\n",
    "\r\n",
    "\r",
    "\t",
    "é",
    "e\u0301",
    "你",
    "😀",
    "👩‍👩‍👧",
    "👍🏽",
    "🏽",
    "\u200d",
    "🇯🇵",
    "🏳️‍🌈",
    "שלום",
    "\u2028",
    "\ufffd",
    "\uffff",
    "\U0010ffff",
)
BROKEN = ("\0", "\ud83d", "\ude00", "\udbff", "\udc00")

texts = st.lists(st.sampled_from(ATOMS), max_size=30).map("".join)
"""Well-formed texts, as they stand in a transcript."""

pieces = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map("".join)
"""The same, short and not empty."""

raw_texts = st.lists(st.sampled_from(ATOMS + BROKEN), max_size=30).map("".join)
"""What a provider may send: also NUL and lone halves of surrogate pairs."""

kinds = st.sampled_from((PartKind.REASONING, PartKind.TEXT))


@st.composite
def chunked(draw: st.DrawFn, whole: st.SearchStrategy[str] = texts) -> list[str]:
    """A text, cut anywhere into any number of chunks; some may be empty."""
    text = draw(whole)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    """A transcript of text, reasoning and calls in any order."""
    transcript = Transcript()
    for number, (kind, text) in enumerate(draw(st.lists(st.tuples(kinds, texts), max_size=6))):
        transcript = transcript.append(kind, text)
        if draw(st.booleans()):
            transcript = transcript.with_call(f"call-{number}")
    return transcript
