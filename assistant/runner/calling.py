"""The calls of one step: stored, run side by side, each settled once, until the task goes on or waits.

    asked ──store──▶ requested ──start──▶ executing ──settle──▶ completed | failed
                         │ undecided, and nothing else runs
                         └──▶ park: the task waits, and nobody holds it

What may start begins in one transaction before any effect, so that a call which is `executing` is never
begun again by anybody (DESIGN 9). Park re-reads the decisions in its own transaction: a decision comes
before it, and the call runs here, or after it, and the task is picked up again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from enum import StrEnum

import structlog

from assistant.domain.errors import Fenced, NotFound
from assistant.domain.log import Folded
from assistant.domain.models import CallAsked
from assistant.domain.ports import Clock, Hub
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task
from assistant.domain.tool_call import ToolCall, ToolCallReason, ToolCallState
from assistant.runner.patience import entered, patiently
from assistant.runner.tool_use import ToolUse, may_be_repeated

LOOK_AGAIN_SECONDS = 5.0
"""A lost announcement of a decision costs a running step no more than this."""
GOING_DOWN_SECONDS = 1.5
"""So long a process that goes down waits for calls that run: their outcome would be unknown else."""

NOT_CALLED = "The server went down before it began; it was not carried out."

_log = structlog.get_logger(__name__)


class Went(StrEnum):
    """How a step of calls ended."""

    ON = "on"
    """All are settled: the next model step may begin."""

    PARKED = "parked"
    """A person has to decide; nobody holds the task any more."""

    UNKNOWN = "unknown"
    """Of a call nobody knows whether it was carried out: the answer cannot go on by itself."""


class Calling:
    """Runs the calls of the tasks that this process holds."""

    def __init__(self, store: Store, tools: ToolUse, hub: Hub, clock: Clock) -> None:
        self._store = store
        self._tools = tools
        self._hub = hub
        self._clock = clock

    async def store(
        self, task: Task, folded: Folded, asked: Sequence[CallAsked], allowed: Collection[str]
    ) -> Task:
        """Store what a model step asked for, with its text, in one transaction; returns the task with them.

        A call of a tool that is not `allowed`, or that cannot be run as it was written, is stored as failed,
        which tells the model. Raises Fenced when the task is not this attempt's any more.
        """
        step = task.steps + 1
        calls = [self._tools.entry(each, task, step, len(folded.transcript), allowed) for each in asked]
        transcript = folded.transcript
        for call in calls:
            transcript = transcript.with_call(call.id)

        async def write(unit: Unit, version: int) -> bool:
            versioned = [replace(call, version=version) for call in calls]
            whole = replace(folded, transcript=transcript)
            return await unit.tasks.store_calls(task.id, task.attempt, whole, versioned, version=version)

        if not await self._patiently(task, write):
            raise Fenced()
        return await self._now(task)

    async def run(self, task: Task, going_down: Callable[[], bool]) -> tuple[Went, Task]:
        """Run what may run, as it may, until the task can go on, waits for a person, or cannot go on.

        Returns the task as it is then: streaming, awaiting_confirm, or still tool_calling. Raises Fenced
        when the task is not this attempt's any more. Cancelled, it leaves the tools alone at once, but for
        a process that goes down, which gives them a moment.
        """
        await self._take_over(task)
        while True:
            task = await self._run_what_may(task, going_down)
            if any(call.outcome_unknown for call in task.tool_calls):
                return Went.UNKNOWN, task
            went = await self._leave(task)
            if went is not None:
                return went, await self._again(task)

    async def _take_over(self, task: Task) -> None:
        """Settle the calls that a lost attempt left executing; a pure read is asked for once more.

        A claim goes no further than here only when all of them are pure reads (see `claiming`).
        """
        left = [call for call in task.tool_calls if call.state is ToolCallState.EXECUTING]
        if not left:
            return

        async def write(unit: Unit, version: int) -> bool:
            for call in left:
                held = await unit.calls.settle(
                    call.id,
                    call.attempt or 0,
                    ToolCallState.FAILED,
                    ToolCallReason.LOST,
                    "The server stopped while it ran.",
                    at=self._clock.now(),
                    version=version,
                )
                if held and may_be_repeated(call, task.tool_calls):
                    await unit.calls.add([self._tools.once_more(call, version)])
            return True

        await self._patiently(task, write)

    async def _run_what_may(self, task: Task, going_down: Callable[[], bool]) -> Task:
        """Start what may start, also what is approved meanwhile, and return when nothing runs any more."""
        begun: set[str] = set()
        running: set[asyncio.Task[None]] = set()
        news: asyncio.Task[int | None] | None = None
        seen = task.version
        try:
            async with AsyncExitStack() as stack:
                versions = await entered(stack, lambda: self._hub.session(task.session_id), task=task.id)
                while True:
                    task = await self._started(task)
                    for call in task.tool_calls:
                        # This attempt is driven here alone: what it began and this set lacks has not run yet.
                        if call.state is ToolCallState.EXECUTING and call.id not in begun:
                            begun.add(call.id)
                            running.add(asyncio.create_task(self._carry_out(call, task)))
                    if not running:
                        return task
                    # The session moves for other reasons too: waiting for the task's own version would spin.
                    news = news or asyncio.create_task(versions.after(seen, within=LOOK_AGAIN_SECONDS))
                    done, _ = await asyncio.wait({*running, news}, return_when=asyncio.FIRST_COMPLETED)
                    if news in done:
                        seen, news = news.result() or seen, None
                    for ended in done & running:
                        running.discard(ended)
                        ended.result()
        except asyncio.CancelledError:
            if going_down():
                with suppress(TimeoutError):
                    async with asyncio.timeout(GOING_DOWN_SECONDS):
                        await self._settle_not_begun(task, begun)
                if running:
                    await asyncio.wait(running, timeout=GOING_DOWN_SECONDS)
            raise
        finally:
            for left in (*running, *([news] if news else ())):
                left.cancel()

    async def _started(self, task: Task) -> Task:
        """Begin every call that may begin; from here on they are executing, whatever happens."""
        task = await self._now(task)
        may = [call.id for call in task.tool_calls if call.may_start]
        if not may:
            return task

        async def write(unit: Unit, version: int) -> bool:
            await unit.calls.start(may, task.id, task.attempt, at=self._clock.now(), version=version)
            return True

        await self._patiently(task, write)
        return await self._now(task)

    async def _settle_not_begun(self, task: Task, begun: set[str]) -> None:
        """Of a call whose start is stored and whose tool was never called, this process knows as long as it
        lives that nothing happened; the next one would have to say that nobody knows."""
        left = [
            call
            for call in (await self._now(task)).tool_calls
            if call.state is ToolCallState.EXECUTING and call.id not in begun
        ]

        async def write(unit: Unit, version: int) -> bool:
            for call in left:
                failed, error = ToolCallState.FAILED, ToolCallReason.ERROR
                at = self._clock.now()
                await unit.calls.settle(
                    call.id, task.attempt, failed, error, NOT_CALLED, at=at, version=version
                )
            return True

        if left:
            await self._patiently(task, write)

    async def _carry_out(self, call: ToolCall, task: Task) -> None:
        outcome = await self._tools.carry_out(call, task.owner_id)

        async def write(unit: Unit, version: int) -> bool:
            return await unit.calls.settle(
                call.id,
                task.attempt,
                outcome.state,
                outcome.reason,
                outcome.text,
                at=self._clock.now(),
                version=version,
            )

        if not await self._patiently(task, write):
            _log.info("a result came too late", call=call.id, task=task.id, attempt=task.attempt)

    async def _leave(self, task: Task) -> Went | None:
        """Go on to the next model step or park, whichever the calls as they are now ask for, in one
        transaction; None when a decision came meanwhile and there is something to run."""
        went: list[Went] = []

        async def write(unit: Unit, version: int) -> bool:
            went.clear()  # of a transaction that is tried again only the last time counts
            now = await unit.tasks.find(task.id)
            if now is None or any(call.may_start for call in now.tool_calls):
                return now is not None
            if all(call.settled for call in now.tool_calls):
                went.append(Went.ON)
                return await unit.tasks.results(task.id, task.attempt, version=version)
            went.append(Went.PARKED)
            return await unit.tasks.park(task.id, task.attempt, version=version)

        if not await self._patiently(task, write):
            raise Fenced()
        return went[-1] if went else None

    async def _now(self, task: Task) -> Task:
        """The task as it is stored; Fenced when another attempt has it, or it has ended."""
        now = await self._again(task)
        if now.attempt != task.attempt or now.closed:
            raise Fenced()
        return now

    async def _again(self, task: Task) -> Task:
        async def read(unit: Unit) -> Task | None:
            return await unit.tasks.find(task.id)

        found = await patiently(lambda: self._store.read(), read, task=task.id, attempt=task.attempt)
        if found is None:
            raise Fenced()
        return found

    async def _patiently(self, task: Task, write: Callable[[Unit, int], Awaitable[bool]]) -> bool:
        """Write in a transaction of the session; False when the session is gone."""

        async def bumped(unit: Unit) -> bool:
            return await write(unit, await unit.sessions.bump(task.session_id))

        try:
            return await patiently(lambda: self._store.write(), bumped, task=task.id, attempt=task.attempt)
        except NotFound:
            return False
