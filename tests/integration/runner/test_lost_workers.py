"""Death is found by comparing beats: four timely passes that see the same one, and nothing sooner."""

import pytest

from assistant.domain.models import ModelRequest
from assistant.domain.task import Task
from tests.integration.runner.passes import LOST_AFTER, Passes
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, Events, LocalProvider, said
from tests.support.opened import Assistant
from tests.support.other_worker import OtherWorker

LATE_SECONDS = 10.0


async def _answer(_: ModelRequest) -> Events:
    yield said("Whole.")
    yield DONE


@pytest.fixture
def passes(quiet: Assistant) -> Passes:
    return Passes(quiet, LocalProvider(_answer))


async def _held(quiet: Assistant) -> tuple[OtherWorker, str]:
    sent = await quiet.send(delivered=False)
    worker = OtherWorker(quiet)
    await worker.take(sent.task_id)
    return worker, sent.task_id


def _is_held_by(task: Task, worker: OtherWorker) -> bool:
    return (task.worker, task.attempt) == (worker.worker_id, worker.task.attempt)


async def test_a_worker_is_lost_in_the_fourth_timely_pass_that_sees_the_same_beat(
    quiet: Assistant, passes: Passes
) -> None:
    """Case B051: and its task is rescued in that pass."""
    worker, task_id = await _held(quiet)

    await passes.timely(LOST_AFTER - 1)
    assert _is_held_by(await quiet.task(task_id), worker)
    await passes.timely()

    assert (await quiet.task(task_id)).worker != worker.worker_id
    async with quiet.services.store.read() as unit:
        assert worker.worker_id not in [each.id for each in await unit.workers.all()]
    await worker.die()


async def test_a_worker_that_beats_is_never_lost(quiet: Assistant, passes: Passes) -> None:
    """Case B051: a live run of another process is left alone."""
    worker, task_id = await _held(quiet)

    for _ in range(3 * LOST_AFTER):
        await worker.beat()
        await passes.timely()

    assert _is_held_by(await quiet.task(task_id), worker)
    await worker.die()


async def test_one_beat_in_time_starts_the_count_again(quiet: Assistant, passes: Passes) -> None:
    worker, task_id = await _held(quiet)

    for _ in range(3):
        await passes.timely(LOST_AFTER - 1)
        await worker.beat()
    await passes.timely(LOST_AFTER - 1)

    assert _is_held_by(await quiet.task(task_id), worker)
    await worker.die()


async def test_a_late_pass_starts_the_count_again(quiet: Assistant, passes: Passes) -> None:
    """The looker itself may have stood still, and then it has seen nothing."""
    worker, task_id = await _held(quiet)

    for _ in range(3):
        await passes.timely(LOST_AFTER - 2)
        await passes.after(LATE_SECONDS)
        assert _is_held_by(await quiet.task(task_id), worker)
    await passes.timely(LOST_AFTER - 1)

    assert (await quiet.task(task_id)).worker != worker.worker_id, "the late pass counts as a first sight"
    await worker.die()


async def test_a_process_never_finds_itself_lost(quiet: Assistant, provider: ScriptedProvider) -> None:
    script = provider.script().say("Mine").hold().say(" alone")
    sent = await quiet.send()
    await quiet.follow(sent.task_id).shows("Mine")
    held = await quiet.unmoved(sent.task_id)

    for _ in range(2 * LOST_AFTER):
        await quiet.services.reconciling.run_pass()

    assert await quiet.unmoved(sent.task_id) == held
    script.release()
    await quiet.ended(sent.task_id)
    assert len(provider.calls) == 1


async def test_a_task_of_a_worker_without_a_row_is_rescued_in_the_first_pass(
    quiet: Assistant, passes: Passes
) -> None:
    worker, task_id = await _held(quiet)
    async with quiet.services.store.write() as unit:
        await unit.workers.remove(worker.worker_id)

    await passes.timely()

    assert (await quiet.task(task_id)).worker != worker.worker_id
    await worker.die()
