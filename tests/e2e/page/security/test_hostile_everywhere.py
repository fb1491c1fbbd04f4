"""Whatever anybody writes, wherever it is shown, is text: a hundred tricks, and no policy that stops them.

`refresh/test_hostile_text.py` reads that the text is shown whole; here it is seen that none of it runs.
"""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.page.security.conftest import Watched, has_no_element_of
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.xss_vectors import ONE_LINE, VECTORS, together

GROUPS = 6
TITLES = '[data-testid="session-item"]'
MESSAGES = '[data-testid="message"]'


def batched(vectors: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    """In groups of so many."""
    return (vectors[at : at + size] for at in range(0, len(vectors), size))


@pytest.fixture
def chat(bare: Watched, provider: ScriptedProvider) -> ChatPage:
    return bare.tab().open()


def runs_nothing(bare: Watched, chat: ChatPage, where: str = MESSAGES) -> None:
    """Now, and after a reload."""
    for _ in range(2):
        # What is shown is also touched: a pointer over it, and the focus on all that takes one.
        for place in chat.page.locator(where).all():
            place.hover(position={"x": 5, "y": 5})
        chat.page.evaluate("document.querySelectorAll('[tabindex], input').forEach((one) => one.focus())")
        has_no_element_of(chat.page, where)
        bare.ran_nothing()
        chat.reload()


def test_as_a_message_and_as_an_answer(bare: Watched, chat: ChatPage, provider: ScriptedProvider) -> None:
    """In pieces, so that every trick also stands half received for a moment."""
    text = together()
    provider.say(*(text[at : at + 61] for at in range(0, len(text), 61)))
    chat.say(text)
    chat.ended("complete")
    runs_nothing(bare, chat)


def test_each_as_an_answer_of_its_own_start(
    bare: Watched, chat: ChatPage, provider: ScriptedProvider
) -> None:
    """What begins an answer is not what stands in the middle of one: the groups begin with other tricks."""
    for number, group in enumerate(batched(VECTORS, len(VECTORS) // GROUPS + 1), 1):
        provider.say("\n".join(group))
        chat.say(group[-1])
        expect(chat.answers).to_have_count(number)
        chat.ended("complete")
    runs_nothing(bare, chat)


def test_as_reasoning(bare: Watched, chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().reason(together()).say("Done.")
    chat.say("Think")
    chat.ended("complete")
    chat.element("reasoning").locator("summary").click()
    runs_nothing(bare, chat)


def test_as_the_title_of_a_session(bare: Watched, chat: ChatPage, provider: ScriptedProvider) -> None:
    """Each is shown live in the list, and is the title of the document's session for a moment."""
    provider.say("Named.")
    chat.say(ONE_LINE[0])
    chat.ended("complete")
    address = f"{bare.url}/api/sessions/{chat.named()}"
    shown = 0
    for title in ONE_LINE:
        answer = bare.context.request.patch(address, data={"title": title})
        shown += answer.ok
    assert shown >= 80
    title = re.compile("^" + re.escape(answer.json()["title"]))
    expect(chat.page.locator(TITLES).first).to_have_attribute("title", title)
    runs_nothing(bare, chat, TITLES)


def test_as_arguments_of_a_call_and_as_the_reason_of_a_denial(
    bare: Watched, chat: ChatPage, provider: ScriptedProvider
) -> None:
    for number, group in enumerate(batched(VECTORS, 20), 1):
        arguments = {
            "to": "ada@example.org",
            "subject": group[0][:90].splitlines()[0],
            "text": "\n".join(group).replace("\0", ""),
        }
        provider.script().call("send_mail", arguments)
        provider.say("Not sent.")
        chat.say("Write to Ada")
        expect(chat.answers).to_have_count(number)
        expect(chat.element("deny")).to_be_enabled()
        has_no_element_of(chat.page, MESSAGES)
        chat.element("deny-why").click()
        chat.element("deny-reason").fill(" ".join(group)[:400])
        chat.element("deny").click()
        chat.ended("complete")
    runs_nothing(bare, chat)


def test_as_names_and_results_of_calls(bare: Watched, chat: ChatPage, provider: ScriptedProvider) -> None:
    hostile = ONE_LINE[:: len(ONE_LINE) // 12]
    script = provider.script()
    script.calls(*(("write_note", {"title": title, "text": title}) for title in hostile))
    provider.script().calls(("list_notes", {}), *((name[:60], {}) for name in hostile[:4]))
    provider.say("Noted.")
    chat.say("Note all of this")
    chat.ended("complete")
    for summary in chat.element("tool-call").locator("summary, button").all():
        if summary.is_visible():
            summary.click()
    runs_nothing(bare, chat)


def test_as_the_words_of_a_provider_that_fails(
    bare: Watched, chat: ChatPage, provider: ScriptedProvider
) -> None:
    for number, group in enumerate(batched(ONE_LINE, 30), 1):
        provider.fail(400, {"error": {"message": " ".join(group), "code": group[0], "type": group[-1]}})
        chat.say("Why?")
        expect(chat.answers).to_have_count(number)
        chat.ended("error")
    runs_nothing(bare, chat)


def test_as_an_address_and_as_what_the_browser_keeps(
    bare: Watched, chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Whoever can write there could run code already; that a crafted link makes nobody do it is seen here."""
    for vector in ONE_LINE[::9]:
        chat.page.goto(f"{bare.url}/?sid={vector.replace('#', '%23').replace('&', '%26')}")
        expect(chat.element("notice")).to_be_visible()
        bare.ran_nothing()
    chat.open()
    kept = json.dumps({"text": together(ONE_LINE[:40]), "version": 9})
    chat.page.evaluate("kept => localStorage.setItem('draft:new', kept)", kept)
    chat.reload()
    expect(chat.composer).not_to_have_value("")
    bare.ran_nothing()
