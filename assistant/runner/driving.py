"""Drive one claimed task: the model step, from the provider's events to the log, to an ending."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any

import structlog

from assistant.domain.errors import Fenced, LogUnavailable, ProviderFailed
from assistant.domain.models import Delta, FinishReason
from assistant.domain.models import Finished as ModelFinished
from assistant.domain.ports import Hub, Providers, Writer
from assistant.domain.task import Task, TaskError
from assistant.runner.claiming import Claimed, Verdict
from assistant.runner.ending import (
    INTERNAL,
    Ending,
    Endings,
    Failed,
    Finished,
    HandedOver,
    Lost,
    Superseded,
)

MAX_ANSWER_CHARACTERS = 2_000_000
"""An answer that grows beyond it ends as done(length), whatever the provider would still say."""

_log = structlog.get_logger(__name__)

OpenWriter = Callable[[Claimed], Writer]
Advance = Callable[[str], Awaitable[object]]
"""Goes on with the queue of a session, if it is its turn."""


class Driving:
    """Drives claimed tasks; a task never lives in a request or in a page's state (Case B006)."""

    def __init__(
        self, providers: Providers, endings: Endings, open_writer: OpenWriter, hub: Hub, advance: Advance
    ) -> None:
        self._providers = providers
        self._endings = endings
        self._open_writer = open_writer
        self._hub = hub
        self._advance = advance

    async def drive(self, claimed: Claimed, handing_over: Callable[[], bool]) -> None:
        """Run the task to an ending and write it.

        A cancellation means that a newer attempt owns the task, or, when `handing_over` says so, that
        this process goes down and another goes on from here. It ends the model step alone: an ending
        once begun is written whole.
        """
        writer = self._open_writer(claimed)
        try:
            ending = await self._model_step(claimed, writer, handing_over)
            await _undisturbed(self._end(claimed, ending, writer, handing_over))
        finally:
            await writer.abandon()
            self._hub.ring(claimed.task.id)

    async def _end(
        self, claimed: Claimed, ending: Ending, writer: Writer, handing_over: Callable[[], bool]
    ) -> None:
        if await self._endings.write(claimed.task, ending, writer.folded, patient=lambda: not handing_over()):
            with suppress(LogUnavailable):  # the terminal state is stored; followers re-check the row
                await writer.close()
            await self._go_on(claimed.task)

    async def _go_on(self, task: Task) -> None:
        """The task has ended whatever becomes of this: a reconciler pass goes on where it fails."""
        try:
            await self._advance(task.session_id)
        except Exception as error:
            _log.warning("the queue of a session did not go on", session=task.session_id, error=repr(error))

    async def _model_step(self, claimed: Claimed, writer: Writer, handing_over: Callable[[], bool]) -> Ending:
        if claimed.verdict is Verdict.INTERRUPTED:
            return Lost()
        if handing_over():
            return HandedOver()
        ids = {"session": claimed.session.id, "task": claimed.task.id, "attempt": claimed.task.attempt}
        try:
            ending = await self._stream(claimed, writer)
            await writer.flush()
            return ending
        except Fenced:
            return Superseded()
        except asyncio.CancelledError:
            return await self._cancelled(writer, handing_over)
        except Exception:
            _log.exception("a drive failed", **ids)
            return Failed(INTERNAL)

    async def _stream(self, claimed: Claimed, writer: Writer) -> Ending:
        room = MAX_ANSWER_CHARACTERS - len(claimed.folded.transcript)
        try:
            provider = self._providers.choose(claimed.session.model)
            async with aclosing(provider.stream(claimed.request)) as events:
                async for event in events:
                    match event:
                        case Delta(kind, text):
                            await writer.feed(kind, text[: max(room, 0)])
                            room -= len(text)
                            if room < 0:
                                return Finished(FinishReason.LENGTH, None)
                        case ModelFinished(reason, usage):
                            return Finished(reason, usage)
        except ProviderFailed as failure:
            return Failed(TaskError(failure.code, failure.message), failure.timeout)
        return Failed(TaskError("model_broken_stream", "The model's answer ended without its end mark."))

    async def _cancelled(self, writer: Writer, handing_over: Callable[[], bool]) -> Ending:
        """Runs inside a cancelled task: one clean ending and nothing else."""
        current = asyncio.current_task()
        if current is not None:
            current.uncancel()
        if not handing_over():
            return Superseded()
        try:
            await writer.flush()
        except Fenced:
            return Superseded()
        except LogUnavailable:
            pass  # the text goes into the row with the release
        return HandedOver()


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Carry `work` out to its end, whatever cancels the current asyncio task meanwhile."""
    working = asyncio.ensure_future(work)
    while not working.done():
        try:
            await asyncio.wait({working})
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None:
                current.uncancel()
    working.result()
