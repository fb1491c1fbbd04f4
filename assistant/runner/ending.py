"""How a drive ends: a closed union, matched once, written as one record.

    Finished  -> done(complete | length)         Failed      -> failed(error | timeout)
    Lost      -> failed(interrupted)             Superseded  -> nothing: a newer attempt owns the task
    Unknown   -> failed(interrupted)             Parked      -> nothing: it waits, and nobody holds it
    HandedOver -> released, for another process

Terminal is written before it is announced; only then the log gets its closing entry.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_never

import structlog

from assistant.domain.errors import NotFound, StoreUnavailable
from assistant.domain.log import Folded
from assistant.domain.models import FinishReason
from assistant.domain.ports import Clock
from assistant.domain.store_ports import Store
from assistant.domain.task import Task, TaskError, TaskReason, TaskState
from assistant.domain.transcript import well_formed
from assistant.runner.patience import RETRIES, RETRY_SECONDS

INTERRUPTED = TaskError(
    "interrupted",
    "The server stopped while this answer was being written. The text so far is kept.",
)

OUTCOME_UNKNOWN = TaskError(
    "outcome_unknown",
    "A tool call of this answer may or may not have been carried out. Check before you run it again.",
)

INTERNAL = TaskError("internal", "Something went wrong on the server. Try again.")
MAX_ERROR_CHARACTERS = 2_000

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Finished:
    """The provider ended the answer."""

    reason: FinishReason
    usage: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The model step failed, in words for the user."""

    error: TaskError
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """An earlier attempt was lost and this one may not go on."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Of a call nobody knows whether it was carried out, so the answer cannot go on by itself."""


@dataclass(frozen=True, slots=True)
class Parked:
    """A person has to decide; the store has it already."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer attempt owns the task."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """This process goes down; another goes on."""


Ending = Finished | Failed | Lost | Unknown | Parked | Superseded | HandedOver


def _storable(ending: Ending) -> Ending:
    """The ending with what a provider said made fit for any database."""
    match ending:
        case Finished(reason, usage):
            return Finished(reason, _counts(usage))
        case Failed(error, timeout):
            words = well_formed(error.message)[:MAX_ERROR_CHARACTERS]
            return Failed(TaskError(error.code, words), timeout)
        case _:
            return ending


def _counts(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """What of a usage report counts something; a provider may put anything there."""
    if usage is None:
        return None
    counts: dict[str, Any] = {}
    for name, value in usage.items():
        if isinstance(value, dict):
            counts[well_formed(name)] = _counts(value)
        elif isinstance(value, int | float) and math.isfinite(value):
            counts[well_formed(name)] = value
    return counts


class Endings:
    """Writes an ending to the store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def write(
        self, task: Task, ending: Ending, folded: Folded, *, patient: Callable[[], bool] = lambda: True
    ) -> bool:
        """True when the task is now terminal by this ending; False when it was not ours to end.

        Keeps trying while the store is away (about a minute) and `patient` says so, since nobody else
        has heard the provider's last word.
        """
        for _ in range(RETRIES):
            try:
                return await self._write(task, _storable(ending), folded)
            except StoreUnavailable:
                _log.warning("store away at the end of a task", task=task.id, attempt=task.attempt)
                if not patient():
                    break
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:
                # What cannot be stored would else be tried, and asked of the provider, for ever.
                _log.exception("an ending could not be stored", task=task.id, attempt=task.attempt)
                return await self._end(task, TaskState.FAILED, TaskReason.ERROR, folded, error=INTERNAL)
        return False

    async def _write(self, task: Task, ending: Ending, folded: Folded) -> bool:
        match ending:
            case Finished(reason, usage):
                done = TaskReason.LENGTH if reason is FinishReason.LENGTH else TaskReason.COMPLETE
                return await self._end(task, TaskState.DONE, done, folded, usage=usage)
            case Failed(error, timeout):
                failed = TaskReason.TIMEOUT if timeout else TaskReason.ERROR
                return await self._end(task, TaskState.FAILED, failed, folded, error=error)
            case Lost():
                return await self._end(
                    task, TaskState.FAILED, TaskReason.INTERRUPTED, folded, error=INTERRUPTED
                )
            case HandedOver():
                await self._release(task, folded)
                return False
            case Unknown():
                return await self._end(
                    task, TaskState.FAILED, TaskReason.INTERRUPTED, folded, error=OUTCOME_UNKNOWN
                )
            case Superseded() | Parked():
                return False
            case never:
                assert_never(never)

    async def _end(
        self,
        task: Task,
        state: TaskState,
        reason: TaskReason,
        folded: Folded,
        *,
        error: TaskError | None = None,
        usage: dict[str, Any] | None = None,
    ) -> bool:
        try:
            async with self._store.write() as unit:
                version = await unit.sessions.bump(task.session_id)
                await unit.sessions.touch(task.session_id, at=self._clock.now())
                return await unit.tasks.end(
                    task.id,
                    task.attempt,
                    state,
                    reason,
                    at=self._clock.now(),
                    version=version,
                    transcript=folded.transcript,
                    error=error,
                    usage=usage,
                )
        except NotFound:
            return False

    async def _release(self, task: Task, folded: Folded) -> None:
        async with self._store.write() as unit:
            await unit.sessions.bump(task.session_id)
            await unit.tasks.snapshot(task.id, task.attempt, folded)
            await unit.tasks.release(task.id, task.attempt)
