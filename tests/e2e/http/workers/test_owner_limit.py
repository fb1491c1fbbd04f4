"""How many tasks an owner runs at the same time, counted over all workers."""

import asyncio

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS
from tests.e2e.http.workers.conftest import OWNER_TASKS, Workers
from tests.support.http_client import ApiClient
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider


def in_two(_: object) -> Script:
    """An answer with a gate in its middle."""
    return Script().say("Here. ").hold().say("Done.")


async def test_an_owner_runs_no_more_tasks_than_allowed_over_all_workers(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers
) -> None:
    """Case B148: the rest waits, and a place is free again as soon as one of them ends."""
    await asyncio.to_thread(workers, 2)
    provider.otherwise = in_two
    sends = [await ada.send(f"Number {number}") for number in range(6)]

    for number in range(OWNER_TASKS, 7, OWNER_TASKS):
        call = await provider.called(number, within=10)
        assert call.script is not None
        await call.script.held()
        states = [(await ada.task(sent["task_id"]))["state"] for sent in sends]
        assert states.count("streaming") == OWNER_TASKS
        assert len(provider.calls) == number
        for running in range(number - OWNER_TASKS, number):
            provider.release(running + 1)

    for sent in sends:
        assert (await ada.ended(sent["task_id"]))["reason"] == "complete"


async def test_the_places_of_killed_workers_are_free_again(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers
) -> None:
    """Case B148: no count outlives the process that ran the task."""
    alive = await asyncio.to_thread(workers, 2)
    provider.otherwise = in_two
    sends = [await ada.send(f"Number {number}") for number in range(OWNER_TASKS + 1)]
    await provider.called(OWNER_TASKS)

    for worker in alive:
        worker.kill()
    provider.otherwise = lambda _: Script().say("Done.")
    await asyncio.to_thread(workers, 1)

    for sent in sends:
        task = await ada.ended(sent["task_id"], within=2 * TRUE_WITHIN_SECONDS)
        assert task["reason"] == "complete"
