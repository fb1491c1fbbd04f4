"""An answer of texts and calls in turn: order and times of all parts are kept, on the page and in a file."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from playwright.sync_api import expect

from tests.e2e.page.refresh.pieces import pieces
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

TEXT = "Alpha. Beta. Gamma."
_TIMES = "all => all.map((time) => [time.dateTime, time.title])"


def fetched(chat: ChatPage, path: str) -> Any:
    return chat.page.context.request.get(f"{chat.url}/api/{path}")


def calls_of(chat: ChatPage) -> list[dict[str, Any]]:
    """As the server keeps them, with their times."""
    task = chat.answers.last.get_attribute("data-task-id")
    return fetched(chat, f"tasks/{task}").json()["tool_calls"]


def told(chat: ChatPage) -> tuple[Any, ...]:
    """All that the page tells of order and times."""
    cards = chat.element("tool-call").all_text_contents()
    return pieces(chat), cards, chat.messages(), chat.element("message-time").evaluate_all(_TIMES)


def test_texts_and_calls_in_turn_keep_their_order_and_times(
    chat: ChatPage, provider: ScriptedProvider, second_device: Callable[[ChatPage], ChatPage]
) -> None:
    """Cases B149, B150, B153: a call closes the text before it, live, reloaded, elsewhere and exported."""
    provider.script().say("Alpha. ").call("current_time", {"time_zone": "UTC"}, "one")
    provider.script().say("Beta. ").call("calculator", {"expression": "1 + 1"}, "two")
    script = provider.script().say("Gam").hold().say("ma.")
    chat.say("Question")
    chat.shows("Alpha. Beta. Gam")
    expect(chat.element("tool-call")).to_have_count(2)
    midway = told(chat)
    chat.reload()
    assert (chat.text_of(chat.answers.last), told(chat)) == ("Alpha. Beta. Gam".replace(". ", "."), midway)
    script.release()
    chat.shows(TEXT)
    chat.ended("complete")

    live, calls = told(chat), calls_of(chat)
    ids = [call["id"] for call in calls]
    assert live[0] == ["Alpha.", f"call {ids[0]}", "Beta.", f"call {ids[1]}", "Gamma."]
    assert [call["name"] for call in calls] == ["current_time", "calculator"]
    starts = [call["started_at"] for call in calls]
    assert starts == sorted(starts)
    other = second_device(chat).open(chat.named())
    for page in (chat, other, chat):
        page.in_front()
        page.reload()
        page.shows(TEXT)
        assert (told(page), calls_of(page)) == (live, calls)

    sid = chat.named()
    file = fetched(chat, f"sessions/{sid}/export?format=json").json()
    answer = file["messages"][-1]
    order = [part.get("call") or answer["text"][part["start"] : part["end"]] for part in answer["parts"]]
    assert order == ["Alpha. ", 1, "Beta. ", 2, "Gamma."]
    assert [call["name"] for call in answer["tool_calls"]] == ["current_time", "calculator"]
    exported = [datetime.fromisoformat(call["started_at"]) for call in answer["tool_calls"]]
    assert exported == [datetime.fromisoformat(at) for at in starts]
    written = [datetime.fromisoformat(message["created_at"]) for message in file["messages"]]
    assert written == [datetime.fromisoformat(message.created_at) for message in chat.messages()]
    words = re.findall(
        "Question|Alpha|current_time|Beta|calculator|Gamma",
        fetched(chat, f"sessions/{sid}/export?format=md").text().split("\n", 1)[1],
    )
    assert words == ["Question", "Alpha", "current_time", "Beta", "calculator", "Gamma"]
    assert len(provider.calls) == 3
