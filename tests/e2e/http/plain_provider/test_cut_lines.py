"""Readers come, go and are cut off while one answer grows; the answer does not notice."""

import random
import re

import httpx

from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider

PIECES = ("a family 👩‍👩‍👧, ", "e\u0301te\u0301 ", "你好世界 ", "👋🏽\r\n", "plain words ", "\n\n```py\n")
LONGEST_CUT_BYTES = 1_500


async def test_a_line_cut_a_hundred_times_anywhere_loses_and_doubles_nothing(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B021, B031, B036: the cuts fall into characters, lines and events alike."""
    chance = random.Random(5)
    script = provider.script()
    for _ in range(100):
        script.say(*chance.sample(PIECES, 3)).hold()
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])

    for cut in range(1, 101):
        await script.held(cut)
        await reader.follow(
            cut_after=chance.randrange(1, LONGEST_CUT_BYTES),
            until=lambda: reader.text == provider.calls[0].sent,
        )
        assert script.text.startswith(reader.text)
        script.release()
    await reader.to_the_end()

    assert reader.connections > 100
    assert (reader.text, reader.taken_back) == (script.text, False)
    assert reader.named("replace") == []
    assert reader.received == len(script.text)
    assert len(provider.calls) == 1


async def test_readers_that_leave_early_leave_nothing_open(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B145."""
    script = provider.say("Some text").hold()
    sent = await ada.send("Hello?")
    await script.held()

    for leaver in range(50):
        reader = ada.reader(sent["task_id"])
        await reader.follow(cut_after=1 + leaver * 20, until=lambda reader=reader: bool(reader.text))

    await eventually(lambda: no_open_streams(ada))
    script.release()
    await ada.ended(sent["task_id"])


async def test_an_answer_without_any_reader_is_written_to_its_end(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B006: all readers leave, and nobody cancels anything."""
    script = provider.say("Half, ").hold().say("whole.")
    sent = await ada.send("Hello?")
    for _ in range(3):
        await ada.reader(sent["task_id"]).to("Half, ")
    await eventually(lambda: no_open_streams(ada))

    script.release()

    assert (await ada.ended(sent["task_id"]))["reason"] == "complete"
    assert provider.calls[0].ended
    assert len(provider.calls) == 1
    assert (await ada.messages(sent["session_id"]))[-1]["text"] == "Half, whole."


async def test_the_first_words_that_a_reader_sees_are_in_the_row_at_once(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """A kill would else make the answer begin anew, in other words. Case B051."""
    script = provider.say("The first words").hold()
    sent = await ada.send("Hello?")
    await ada.reader(sent["task_id"]).to(script.text)

    await ada.stored(sent["task_id"], len(script.text), within=0.5)
    script.release()
    await ada.ended(sent["task_id"])


async def test_looking_again_and_again_starts_nothing(ada: ApiClient, provider: ScriptedProvider) -> None:
    """Case B022: an idle reconnect at the end is sent no text, and I5: reads create nothing."""
    script = provider.say("The whole answer.")
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    await reader.to_the_end()

    for _ in range(3):
        again = ada.reader(sent["task_id"])
        again.shown = reader.shown
        await again.to_the_end()
        assert (again.received, again.text) == (0, script.text)

    assert len(await ada.messages(sent["session_id"])) == 2
    assert len(provider.calls) == 1


async def no_open_streams(ada: ApiClient) -> bool:
    """The figure is 0; a server that keeps a reader that left would show it for ever."""
    response: httpx.Response = await ada.http.get("/metrics")
    figure = re.search(r"^assistant_open_streams (\S+)$", response.text, re.MULTILINE)
    assert figure is not None
    return float(figure[1]) == 0
