"""Who has the link reads along: live, at the character over a reload, and until the link is taken back."""

from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.share.conftest import Reader
from tests.e2e.page.share.reading import shared_by, unshared_by
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

QUESTION = "Count for me, please"


def test_a_stranger_reads_along_to_the_end(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader, strangers: BrowserContext
) -> None:
    script = held_after(provider, 10, 20)
    chat.say(QUESTION)
    chat.shows(so_far(10))
    page = reader(shared_by(chat))

    expect(page.element("shared-title")).to_have_text(QUESTION)
    assert [message.role for message in page.messages()] == ["user", "assistant"]
    page.shows(so_far(10))
    script.release()
    page.shows(so_far(20))
    script.release()
    page.shows(WHOLE)
    page.ended("complete")
    assert page.messages() == chat.messages()
    assert strangers.cookies() == [], "none is minted"
    page.no_failure()


def test_a_reload_in_mid_answer_goes_on_at_the_character(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    script = held_after(provider, 20)
    chat.say(QUESTION)
    chat.shows(so_far(20))
    page = reader(shared_by(chat))
    page.shows(so_far(20))
    page.kept()
    for _ in range(3):
        heard = len(page.heard)
        page.reload()
        page.shows(so_far(20))
        assert page.layout_shifts() == []
        assert page.failures_seen() == []
        assert min(page.offsets_seen()) == len(so_far(20)), "painted before the server spoke"
        assert so_far(20) not in "".join(page.heard[heard:]), "what the browser kept is not sent again"
    script.release()
    page.shows(WHOLE)
    page.ended("complete")
    page.reload()
    page.shows(WHOLE)


def test_the_next_turn_and_another_title_come_by_themselves(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    provider.say("The first answer.")
    chat.say(QUESTION)
    chat.ended("complete")
    page = reader(shared_by(chat))
    page.shows("The first answer.")
    script = provider.script().say("The second").hold().say(" answer.")
    chat.say("And then?")
    page.shows("The second")
    page.shows("The first answer.", number=0)
    script.release()
    page.shows("The second answer.")
    page.ended("complete")

    chat.page.request.patch(f"{chat.url}/api/sessions/{chat.sid}", data={"title": "Another title"})
    expect(page.element("shared-title")).to_have_text("Another title")
    page.no_failure()


def test_a_revocation_empties_an_open_page_within_five_seconds(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    script = held_after(provider, 20)
    chat.say(QUESTION)
    chat.shows(so_far(20))
    token = shared_by(chat)
    page = reader(token)
    page.shows(so_far(20))
    page.kept()
    unshared_by(chat)
    page.is_gone(QUESTION, "chunk 7,")
    heard = len(page.heard)
    script.release()
    chat.shows(WHOLE)
    assert "chunk" not in "".join(page.heard[heard:])

    page.reload()
    page.is_gone(QUESTION, "chunk 7,")
    unknown = reader("A" * len(token))
    unknown.is_gone()
    assert unknown.element("shared-gone").inner_text() == page.element("shared-gone").inner_text()

    again = shared_by(chat)
    assert again != token
    reader(again).shows(WHOLE)
    page.reload()
    page.is_gone(QUESTION)


def test_a_deleted_session_empties_an_open_page(
    chat: ChatPage, provider: ScriptedProvider, reader: Reader
) -> None:
    provider.say("The answer.")
    chat.say(QUESTION)
    chat.ended("complete")
    page = reader(shared_by(chat))
    page.shows("The answer.")
    assert chat.page.request.delete(f"{chat.url}/api/sessions/{chat.sid}").ok
    page.is_gone(QUESTION, "The answer.")
