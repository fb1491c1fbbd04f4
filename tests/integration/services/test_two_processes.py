"""A process that serves and a process that works, over the same servers: it never matters which is asked."""

from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest

from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from tests.support.databases import PostgresServer
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, opened
from tests.support.valkey import ValkeyServer


@pytest.fixture
def shared(settings: Settings, postgres: PostgresServer, valkey: ValkeyServer) -> Settings:
    return settings.model_copy(
        update={"database_url": postgres.url(postgres.emptied()), "redis_url": valkey.url}
    )


@pytest.fixture
async def web(shared: Settings) -> AsyncGenerator[Assistant]:
    """Serves, and runs nothing."""
    async with opened(shared) as opening:
        yield opening


@pytest.fixture
async def worker(shared: Settings) -> AsyncGenerator[Assistant]:
    """Runs what others were asked for."""
    async with opened(shared, runner=True) as opening:
        yield opening


async def test_resume_and_stop_work_at_the_process_that_does_not_run_the_task(
    web: Assistant, worker: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B087, B097, B115: in half of the rounds it is the other one."""
    for number in range(6):
        asked, other = (web, worker) if number % 2 else (worker, web)
        provider.script().say("Half of ").hold()
        sent = await asked.send()
        first = other.follow(sent.task_id)
        await first.shows("Half of ")
        resumed = asked.follow(sent.task_id, first.cursor, first.shown)
        await resumed.told()

        stopped = await other.services.stopping.stop(OWNER, sent.task_id)

        assert stopped.reason is TaskReason.STOPPED
        for reader in (first, resumed):
            await reader.ended()
            assert reader.text == "Half of "
        await provider.disconnected(number + 1, within=2)


async def test_without_a_worker_a_task_waits_and_is_answered_when_one_comes(
    web: Assistant, shared: Settings, provider: ScriptedProvider
) -> None:
    sent = await web.send()
    for _ in range(2):
        await web.services.reconciling.run_pass()
    assert (await web.task(sent.task_id)).state is TaskState.PENDING

    async with opened(shared, runner=True):
        task = await web.ended(sent.task_id)
    assert (task.reason, task.attempt) == (TaskReason.COMPLETE, 1)
    assert len(provider.calls) == 1


async def test_a_handover_moves_a_running_answer_to_the_other_worker(
    shared: Settings, provider: ScriptedProvider
) -> None:
    """A deploy: the reader stays at its process and sees one text grow."""
    continuing = shared.model_copy(update={"model_continues_prefix": True})
    provider.script().say("Old worker, ").hold()
    async with opened(continuing) as web, opened(continuing, runner=True) as old:
        sent = await web.send()
        reader = web.follow(sent.task_id)
        await reader.shows("Old worker, ")
        provider.say("new worker.")
        await old.services.hand_over(0)
        async with opened(continuing, runner=True):
            await reader.ended()
        assert reader.text == await web.stored(sent.task_id) == "Old worker, new worker."
    assert not reader.taken_back
    assert provider.calls[1].body["messages"][-1]["content"] == "Old worker, "


async def test_a_queue_and_log_that_are_emptied_in_mid_run_lose_nothing(
    web: Assistant, worker: Assistant, provider: ScriptedProvider
) -> None:
    """DESIGN 9: so Redis may be flushed."""
    script = provider.script().say("Before, ").hold().say("after.")
    running = await web.send("One")
    reader = web.follow(running.task_id)
    await reader.shows("Before, ")

    await cast(Any, web.services.log)._client.flushall()
    waiting = await web.send("Two")
    script.release()

    await reader.ended()
    assert reader.text == await web.stored(running.task_id) == "Before, after."
    assert (await web.ended(waiting.task_id)).reason is TaskReason.COMPLETE
    assert len(provider.calls) == 2


async def test_started_while_the_queue_is_down_it_accepts_and_answers_when_it_is_up(
    shared: Settings, provider: ScriptedProvider
) -> None:
    """Case B147: no failure of the start is kept for ever."""
    server = ValkeyServer(keeps=False)
    try:
        late = shared.model_copy(update={"redis_url": server.url})
        async with opened(late, runner=True) as alone:
            sent = await alone.send()
            reader = alone.follow(sent.task_id)
            await reader.told()
            server.start()
            await reader.ended(within=20)
            assert reader.text == await alone.stored(sent.task_id)
            assert await alone.answered("And again?", session_id=sent.session_id)
    finally:
        server.stop()


async def test_the_queue_server_killed_in_mid_run_costs_no_text(
    shared: Settings, provider: ScriptedProvider
) -> None:
    """Case B147: readers are served from the row meanwhile."""
    script = provider.script().say("Before, ").hold().say("during, ").hold().say("after.")
    with ValkeyServer(keeps=False) as server:
        async with opened(shared.model_copy(update={"redis_url": server.url}), runner=True) as alone:
            sent = await alone.send()
            reader = alone.follow(sent.task_id)
            await reader.shows("Before, ")

            server.kill()
            script.release()
            await eventually(lambda: reader.text == "Before, during, ", within=15)
            server.start()
            script.release()
            await reader.ended(within=20)

            assert reader.text == await alone.stored(sent.task_id) == "Before, during, after."
            assert len(provider.calls) == 1
