"""Retry, Regenerate, Continue, Mark done, Run again: a new task with a sibling answer; nothing that exists
changes (DESIGN 5).

Regenerate is the retry of an answer that is complete. Mark done and Run again are what a person says of a
call whose outcome is unknown, once.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from assistant.domain.errors import AlreadySettled, NotFound, NotRetryable, OutcomeKnown, SessionBusy
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import Wish
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task, TaskReason
from assistant.domain.transcript import PartKind
from assistant.services import seeding
from assistant.services.seeding import NOTHING, Seed, Times
from assistant.services.turns import add_answer
from assistant.services.wishes import Wishes

_SeedOf = Callable[[Unit, Task], Awaitable[Seed]]


class Retrying:
    """The use cases that answer a question once more."""

    def __init__(
        self, store: Store, queue: Queue, wishes: Wishes, clock: Clock, *, decision_seconds: float
    ) -> None:
        self._store = store
        self._queue = queue
        self._wishes = wishes
        self._clock = clock
        self._decision_time = timedelta(seconds=decision_seconds)

    async def retry(self, owner_id: str, task_id: str, wish: Wish | None = None) -> Task:
        """Answer the same question again, in a sibling of the answer, however that ended.

        The branch that ends at the sibling is chosen: it has the question's own ancestors, so that the
        choice at no fork above moves while that branch is shown (Case B171). Returns the new task.
        Raises NotFound, and SessionBusy while an answer is unfinished.
        """

        async def nothing(unit: Unit, ended: Task) -> Seed:
            return NOTHING

        return await self._again(owner_id, task_id, wish, nothing)

    async def carry_on(self, owner_id: str, task_id: str, wish: Wish | None = None) -> Task:
        """Go on where an answer broke off, in a sibling that begins with the kept text and calls.

        Returns the new task. Raises NotRetryable when the answer is complete, when it has nothing to go on
        from, or while the outcome of a call is unknown.
        """
        return await self._again(owner_id, task_id, wish, self._kept)

    async def mark_done(self, owner_id: str, call_id: str, wish: Wish | None = None) -> Task:
        """Go on as if this call, whose outcome is unknown, was carried out: a person looked.

        Returns the new task. Raises NotFound, OutcomeKnown, AlreadySettled with the task that it went on
        in, and SessionBusy.
        """
        return await self._settle(owner_id, call_id, wish, seeding.marked_done)

    async def run_again(self, owner_id: str, call_id: str, wish: Wish | None = None) -> Task:
        """Run this call, whose outcome is unknown, once more under a new id, and go on. As `mark_done`."""
        return await self._settle(owner_id, call_id, wish, seeding.run_again)

    async def _settle(
        self, owner_id: str, call_id: str, wish: Wish | None, seed_of: Callable[..., Seed]
    ) -> Task:
        async with self._store.read() as unit:
            known = await unit.calls.get(owner_id, call_id)
        if known is None:
            raise NotFound()

        async def seed(unit: Unit, ended: Task) -> Seed:
            call = await unit.calls.get(owner_id, call_id)
            if call is None or not call.outcome_unknown:
                raise OutcomeKnown()
            settled = await unit.calls.made_in_place_of(call_id)
            if settled is not None:
                raise AlreadySettled(task_id=settled.task_id)
            stored = await unit.tasks.stored(ended.id)
            return seed_of(ended, stored.transcript, self._clock.id, self._times(), call_id, owner_id)

        return await self._again(owner_id, known.task_id, wish, seed)

    async def _again(self, owner_id: str, task_id: str, wish: Wish | None, seed_of: _SeedOf) -> Task:
        async with self._store.read() as unit:
            known = await unit.tasks.get(owner_id, task_id)
        if known is None:
            raise NotFound()
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            if earlier is not None:
                found = await unit.tasks.get(owner_id, earlier["task_id"])
                if found is None:
                    raise NotFound()
                return found
            version = await unit.sessions.bump(known.session_id)
            session = await unit.sessions.get(owner_id, known.session_id)
            ended = await unit.tasks.get(owner_id, task_id)
            if session is None or ended is None:
                raise NotFound()
            if not ended.closed:
                raise SessionBusy()
            # First what this answer says about the wish, then whether another one is in its way.
            seed = await seed_of(unit, ended)
            if await unit.tasks.unfinished(session.id):
                raise SessionBusy()
            task = await add_answer(unit, self._clock, session, version, ended.question_id, seed)
            await self._wishes.settle(unit, owner_id, wish, {"task_id": task.id, "answer_id": task.answer_id})
        await self._queue.enqueue(task.id, task.attempt)
        return task

    async def _kept(self, unit: Unit, ended: Task) -> Seed:
        if ended.reason is TaskReason.COMPLETE:
            raise NotRetryable("The answer is complete; there is nothing to continue.")
        if any(call.outcome_unknown for call in ended.tool_calls):
            raise NotRetryable("Say first what became of the call whose outcome is unknown.")
        kept = (await unit.tasks.stored(ended.id)).transcript
        said = any(part.kind is PartKind.TEXT and part.end > part.start for part in kept.parts)
        if not said and not ended.tool_calls:
            raise NotRetryable("The answer has no text to continue; try it again instead.")
        return seeding.kept(ended, kept, self._clock.id, self._times())

    def _times(self) -> Times:
        now = self._clock.now()
        return Times(now, now + self._decision_time)
