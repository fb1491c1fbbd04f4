"""Decide about a tool call: one decision, by one person, about exactly these arguments (DESIGN 9).

    decide ──▶ recorded ──it is parked, and a call may run or none is undecided──▶ tool_calling
    expiry ──▶ failed(expired)

The decision is one transaction under the session's lock, as park is: whichever comes second sees the other.
A second one is told the first, whoever made it and wherever (Cases B068, B072).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.domain.errors import (
    AlreadyDecided,
    ArgumentsMismatch,
    InvalidInput,
    NotFound,
    NotUndecided,
)
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import Wish, WishKind
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCall, ToolCallReason
from assistant.domain.transcript import well_formed
from assistant.services.wishes import Wishes, fingerprint

MAX_REASON_CHARACTERS = 500
BATCH = 100

CloseLog = Callable[[Task, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person decided about a call; `arguments_hash` is that of the arguments that they saw.

    `device` is where, as the device names itself: it is told to others and decides nothing.
    """

    call_id: str
    decision: Decision
    arguments_hash: str
    reason: str | None = None
    device: str | None = None


def wish_to_decide(key: str | None, verdict: Verdict) -> Wish | None:
    """The wish of a decision, the same from page and API; None without a key."""
    if key is None:
        return None
    body = {
        "id": verdict.call_id,
        "decision": verdict.decision,
        "arguments_hash": verdict.arguments_hash,
        "reason": verdict.reason,
    }
    return Wish(WishKind.DECISION, key, fingerprint(WishKind.DECISION.value, body))


class Deciding:
    """The decision use case, and the end of its time."""

    def __init__(self, store: Store, queue: Queue, wishes: Wishes, close_log: CloseLog, clock: Clock) -> None:
        self._store = store
        self._queue = queue
        self._wishes = wishes
        self._close_log = close_log
        self._clock = clock

    async def decide(self, owner_id: str, verdict: Verdict, wish: Wish | None = None) -> Task:
        """Record the decision, once, and have the task go on when it waited for it. Returns the task.

        Raises NotFound for a call that is not the owner's; AlreadyDecided with what was decided, when, by
        whom and where; ArgumentsMismatch when the arguments are others; NotUndecided, with what happened,
        when the call needs no decision or its time is over.
        """
        reason = _checked(verdict.reason) if verdict.decision is Decision.DENY else None
        async with self._store.read() as unit:
            task = await self._task(unit, owner_id, await unit.calls.get(owner_id, verdict.call_id))
        goes_on = False
        async with self._store.write() as unit:
            if await self._wishes.accept(unit, owner_id, wish) is None:
                version = await unit.sessions.bump(task.session_id)
                await self._record(unit, owner_id, verdict, reason, version)
                goes_on = await self._go_on(unit, task.id, version)
                await self._wishes.settle(unit, owner_id, wish, {"task_id": task.id})
            task = await unit.tasks.get(owner_id, task.id) or task
        if goes_on:
            await self._queue.enqueue(task.id, task.attempt)
        return task

    async def expire_overdue(self) -> int:
        """End the parked tasks whose decision did not come in time; returns how many. One chore of every
        reconciler pass, safe beside a decision and beside itself."""
        async with self._store.read() as unit:
            overdue = await unit.calls.expired(now=self._clock.now(), limit=BATCH)
        ended = 0
        for task_id in overdue:
            ended += await self._expire(task_id)
        return ended

    async def _record(
        self, unit: Unit, owner_id: str, verdict: Verdict, reason: str | None, version: int
    ) -> None:
        recorded = await unit.calls.decide(
            verdict.call_id,
            verdict.arguments_hash,
            verdict.decision,
            reason=reason,
            by=owner_id,
            on=verdict.device,
            at=self._clock.now(),
            version=version,
        )
        if recorded:
            return
        call = await unit.calls.get(owner_id, verdict.call_id)
        if call is None:
            raise NotFound()
        raise _refusal(call, verdict, self._clock.now())

    async def _go_on(self, unit: Unit, task_id: str, version: int) -> bool:
        """Unpark the task if a decided call can run, or none is undecided any more."""
        task = await unit.tasks.find(task_id)
        if task is None or task.state is not TaskState.AWAITING_CONFIRM:
            return False
        may_start = any(call.may_start for call in task.tool_calls)
        if not may_start and any(call.undecided for call in task.tool_calls):
            return False
        return await unit.tasks.unpark(task_id, version=version)

    async def _task(self, unit: Unit, owner_id: str, call: ToolCall | None) -> Task:
        task = await unit.tasks.get(owner_id, call.task_id) if call else None
        if task is None:
            raise NotFound()
        return task

    async def _expire(self, task_id: str) -> bool:
        async with self._store.read() as unit:
            seen = await unit.tasks.find(task_id)
        if seen is None:
            return False
        try:
            async with self._store.write() as unit:
                version = await unit.sessions.bump(seen.session_id)
                now = await unit.tasks.find(task_id)
                if now is None or not _overdue(now, self._clock.now()):
                    return False  # a decision came before this lock
                await unit.sessions.touch(now.session_id, at=self._clock.now())
                stored = await unit.tasks.stored(task_id)
                ended = await unit.tasks.end(
                    task_id,
                    now.attempt,
                    TaskState.FAILED,
                    TaskReason.EXPIRED,
                    at=self._clock.now(),
                    version=version,
                    transcript=stored.transcript,
                )
        except NotFound:
            return False
        if ended:
            await self._close_log(now, len(stored.transcript))
        return ended


def _overdue(task: Task, now: datetime) -> bool:
    return any(call.undecided and call.expires_at and call.expires_at <= now for call in task.tool_calls)


def _checked(reason: str | None) -> str | None:
    """The reason of a denial as it is stored and told to the model; None when nothing was said."""
    said = well_formed(reason or "").strip()
    if len(said) > MAX_REASON_CHARACTERS:
        raise InvalidInput(
            f"A reason has at most {MAX_REASON_CHARACTERS} characters.",
            rule="reason_too_long",
            most=MAX_REASON_CHARACTERS,
        )
    return said or None


def _refusal(call: ToolCall, verdict: Verdict, now: datetime) -> Exception:
    """Why a decision was not recorded, with what happened instead."""
    if call.decision is not None:
        return AlreadyDecided(
            decision=call.decision,
            decided_at=call.decided_at,
            decided_by=call.decided_by,
            decided_on=call.decided_on,
        )
    if call.undecided and call.arguments_hash != verdict.arguments_hash:
        return ArgumentsMismatch()
    if not call.needs_decision:
        return NotUndecided("This tool call needs no decision.", state=call.state, reason=call.reason)
    stopping = call.undecided and (call.expires_at is None or call.expires_at > now)
    if stopping or call.reason is ToolCallReason.STOPPED:
        words = "The answer was stopped before anybody decided; the call was not carried out."
    else:
        words = "The time to decide is over; the call was not carried out."
    return NotUndecided(words, state=call.state, reason=call.reason)
