"""Two hundred thousand characters are as refreshable as twenty."""

from tests.e2e.page.refresh.answers import held_after
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

LENGTH = 200_000
PARAGRAPH = (
    "Paragraph {number} has *some* weight, 你好 and 👩‍👩‍👧, and `code` in it. "
    "It goes on for a while, so that two hundred thousand characters are many paragraphs.\n\n"
)


def paragraphs() -> tuple[str, ...]:
    chunks: list[str] = []
    length = 0
    while length < LENGTH:
        chunks.append(PARAGRAPH.format(number=len(chunks)) * 5)
        length += len(chunks[-1])
    return tuple(chunks)


def test_a_reload_in_an_answer_of_200_000_characters_shows_them_all(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    chunks = paragraphs()
    whole = "".join(chunks)
    script = held_after(provider, len(chunks) - 5, chunks=chunks)
    said = "".join(chunks[:-5])
    chat.say("Something very long")
    chat.holds(said, within=30)

    chat.reload()
    assert chat.holds_now(said)
    chat.busy()
    script.release()
    chat.holds(whole)
    chat.ended("complete")
    chat.reload()
    assert chat.holds_now(whole)
    assert f"Paragraph {len(chunks) - 1} has some weight" in chat.text_of(chat.answers)
    assert len(provider.calls) == 1
