"""Who reads by a link does nothing: no handler and no route does anything for them, whatever they call."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import reflex as rx
from playwright.sync_api import BrowserContext, expect

import assistant.ui
from tests.e2e.page.refresh.cards import AFTER, BEFORE, MAIL, asks
from tests.e2e.page.share.conftest import Reader
from tests.e2e.page.share.reading import SharedPage, shared_by
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until
from tests.support.smtp_server import SmtpServer

SOCKET = Path(__file__).with_name("own_socket.js")
WISHES = "reflex___state____state.assistant___ui___states___wishes____wishes"
LAST = "the-last-one"
BUTTONS = ("composer", "send", "stop", "approve", "deny", "mark-done", "run-again", "retry", "regenerate")
BUTTONS_AROUND = (
    "continue",
    "share",
    "new-session",
    "session-item",
    "edit",
    "siblings",
    "outbox-item",
    "delete",
)


def handlers() -> Iterator[tuple[str, list[str]]]:
    """Every handler that a browser may call, by its name on the wire, with the names of its arguments."""
    for found in pkgutil.walk_packages(assistant.ui.__path__, "assistant.ui."):
        importlib.import_module(found.name)
    kinds: list[type[rx.State]] = [rx.State]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind.__module__.startswith("assistant."):
            for name, handler in kind.event_handlers.items():
                if name == "setvar":
                    continue  # Reflex's own, for setters, of which there are none
                yield f"{kind.get_full_name()}.{name}", list(inspect.signature(handler.fn).parameters)[1:]


def shown_to(chat: ChatPage) -> dict[str, Any]:
    """The session as its owner has it."""
    return chat.page.request.get(f"{chat.url}/api/sessions/{chat.sid}").json()


def arguments(names: list[str], known: dict[str, Any], number: int) -> dict[str, Any]:
    """The owner's own ids where a name says what it is, else something of which a handler makes sense."""
    given = {**known, "key": f"key-{number}", "message_key": f"key-{number}", "keys": [f"key-{number}"]}
    return {name: given.get(name, "Mine") for name in names}


@pytest.fixture
def waiting(chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer) -> ChatPage:
    """An owner's page on which a mail waits for a decision."""
    asks(chat, provider)
    return chat


def test_a_reader_is_offered_nothing_to_do(waiting: ChatPage, reader: Reader) -> None:
    page = reader(shared_by(waiting, with_arguments=True))
    page.shows(BEFORE)
    expect(page.element("tool-call")).to_have_attribute("data-state", "requested")
    for name in (*BUTTONS, *BUTTONS_AROUND):
        expect(page.element(name)).to_have_count(0)
    assert set(
        page.page.get_by_role("button").evaluate_all("all => all.map((one) => one.dataset.testid)")
    ) == {"copy"}
    waiting.stop()
    waiting.idle()


@pytest.mark.parametrize("is_an_owner", [False, True])
def test_no_handler_does_anything_for_a_reader(
    waiting: ChatPage,
    provider: ScriptedProvider,
    mail_server: SmtpServer,
    reader: Reader,
    strangers: BrowserContext,
    is_an_owner: bool,
) -> None:
    """Cases B186, B187: every handler over a socket of the reader's, with the ids and hashes of the owner;
    for somebody whom nobody knows, and for an owner of other sessions."""
    if is_an_owner:
        assert strangers.request.get(f"{waiting.url}/api/owner").ok
    token = shared_by(waiting)
    before = shown_to(waiting)
    task = before["tasks"][0]
    call = task["tool_calls"][0]
    known = {
        "sid": waiting.sid,
        "session_id": waiting.sid,
        "task_id": task["id"],
        "call_id": call["id"],
        "message_id": task["question_id"],
        "decision": "approve",
        "arguments_hash": call["arguments_hash"],
        "text": "Mine",
        "edits": task["question_id"],
        "queue": True,
        "version": 99,
        "attempt": 1,
        "offset": 0,
        "crc": 0,
        "with_arguments": True,
    }
    calls, page = len(provider.calls), reader(token)
    page.shows(BEFORE)
    page.page.evaluate(SOCKET.read_text())
    page.page.evaluate("ownSocket.open()")

    def call_as_reader(name: str, payload: dict[str, Any]) -> None:
        page.page.evaluate("told => ownSocket.call(...told)", [name, payload, waiting.sid])

    walked = 0
    for number, (name, names) in enumerate(handlers()):
        call_as_reader(name, arguments(names, known, number))
        walked += 1
    call_as_reader(f"{WISHES}.stop", {"task_id": task["id"], "key": LAST})
    until(page.page, "word => ownSocket.hears(word)", arg=LAST)

    assert walked > 20
    assert shown_to(waiting) == before
    assert (len(provider.calls), mail_server.mails) == (calls, [])
    heard = "".join(page.page.evaluate("ownSocket.heard"))
    assert '"state":"accepted"' not in heard
    assert call["arguments_hash"] not in heard
    assert MAIL["to"] not in heard

    provider.say(AFTER)
    waiting.element("approve").click()
    waiting.shows(BEFORE + AFTER)
    page.shows(BEFORE + AFTER)
    expect(page.element("tool-call")).to_have_attribute("data-state", "completed")


def test_a_token_is_no_owner_and_no_session(waiting: ChatPage, reader: Reader) -> None:
    """As a cookie, as a bearer, as `?sid=`: refused, and nothing changes."""
    token = shared_by(waiting)
    before, sid = shown_to(waiting), waiting.sid
    page: SharedPage = reader(token)
    ways = ({"cookie": f"assistant_owner={token}"}, {"authorization": f"Bearer {token}"})
    for headers in ways:
        for method, path, body in (
            ("GET", f"/api/sessions/{sid}", None),
            ("POST", "/api/messages", {"text": "Mine", "session_id": sid}),
            ("POST", f"/api/tasks/{before['tasks'][0]['id']}/stop", None),
            ("DELETE", f"/api/sessions/{sid}", None),
            ("DELETE", f"/api/sessions/{sid}/share", None),
        ):
            answer = page.page.request.fetch(
                page.url + path, method=method, headers={**headers, "idempotency-key": "k"}, data=body
            )
            assert answer.status == 401, (headers, path)
    for named in (token, sid):
        stranger = ChatPage(page.page.context.new_page(), page.url).open(named)
        expect(stranger.element("notice")).to_contain_text("does not exist, or it is not yours")
        expect(stranger.element("message")).to_have_count(0)
        stranger.page.context.clear_cookies()
    assert shown_to(waiting) == before
    waiting.stop()
    waiting.idle()
