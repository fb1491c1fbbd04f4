"""Every ending is one record, written even when the store or a cancellation comes in between."""

import asyncio
from typing import Any, cast

import pytest

from assistant.domain.log import Folded
from assistant.domain.models import FinishReason
from assistant.domain.task import TaskError, TaskReason, TaskState
from assistant.domain.times import SystemClock
from assistant.runner import ending as module
from assistant.runner.driving import _undisturbed
from assistant.runner.ending import (
    Ending,
    Endings,
    Failed,
    Finished,
    HandedOver,
    Lost,
    Parked,
    Superseded,
    Unknown,
)
from tests.support.local_provider import turns
from tests.unit.runner.worlds import World, a_task

BROKEN = TaskError("model_error", "It broke.")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def endings(world: World, monkeypatch: pytest.MonkeyPatch) -> Endings:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0)
    return Endings(cast(Any, world), SystemClock())


@pytest.mark.parametrize(
    ("ending", "state", "reason"),
    [
        (Finished(FinishReason.STOP, None), TaskState.DONE, TaskReason.COMPLETE),
        (Finished(FinishReason.LENGTH, None), TaskState.DONE, TaskReason.LENGTH),
        (Failed(BROKEN), TaskState.FAILED, TaskReason.ERROR),
        (Failed(BROKEN, timeout=True), TaskState.FAILED, TaskReason.TIMEOUT),
        (Lost(), TaskState.FAILED, TaskReason.INTERRUPTED),
        (Unknown(), TaskState.FAILED, TaskReason.INTERRUPTED),
    ],
)
async def test_each_end_has_its_state_and_reason(
    world: World, endings: Endings, ending: Ending, state: TaskState, reason: TaskReason
) -> None:
    assert await endings.write(a_task(), ending, Folded())
    assert world.ended == [("task", (state, reason))]


async def test_a_handover_releases_and_a_superseded_drive_writes_nothing(
    world: World, endings: Endings
) -> None:
    for ending in (Superseded(), Parked()):
        assert not await endings.write(a_task(), ending, Folded())
    assert (world.ended, world.released) == ([], [])

    assert not await endings.write(a_task(), HandedOver(), Folded())
    assert (world.ended, world.released) == ([], [("task", 1)])


async def test_a_store_that_is_away_is_asked_again_until_it_takes_the_end(
    world: World, endings: Endings
) -> None:
    """Case B147."""
    world.away = 5
    assert await endings.write(a_task(), Finished(FinishReason.STOP, None), Folded())
    assert (world.refused, len(world.ended)) == (5, 1)


async def test_who_has_no_time_left_asks_once(world: World, endings: Endings) -> None:
    world.away = 5
    written = await endings.write(
        a_task(), Finished(FinishReason.STOP, None), Folded(), patient=lambda: False
    )
    assert (written, world.refused, world.ended) == (False, 1, [])


async def test_an_ending_once_begun_is_written_whatever_is_cancelled() -> None:
    gate, written = asyncio.Event(), []

    async def end() -> None:
        await gate.wait()
        written.append("end")

    drive = asyncio.create_task(_undisturbed(end()))
    for _ in range(3):
        await turns(2)
        drive.cancel()
    await turns(2)
    assert not drive.done()
    gate.set()
    await drive

    assert written == ["end"]
    assert drive.cancelling() == 0


async def test_what_an_ending_raises_is_raised() -> None:
    async def end() -> None:
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"):
        await _undisturbed(end())
