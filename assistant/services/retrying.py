"""Retry, Regenerate, Continue: a new task with a sibling answer; nothing that exists changes (DESIGN 5).

Regenerate is the retry of an answer that is complete.
"""

from assistant.domain.errors import NotFound, NotRetryable, SessionBusy
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import Wish
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task, TaskReason
from assistant.domain.transcript import PartKind, Transcript
from assistant.services.turns import add_answer
from assistant.services.wishes import Wishes


class Retrying:
    """The retry and continue use cases."""

    def __init__(self, store: Store, queue: Queue, wishes: Wishes, clock: Clock) -> None:
        self._store = store
        self._queue = queue
        self._wishes = wishes
        self._clock = clock

    async def retry(self, owner_id: str, task_id: str, wish: Wish | None = None) -> Task:
        """Answer the same question again, in a sibling of the answer, however that ended.

        The branch that ends at the sibling is chosen: it has the question's own ancestors, so that the
        choice at no fork above moves while that branch is shown (Case B171). Returns the new task.
        Raises NotFound, and SessionBusy while an answer is unfinished.
        """
        return await self._again(owner_id, task_id, wish, keep=False)

    async def carry_on(self, owner_id: str, task_id: str, wish: Wish | None = None) -> Task:
        """Go on where an answer broke off, in a sibling that begins with the kept text.

        Returns the new task. Raises NotRetryable when the answer is complete or has no text.
        """
        return await self._again(owner_id, task_id, wish, keep=True)

    async def _again(self, owner_id: str, task_id: str, wish: Wish | None, *, keep: bool) -> Task:
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
            if await unit.tasks.unfinished(session.id):
                raise SessionBusy()
            kept = await _kept(unit, ended) if keep else None
            task = await add_answer(unit, self._clock, session, version, ended.question_id, kept)
            await self._wishes.settle(unit, owner_id, wish, {"task_id": task.id, "answer_id": task.answer_id})
        await self._queue.enqueue(task.id, task.attempt)
        return task


async def _kept(unit: Unit, ended: Task) -> Transcript:
    if ended.reason is TaskReason.COMPLETE:
        raise NotRetryable("The answer is complete; there is nothing to continue.")
    kept = (await unit.tasks.stored(ended.id)).transcript
    if not any(part.kind is PartKind.TEXT and part.end > part.start for part in kept.parts):
        raise NotRetryable("The answer has no text to continue; try it again instead.")
    return kept
