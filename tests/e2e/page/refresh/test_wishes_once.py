"""Every wish of the page, over a line that fails at every point: done once, or not done and offered again."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

Act = Callable[[ChatPage, ScriptedProvider], None]


class Fault(StrEnum):
    """What happens to the wish on its way."""

    LOST = "the link breaks before it arrives"
    UNANSWERED = "it arrives, and the link breaks before the reply"
    TWICE = "it arrives twice"
    LATE = "it arrives late"


@dataclass
class Line:
    """The page's sockets; once a fault is set, it befalls the next wish of that name."""

    wish: str = ""
    fault: Fault | None = None
    held: list[Callable[[], None]] = field(default_factory=list)
    happened: bool = False

    def befall(self, wish: str, fault: Fault) -> None:
        self.wish, self.fault = wish, fault

    def opened(self, page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()
        deaf = False

        def to_server(message: str | bytes) -> None:
            nonlocal deaf
            if self.fault is None or not re.search(rf"wishes\.{self.wish}\b", str(message)):
                server_side.send(message)
                return
            fault, self.fault, self.happened = self.fault, None, True
            if fault is not Fault.LOST and fault is not Fault.LATE:
                server_side.send(message)
            match fault:
                case Fault.TWICE:
                    server_side.send(message)
                case Fault.LATE:
                    self.held.append(lambda: server_side.send(message))
                case Fault.LOST | Fault.UNANSWERED:
                    deaf = True
                    page_side.close(code=1012)

        def to_page(message: str | bytes) -> None:
            if not deaf:
                page_side.send(message)

        page_side.on_message(to_server)
        server_side.on_message(to_page)


@dataclass(frozen=True)
class Wish:
    """How a page comes to where it can be wished, how it is, and what shows that it was done once."""

    name: str
    prepare: Act
    press: Callable[[ChatPage], None]
    done: Act


def answered(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say("One answer.")
    chat.say("A question")
    chat.shows("One answer.")
    chat.ended("complete")


def answered_twice(chat: ChatPage, provider: ScriptedProvider) -> None:
    answered(chat, provider)
    provider.say("Another.")
    press("regenerate")(chat)
    chat.shows("Another.")
    chat.ended("complete")


def running(chat: ChatPage, provider: ScriptedProvider) -> None:
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))


def stopped(chat: ChatPage, provider: ScriptedProvider) -> None:
    running(chat, provider)
    chat.stop()
    chat.ended("stopped")


