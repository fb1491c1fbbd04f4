"""Drive one claimed task, model step by model step and the calls between them, to an ending (DESIGN 9).

claim ──▶ fit, model step ──no calls──▶ ending
            │   ▲
      calls ▼   │ results
          the calls ──a person has to decide──▶ parked
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

import structlog

from assistant.domain.errors import Fenced, LogUnavailable, ProviderFailed
from assistant.domain.models import Delta, FinishReason, ModelRequest
from assistant.domain.models import Finished as ModelFinished
from assistant.domain.ports import Hub, Provider, Providers, Writer
from assistant.domain.task import Task, TaskError, TaskState
from assistant.domain.tokens import tokens_of
from assistant.domain.tools import ToolSpec
from assistant.domain.transcript import PartKind
from assistant.runner.asking import Context, allowed, request_of
from assistant.runner.calling import Calling, Went
from assistant.runner.claiming import Claimed, Verdict
from assistant.runner.ending import (
    INTERNAL,
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
from assistant.runner.fitting import Fitting, Telling
from assistant.runner.summarising import CONTEXT_EXCEEDED

MAX_ANSWER_CHARACTERS = 2_000_000
"""An answer that grows beyond it ends as done(length), whatever the provider would still say."""

TIME_IS_UP = TaskError("time_budget", "This answer took longer than it may. What it did so far is kept.")
TOO_MANY_STEPS = TaskError("step_budget", "This answer took more steps than it may. What it did is kept.")

_log = structlog.get_logger(__name__)

OpenWriter = Callable[[Claimed], Writer]
Advance = Callable[[str], Awaitable[object]]
"""Goes on with the queue of a session, if it is its turn."""

Answered = Callable[[Claimed, str], None]
"""Hears of an answer that ended by itself, and of its text; returns at once."""


def nobody_hears(_: Claimed, __: str) -> None:
    """Nothing follows."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one attempt may use: model steps, and seconds until its last model step ends. Waiting for a
    person costs nothing, since another attempt goes on after it."""

    steps: int = 25
    seconds: float = 3_600.0


class Driving:
    """Drives claimed tasks; a task never lives in a request or in a page's state (Case B006)."""

    def __init__(
        self,
        providers: Providers,
        fitting: Fitting,
        calling: Calling,
        endings: Endings,
        open_writer: OpenWriter,
        hub: Hub,
        advance: Advance,
        *,
        offered: tuple[ToolSpec, ...] = (),
        budget: Budget = Budget(),
        answered: Answered = nobody_hears,
    ) -> None:
        self._providers = providers
        self._fitting = fitting
        self._answered = answered
        self._calling = calling
        self._offered = offered
        self._budget = budget
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
            ending = await self._work(claimed, writer, handing_over)
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
            # The one try at a title would be taken, and then end with this process.
            if isinstance(ending, Finished) and not handing_over():
                self._answered(claimed, _text_of(writer))

    async def _go_on(self, task: Task) -> None:
        """The task has ended whatever becomes of this: a reconciler pass goes on where it fails."""
        try:
            await self._advance(task.session_id)
        except Exception as error:
            _log.warning("the queue of a session did not go on", session=task.session_id, error=repr(error))

    async def _work(self, claimed: Claimed, writer: Writer, handing_over: Callable[[], bool]) -> Ending:
        """All steps, to an ending."""
        match claimed.verdict:
            case Verdict.INTERRUPTED:
                return Lost()
            case Verdict.UNKNOWN:
                return Unknown()
        if handing_over():
            return HandedOver()
        ids = {"session": claimed.session.id, "task": claimed.task.id, "attempt": claimed.task.attempt}
        try:
            ending = await self._steps(claimed, writer, handing_over)
            await writer.flush()
            return ending
        except Fenced:
            return Superseded()
        except asyncio.CancelledError:
            return await self._cancelled(writer, handing_over)
        except Exception:
            _log.exception("a drive failed", **ids)
            return Failed(INTERNAL)

    async def _steps(self, claimed: Claimed, writer: Writer, handing_over: Callable[[], bool]) -> Ending:
        """Model step, calls, model step ... within the budget of one attempt."""
        task = claimed.task
        if claimed.calls_untold:
            writer.tell_whole()
        _mark(writer, task)
        telling = Telling(claimed.context)
        ends_at = asyncio.get_running_loop().time() + self._budget.seconds
        for _ in range(self._budget.steps):
            if task.state is TaskState.TOOL_CALLING:
                went, task = await self._calling.run(task, handing_over)
                _mark(writer, task)
                if went is not Went.ON:
                    return Parked() if went is Went.PARKED else Unknown()
            try:
                async with asyncio.timeout_at(ends_at) as budget:
                    said = await self._model_step(claimed, task, writer, telling)
            except TimeoutError:
                if budget.expired():
                    return Failed(TIME_IS_UP, timeout=True)
                raise
            if not isinstance(said, ModelFinished):
                return said
            if said.reason is not FinishReason.TOOL_CALLS:
                return Finished(said.reason, said.usage)
            tools = frozenset(spec.name for spec in allowed(claimed.session, self._offered))
            task = await self._calling.store(task, await writer.flush(), said.calls, tools)
            _mark(writer, task)
        return Failed(TOO_MANY_STEPS)

    async def _model_step(
        self, claimed: Claimed, task: Task, writer: Writer, telling: Telling
    ) -> ModelFinished | Failed:
        """One model step into the log; its own end, or why there was none."""
        try:
            return await self._told(claimed, task, writer, telling)
        except ProviderFailed as failure:
            return Failed(TaskError(failure.code, failure.message), failure.timeout)

    async def _told(
        self, claimed: Claimed, task: Task, writer: Writer, telling: Telling
    ) -> ModelFinished | Failed:
        """A model that says that it was told too much is told less, once, if nothing of the step has come and
        there is less to tell."""
        provider = self._providers.choose(claimed.session.model)
        so_far = writer.folded.transcript
        begins = len(so_far)
        tools = allowed(claimed.session, self._offered)

        def asked(context: Context) -> ModelRequest:
            return request_of(claimed.session, context, so_far, task.tool_calls, tools)

        request = await self._fitting.fit(task, provider, telling, asked)
        try:
            return await self._say(provider, request, writer)
        except ProviderFailed as failure:
            if failure.code != CONTEXT_EXCEEDED or len(writer.folded.transcript) > begins:
                raise
            telling.refused(request)
            shorter = await self._fitting.fit(task, provider, telling, asked)
            if tokens_of(shorter) >= tokens_of(request):
                raise
        return await self._say(provider, shorter, writer)

    async def _say(self, provider: Provider, request: ModelRequest, writer: Writer) -> ModelFinished | Failed:
        room = MAX_ANSWER_CHARACTERS - len(writer.folded.transcript)
        async with aclosing(provider.stream(request)) as events:
            async for event in events:
                match event:
                    case Delta(kind, text):
                        await writer.feed(kind, text[: max(room, 0)])
                        room -= len(text)
                        if room < 0:
                            return ModelFinished(FinishReason.LENGTH)
                    case ModelFinished():
                        return event
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


def _text_of(writer: Writer) -> str:
    """What was said, without reasoning."""
    said = writer.folded.transcript.since(0)
    return "".join(text for kind, _, text in said if kind is PartKind.TEXT)


def _mark(writer: Writer, task: Task) -> None:
    """Let the calls that the text lacks stand where it ends: at the border of a step."""
    standing = {part.call_id for part in writer.folded.transcript.parts if part.kind is PartKind.TOOL_CALL}
    writer.mark_calls([call.id for call in task.tool_calls if call.id not in standing])
