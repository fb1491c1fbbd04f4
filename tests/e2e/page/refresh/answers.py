"""What the provider says in these tests: forty known chunks, with gates where a test looks."""

from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider

CHUNKS = tuple(f"chunk {number}, " for number in range(1, 41))
WHOLE = "".join(CHUNKS)

HARD_CHUNKS = (
    "Emoji 👋🏽 ",
    "family 👩‍👩‍👧‍👦, ",
    "a family cut in two 👩‍",
    "👩‍👧, ",
    "cafe",
    "\u0301, flag 🇯",
    "🇵, ",
    "你好",
    "，世界。",
    "नमस्ते ",
    "e\u0301\u0327 ",
    "𝒳𝔜 end.",
)


def so_far(count: int) -> str:
    """The first so many chunks."""
    return "".join(CHUNKS[:count])


def held_after(provider: ScriptedProvider, *counts: int, chunks: tuple[str, ...] = CHUNKS) -> Script:
    """An answer of all the chunks, with a gate after the first `counts` of them."""
    script = provider.script()
    begin = 0
    for count in (*counts, len(chunks)):
        script.say(*chunks[begin:count])
        if count in counts:
            script.hold()
        begin = count
    return script
