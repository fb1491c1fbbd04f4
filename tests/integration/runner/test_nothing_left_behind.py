"""Runs and readers leave nothing: no log beyond its time, no asyncio task, no watcher, no slot."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

from assistant import bootstrap
from assistant.domain.models import ModelRequest
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, Events, LocalProvider, said
from tests.support.opened import OWNER, Assistant, opened
from tests.support.other_worker import OtherWorker

TASKS = 100
CLOSED_SECONDS = 7


async def test_logs_of_ended_tasks_die_by_themselves(settings: Settings) -> None:
    """Case B143: each has its short time to live as soon as its task has ended."""

    async def play(_: ModelRequest) -> Events:
        yield said("Done.")
        yield DONE

    short = settings.model_copy(update={"log_closed_ttl_seconds": CLOSED_SECONDS})
    async with opened(short, providers=LocalProvider(play)) as assistant:
        sent = await asyncio.gather(*(assistant.send(str(number)) for number in range(TASKS)))
        for each in sent:
            await assistant.ended(each.task_id, within=30)
            await eventually(lambda each=each: _dies_soon(assistant, each.task_id))
            assert await assistant.stored(each.task_id) == "Done."


@pytest.mark.parametrize("end", ["error", "stop", "interrupted"])
async def test_so_do_the_logs_of_answers_that_ended_otherwise(
    settings: Settings, provider: ScriptedProvider, end: str
) -> None:
    """Case B143."""
    short = settings.model_copy(update={"log_closed_ttl_seconds": CLOSED_SECONDS})
    script = provider.script().say("Half").hold()
    async with opened(short) as assistant:
        sent = await assistant.send(delivered=end != "interrupted")
        if end == "interrupted":
            lost = OtherWorker(assistant)
            await lost.take(sent.task_id)
            await lost.say("Half")
            await lost.die()
        elif end == "error":
            script.break_off().release()
        else:
            await assistant.follow(sent.task_id).shows("Half")
            await assistant.services.stopping.stop(OWNER, sent.task_id)
        await assistant.ended(sent.task_id)
        await eventually(lambda: _dies_soon(assistant, sent.task_id))


async def test_an_open_log_lives_for_its_long_time(assistant: Assistant, provider: ScriptedProvider) -> None:
    """Case B141."""
    script = provider.script().say("Half").hold()
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("Half")

    assert await _seconds_left(assistant, sent.task_id) > 3000
    script.release()


@pytest.mark.parametrize("end", ["finish", "leave", "error", "refused"])
async def test_a_hundred_readers_leave_nothing_running(
    assistant: Assistant, provider: ScriptedProvider, end: str
) -> None:
    """Case B145."""
    await assistant.answered("Warm up")
    await eventually(lambda: assistant.services.working.running == 0)
    base = _running()
    script = provider.script().say("Text").hold()
    if end == "error":
        script.break_off()
    sent = await assistant.send()
    owner = "eve" if end == "refused" else OWNER
    readers = [assistant.follow(sent.task_id, owner=owner) for _ in range(100)]
    if end != "refused":
        await asyncio.gather(*(reader.shows("Text") for reader in readers))
    if end == "leave":
        await asyncio.gather(*(reader.leave() for reader in readers))
    script.release()
    await assistant.ended(sent.task_id)

    await eventually(lambda: _running() == base)
    hub = cast(Any, assistant.services.hub)
    assert not hub._tasks
    assert not hub._sessions
    assert assistant.services.working.running == 0
    if end == "refused":
        for reader in readers:
            with pytest.raises(Exception, match="nothing here"):
                await reader.ended()


def _running() -> Counter[str]:
    """The coroutines of the product that run as asyncio tasks now."""
    coroutines = [cast(Any, task.get_coro()) for task in asyncio.all_tasks()]
    product = str(Path(bootstrap.__file__).parent.parent)
    return Counter(
        coroutine.__qualname__
        for coroutine in coroutines
        if hasattr(coroutine, "cr_code") and coroutine.cr_code.co_filename.startswith(product)
    )


async def _seconds_left(assistant: Assistant, task_id: str) -> int:
    return await cast(Any, assistant.services.log)._client.ttl(f"s:{task_id}")


async def _dies_soon(assistant: Assistant, task_id: str) -> bool:
    return await _seconds_left(assistant, task_id) <= CLOSED_SECONDS
