"""An owner looks at their own link, in the tab in which they shared it."""

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.e2e.page.share.reading import shared_by
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def test_the_owner_sees_in_the_same_tab_what_readers_see_and_finds_the_session_again(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.ended("complete")
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    session = chat.named()
    chat.kept()

    chat.page.goto(f"{chat.url}/shared/{shared_by(chat)}", wait_until="commit")
    chat.ready()
    chat.shows("One.", number=0)
    chat.shows(so_far(20))
    assert chat.element("message").first.locator(".st-user").inner_text() == "Hello?"
    chat.open(session)

    chat.shows("One.", number=0)
    chat.shows(so_far(20))
    script.release()
    chat.ended("complete")