def failed(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.fail(400)
    chat.say("A question")
    chat.ended("error")


def paused(chat: ChatPage, provider: ScriptedProvider) -> None:
    running(chat, provider)
    chat.say("And then this")
    expect(chat.outbox).to_have_attribute("data-state", "queued")
    chat.stop()
    expect(chat.element("queue-send")).to_be_enabled()


def deleted(chat: ChatPage, provider: ScriptedProvider) -> None:
    answered(chat, provider)
    over(chat, "delete").click()
    expect(chat.element("session-item")).to_have_count(0)
    chat.ready("new")


def press(name: str) -> Callable[[ChatPage], None]:
    def pressed(chat: ChatPage) -> None:
        chat.element("message").last.hover()
        chat.element(name).last.click()

    return pressed


def over(chat: ChatPage, name: str) -> Locator:
    chat.page.locator(".session-row").first.hover()
    return chat.element(name)


def edit(chat: ChatPage) -> None:
    """The text may be back in the composer after a send that did not go."""
    if chat.outbox.count():
        chat.element("outbox-send").click()
        return
    chat.composer.focus()
    chat.page.keyboard.press("ArrowUp")
    chat.page.keyboard.type(", please")
    chat.page.keyboard.press("Enter")


def send(chat: ChatPage) -> None:
    if chat.outbox.count():
        chat.element("outbox-send").click()
    else:
        chat.say("A question")


def rename(chat: ChatPage) -> None:
    over(chat, "rename").click()
    chat.element("session-title").fill("Another title")
    chat.page.keyboard.press("Enter")


def has_new_answer(calls: int, versions: str = "") -> Act:
    def done(chat: ChatPage, provider: ScriptedProvider) -> None:
        eventually_sync(lambda: len(provider.calls) == calls)
        chat.ended("complete")
        assert len(provider.calls) == calls
        assert [message.role for message in chat.messages()] == ["user", "assistant"]
        if versions:
            expect(chat.element("sibling-place")).to_have_text(versions)

    return done


def is_stopped(chat: ChatPage, _: ScriptedProvider) -> None:
    chat.ended("stopped")
    chat.shows(so_far(20))


def shows_the_first(chat: ChatPage, provider: ScriptedProvider) -> None:
    chat.shows("One answer.")
    expect(chat.element("sibling-place")).to_have_text("1 / 2")
    assert len(provider.calls) == 2


def is_renamed(chat: ChatPage, _: ScriptedProvider) -> None:
    expect(chat.element("session-item")).to_have_text("Another title")


def is_deleted(chat: ChatPage, _: ScriptedProvider) -> None:
    expect(chat.element("session-item")).to_have_count(0)
    expect(chat.element("undo-delete")).to_be_visible()


def is_back(chat: ChatPage, _: ScriptedProvider) -> None:
    expect(chat.element("session-item")).to_have_count(1)


def is_released(chat: ChatPage, provider: ScriptedProvider) -> None:
    eventually_sync(lambda: len(provider.calls) == 2)
    chat.ended("complete")
    assert len(chat.messages()) == 4
    assert len(provider.calls) == 2


WISHES = (
    Wish("send", lambda *_: None, send, has_new_answer(1)),
    Wish("send", answered, edit, has_new_answer(2, "2 / 2")),
    Wish("stop", running, ChatPage.stop, is_stopped),
    Wish("retry", failed, press("retry"), has_new_answer(2)),
    Wish("retry", answered, press("regenerate"), has_new_answer(2, "2 / 2")),
    Wish("carry_on", stopped, press("continue"), has_new_answer(2)),
    Wish("choose", answered_twice, press("sibling-earlier"), shows_the_first),
    Wish("release", paused, lambda chat: chat.element("queue-send").click(), is_released),
    Wish("rename", answered, rename, is_renamed),
    Wish("delete", answered, lambda chat: over(chat, "delete").click(), is_deleted),
    Wish("undo_delete", deleted, lambda chat: chat.element("undo-delete").click(), is_back),
)
NAMES = (
    "send",
    "edit",
    "stop",
    "retry",
    "regenerate",
    "continue",
    "choose",
    "release",
    "rename",
    "delete",
    "undo",
)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.mark.parametrize("fault", Fault, ids=lambda fault: fault.name.lower())
@pytest.mark.parametrize("wish", WISHES, ids=NAMES)
def test_a_wish_is_carried_out_once_or_offered_again(
    chat: ChatPage, provider: ScriptedProvider, line: Line, wish: Wish, fault: Fault
) -> None:
    """Cases B100, B102, B134."""
    chat.page.route_web_socket(re.compile("/_event"), line.opened)
    chat.reload()
    wish.prepare(chat, provider)
    line.befall(wish.name, fault)
    wish.press(chat)
    eventually_sync(lambda: chat.page.evaluate("1") and line.happened)

    if fault is Fault.LATE:
        expect(chat.element("connection")).to_have_attribute("data-state", "connected")
        line.held.pop()()
    if fault is Fault.LOST:
        if wish.press in (send, edit):
            expect(chat.outbox).to_have_attribute("data-state", "unsent")
        else:
            expect(chat.element("composer-hint")).to_contain_text("did not reach the server")
        wish.press(chat)
    wish.done(chat, provider)
    chat.no_failure() if wish.name != "retry" else None
    chat.reload()
    if wish.name != "undo_delete" and wish.name != "delete":
        wish.done(chat, provider)
