"""kill -9 in the middle of an answer of the demo provider: it goes on, thoughts and text."""

import asyncio
from collections.abc import Iterator

import pytest

from assistant.models.demo import demo_answer
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import ApiClient


@pytest.fixture(scope="module")
def serving() -> Iterator[AppUnderTest]:
    app = AppUnderTest()
    try:
        yield app
    finally:
        app.close()


async def test_a_killed_demo_answer_ends_exact_for_a_reader_that_was_there(
    app: AppUnderTest, ada: ApiClient
) -> None:
    whole = demo_answer("reasoning")
    sent = await ada.send("Show me your reasoning, please")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end(within=30))
    await ada.becomes(sent["task_id"], lambda task: task["offset"] > len(whole.reasoning))

    app.kill()
    await asyncio.to_thread(app.restart)

    await following
    assert reader.text == whole.reasoning + whole.text
    read = await ada.read(sent["task_id"])
    assert (read["attempt"], read["text"]) == (2, reader.text)
    thought = {"kind": "reasoning", "start": 0, "end": len(whole.reasoning)}
    spoken = {"kind": "text", "start": len(whole.reasoning), "end": len(reader.text)}
    assert read["parts"] == [thought, spoken]
    assert len(await ada.messages(sent["session_id"])) == 2
