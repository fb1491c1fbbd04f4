"""A provider that falls silent is not waited for longer than was stated."""

import asyncio
import socket

import pytest

from assistant.models.openai_compatible import OpenAICompatible, Timeouts
from tests.support.llm_server import ScriptedProvider
from tests.support.model_events import Naps, hear

AT_ONCE = 0.25


async def test_no_first_word_in_time_ends_the_step_as_timed_out() -> None:
    async with ScriptedProvider() as far_side:
        provider = OpenAICompatible(far_side.url, timeouts=Timeouts(first_token=AT_ONCE))
        far_side.script().hang_before_first()

        heard = await hear(provider)

        assert heard.code == "model_timeout"
        assert heard.failure is not None
        assert heard.failure.timeout
        assert len(far_side.calls) == 1
        await far_side.disconnected(1)
        await provider.aclose()


async def test_headers_comments_and_empty_chunks_are_no_first_word() -> None:
    async with ScriptedProvider() as far_side:
        provider = OpenAICompatible(far_side.url, timeouts=Timeouts(first_token=AT_ONCE))
        far_side.script().comment().say("").send({"choices": []}).hold()

        heard = await hear(provider)

        assert heard.failure is not None
        assert heard.failure.timeout
        assert "first word" in heard.failure.message
        await far_side.disconnected(1)
        await provider.aclose()


async def test_the_first_word_has_one_deadline_over_all_tries() -> None:
    never = asyncio.Event()

    async def sleep(_: float) -> None:
        await never.wait()

    async with ScriptedProvider() as far_side:
        provider = OpenAICompatible(far_side.url, timeouts=Timeouts(first_token=AT_ONCE), sleep=sleep)
        far_side.fail(503)

        heard = await hear(provider)

        assert heard.code == "model_timeout"
        await provider.aclose()


@pytest.mark.parametrize("noise", [True, False])
async def test_silence_between_two_words_ends_the_step_and_keeps_the_text(noise: bool) -> None:
    async with ScriptedProvider() as far_side:
        provider = OpenAICompatible(far_side.url, timeouts=Timeouts(between_tokens=AT_ONCE))
        script = far_side.say("so far")
        (script.comment().say("") if noise else script).hold().say("never")

        heard = await hear(provider)

        assert heard.text == "so far"
        assert heard.code == "model_timeout"
        assert heard.failure is not None
        assert "further text" in heard.failure.message
        await far_side.disconnected(1)
        await provider.aclose()


async def test_the_deadline_of_the_first_word_is_over_once_it_came() -> None:
    async with ScriptedProvider() as far_side:
        provider = OpenAICompatible(far_side.url, timeouts=Timeouts(first_token=AT_ONCE, between_tokens=60))
        script = far_side.say("one").hold().say("two")
        reading = asyncio.create_task(hear(provider))
        await script.held()

        ended, _ = await asyncio.wait({reading}, timeout=2 * AT_ONCE)
        script.release()

        assert not ended
        assert (await reading).text == "onetwo"
        await provider.aclose()


async def test_a_connection_that_is_not_made_in_time_is_not_tried_again() -> None:
    naps = Naps()
    with socket.socket() as full:
        # Linux drops the handshakes that do not fit into the backlog of a listener that accepts none.
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        provider = OpenAICompatible(
            f"http://127.0.0.1:{address[1]}/v1", timeouts=Timeouts(connect=AT_ONCE), sleep=naps
        )

        heard = await hear(provider)

        for one in waiting:
            one.close()
    assert heard.code == "model_timeout"
    assert heard.failure is not None
    assert heard.failure.timeout
    assert naps.taken == []
    await provider.aclose()
