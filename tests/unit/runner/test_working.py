"""The tasks of one process: whom a beat cancels, what it lets go of, and how the process goes down."""

import asyncio
from typing import Any, cast

import pytest

from assistant.domain.errors import StoreUnavailable
from assistant.runner.working import Working
from tests.support.local_provider import turns
from tests.unit.runner.worlds import WORKER, Claims, Drives, World, a_task


class Process:
    """One process over a world of its own."""

    def __init__(self, slots: int = 2) -> None:
        self.world, self.drives = World(), Drives()
        self.claims = Claims(self.world)
        self.working = Working(
            cast(Any, self.world),
            cast(Any, self.claims),
            cast(Any, self.drives),
            worker_id=WORKER,
            slots=slots,
            beat_seconds=1,
        )


@pytest.fixture
def process() -> Process:
    return Process()


async def test_a_task_claimed_while_a_beat_reads_is_not_judged_by_what_was_read(process: Process) -> None:
    """The beat has read, the claim commits and its drive begins, and only then the beat goes on."""

    async def claimed_meanwhile() -> None:
        process.world.before_commit = None
        await process.working.deliver("late")
        await turns(2)

    process.world.before_commit = claimed_meanwhile
    await process.working.beat()
    await turns(5)

    assert process.drives.begun == ["late"]
    assert process.drives.cancelled == []
    assert process.working.running == 1


async def test_a_beat_cancels_what_another_attempt_owns(process: Process) -> None:
    for task_id in ("kept", "taken"):
        await process.working.deliver(task_id)
    await turns(2)
    process.world.held = [a_task("kept"), a_task("taken", attempt=2)]

    await process.working.beat()
    await turns(5)

    assert process.drives.cancelled == ["taken"]
    assert process.working.running == 1


async def test_a_slot_is_free_again_after_a_drive_that_was_cancelled_before_it_began() -> None:
    process = Process(slots=1)
    await process.working.deliver("first")
    cast(Any, process.working)._running["first"].drive.cancel()
    await turns(5)
    assert process.working.running == 0

    await asyncio.wait_for(process.working.deliver("second"), 1)
    await turns(2)
    assert process.drives.begun == ["second"]


async def test_a_slot_is_free_again_after_a_claim_that_failed() -> None:
    """Case B147: the store was away at that moment."""
    process = Process(slots=1)
    process.claims.failure = StoreUnavailable()
    with pytest.raises(StoreUnavailable):
        await process.working.deliver("task")
    process.claims.failure = None

    await asyncio.wait_for(process.working.deliver("task"), 1)
    await turns(2)
    assert process.drives.begun == ["task"]


async def test_a_task_driven_here_is_not_claimed_again(process: Process) -> None:
    await process.working.deliver("task")
    await process.working.deliver("task")
    await turns(2)
    assert process.drives.begun == ["task"]


async def test_a_delivery_that_waited_for_a_slot_while_the_process_goes_down_claims_nothing() -> None:
    process = Process(slots=1)
    await process.working.deliver("first")
    await turns(2)
    waiting = asyncio.create_task(process.working.deliver("second"))
    await turns(2)

    await process.working.hand_over(0)
    await waiting

    assert process.drives.begun == ["first"]
    assert process.drives.cancelled == ["first"]


async def test_a_claim_under_way_while_the_process_goes_down_is_waited_for_and_handed_back(
    process: Process,
) -> None:
    process.claims.gate.clear()
    claiming = asyncio.create_task(process.working.deliver("task"))
    await turns(2)
    going = asyncio.create_task(process.working.hand_over(0))
    await turns(5)
    assert not going.done()

    process.claims.gate.set()
    await asyncio.wait_for(going, 1)
    await claiming

    assert process.drives.handing_over == [True], "the drive is told before it asks a provider"
    assert process.working.running == 0


async def test_a_second_delivery_that_claims_nothing_does_not_end_the_waiting_for_the_first(
    process: Process,
) -> None:
    """Both ask for the same task; the one that got it hears so last, with all that it has to read."""
    process.claims.gate.clear()
    winner = asyncio.create_task(process.working.deliver("task"))
    await turns(2)
    process.claims.taken = True
    await process.working.deliver("task")
    process.claims.gate.set()
    await winner
    await turns(2)
    assert process.drives.begun == ["task"]

    going = asyncio.create_task(process.working.hand_over(30))
    await turns(5)
    assert not going.done()
    process.drives.gate.set()
    await asyncio.wait_for(going, 1)
    assert process.drives.cancelled == []


async def test_a_stray_task_is_let_go_at_the_second_beat_and_one_seen_once_is_not(process: Process) -> None:
    process.world.held = [a_task("stray")]
    await process.working.beat()
    assert process.world.released == []

    await process.working.beat()

    assert process.world.released == [("stray", 1)]


async def test_a_stray_of_another_attempt_is_seen_for_the_first_time(process: Process) -> None:
    process.world.held = [a_task("stray")]
    await process.working.beat()
    process.world.held = [a_task("stray", attempt=2)]
    await process.working.beat()
    assert process.world.released == []


async def test_a_store_that_is_away_makes_a_beat_fail_and_nothing_else(process: Process) -> None:
    await process.working.deliver("task")
    await turns(2)
    process.world.away = 1

    with pytest.raises(StoreUnavailable):
        await process.working.beat()

    assert process.drives.cancelled == []
    await process.working.beat()
    assert process.world.beats == 1


async def test_after_leaving_no_beat_makes_the_row_again(process: Process) -> None:
    await process.working.hand_over(0)
    await process.working.leave()
    await process.working.beat()
    assert process.world.beats == 0


async def test_a_delivery_that_comes_while_its_drive_ends_is_made_again_after_it(process: Process) -> None:
    """A decision between the commit of a park and the end of the drive that parked."""
    await process.working.deliver("parked")
    for _ in range(3):
        await process.working.deliver("parked")
    await turns(2)
    assert process.drives.begun == ["parked"]

    process.drives.gate.set()
    await turns(10)

    assert process.drives.begun == ["parked", "parked"]
    assert process.working.running == 0


async def test_a_process_that_goes_down_delivers_nothing_again(process: Process) -> None:
    await process.working.deliver("parked")
    await process.working.deliver("parked")
    await turns(2)
    await process.working.hand_over(0)
    await turns(10)
    assert process.drives.begun == ["parked"]
