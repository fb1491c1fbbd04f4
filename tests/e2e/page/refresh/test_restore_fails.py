"""A restore that fails by a defect of the server: the page says so, sends all the same, and tries again."""

import sqlite3

from playwright.sync_api import expect

from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def test_what_is_typed_is_sent_while_the_history_cannot_be_read(
    app: AppUnderTest, chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B112: the history fails, the send does not wait for it, and both are there afterwards."""
    provider.say("Answer 1.")
    chat.say("Question 1")
    chat.shows("Answer 1.")
    chat.idle()
    provider.say("Answer 2.")
    _rename(app, "draft", "hidden")
    try:
        chat.reload(wait=False)
        expect(chat.page.get_by_test_id("notice")).to_contain_text("Something went wrong")
        chat.shows("Answer 1.", number=0)
        chat.say("Question 2")
        provider.called_sync(2)
    finally:
        _rename(app, "hidden", "draft")
    chat.shows("Answer 2.")
    chat.shows("Answer 1.", number=0)
    expect(chat.page.get_by_test_id("notice")).to_have_count(0)
    assert [message.role for message in chat.messages()] == ["user", "assistant"] * 2
    assert len(provider.calls) == 2


def _rename(app: AppUnderTest, table: str, name: str) -> None:
    connection = sqlite3.connect(app.data_dir / "assistant.db", timeout=10)
    try:
        connection.execute(f"ALTER TABLE {table} RENAME TO {name}")
        connection.commit()
    finally:
        connection.close()
