"""The wiring: which adapter stands behind which port, and what every use case and the runner get."""

from contextlib import AsyncExitStack, suppress

import structlog

from assistant.bootstrap.services import Services
from assistant.domain.errors import AssistantError, LogUnavailable
from assistant.domain.log import Folded
from assistant.domain.ports import Providers, Rates
from assistant.domain.task import Task
from assistant.domain.times import SystemClock
from assistant.domain.tools import Tools
from assistant.engine.delivery import DocketQueue
from assistant.models.openai_compatible import Timeouts
from assistant.models.providers import Endpoint, ModelProviders
from assistant.runner.calling import Calling
from assistant.runner.claiming import Claimed, Claiming
from assistant.runner.driving import Budget, Driving, nobody_hears
from assistant.runner.ending import Endings
from assistant.runner.fitting import Fitting
from assistant.runner.reconciling import Reconciling
from assistant.runner.summarising import Summarising
from assistant.runner.titling import Titling
from assistant.runner.tool_use import Deadlines, ToolUse
from assistant.runner.working import Working
from assistant.services.arranging import Arranging
from assistant.services.choices import Choices
from assistant.services.deciding import Deciding
from assistant.services.deleting import Deleting
from assistant.services.discarding import Discarding
from assistant.services.drafting import Drafting
from assistant.services.exporting import Exporting
from assistant.services.following import Following
from assistant.services.importing import Importing
from assistant.services.knowing import Knowing
from assistant.services.limiting import Limiting, PerMinute
from assistant.services.linking import Linking
from assistant.services.listing import Listing
from assistant.services.owner_seal import OwnerSeal
from assistant.services.queueing import Queueing
from assistant.services.restoring import Restoring
from assistant.services.retrying import Retrying
from assistant.services.searching import Searching
from assistant.services.sending import Sending
from assistant.services.share_tokens import ShareTokens
from assistant.services.sharing import Sharing
from assistant.services.stopping import Stopping
from assistant.services.watching import Watching
from assistant.services.wishes import Wishes
from assistant.services.wrong_tries import WrongTries
from assistant.settings import Settings
from assistant.storage.store import SqlStore
from assistant.streams.hub import StreamHub
from assistant.streams.log import RedisLog
from assistant.streams.writer import DEFAULT_PACE, AnswerWriter, Pace
from assistant.tools.offered import offered_tools

EMBEDDED_PACE = Pace(first_is_stored=True, snapshot_seconds=0.25, snapshot_entries=8)
"""The log dies with the one process: what readers have seen begin must not count as never begun."""

_log = structlog.get_logger(__name__)


async def wire(
    stack: AsyncExitStack,
    settings: Settings,
    store: SqlStore,
    log: RedisLog,
    providers: Providers,
    tools: Tools | None,
    rates: Rates,
    *,
    runs: bool,
) -> Services:
    """Everything wired and the queue open; what has to be closed is pushed onto the stack. `tools` take the
    place of those that the settings name."""
    clock = SystemClock()
    worker_id = clock.id()

    async def stored(task_id: str) -> Folded:
        async with store.read() as unit:
            return await unit.tasks.stored(task_id)

    async def version_of(session_id: str) -> int | None:
        async with store.read() as unit:
            return await unit.sessions.version(session_id)

    hub = StreamHub(log, stored, version_of)
    stack.push_async_callback(hub.aclose)

    def open_writer(claimed: Claimed) -> AnswerWriter:
        task = claimed.task

        async def snapshot(folded: Folded) -> bool:
            async with store.write() as unit:
                return await unit.tasks.snapshot(task.id, task.attempt, folded)

        return AnswerWriter(
            task.id,
            task.attempt,
            claimed.folded,
            log,
            snapshot,
            lambda: hub.ring(task.id),
            pace=EMBEDDED_PACE if settings.embedded else DEFAULT_PACE,
        )

    async def close_log(task: Task, offset: int) -> None:
        try:
            await log.close(task.id, task.attempt, 1, offset)
        except LogUnavailable:
            _log.info("a log was not closed; its readers re-check the row", task=task.id)
        hub.ring(task.id)

    async def ring(owner_id: str) -> None:
        with suppress(LogUnavailable):  # whoever lists it looks again by itself
            await log.ring(owner_id)

    claiming = Claiming(store, log, providers, worker_id=worker_id, owner_tasks=settings.owner_tasks)
    endings = Endings(store, clock)
    if tools is None:
        mail = settings.smtp_url.get_secret_value()
        tools = offered_tools(store, clock, mail, settings.data_dir, demo=settings.demo_tools)
    deadlines = Deadlines(settings.tool_timeout_seconds, settings.decision_ttl_seconds)
    tool_use = ToolUse(tools, clock, deadlines)
    offered = tool_use.offered() if settings.model_tools else ()
    choices = Choices(providers.names, tuple(spec.name for spec in offered))
    titling = Titling(store, providers)
    stack.push_async_callback(titling.aclose)
    driving = Driving(
        providers,
        Fitting(store, Summarising(store, clock)),
        Calling(store, tool_use, hub, clock),
        endings,
        open_writer,
        hub,
        lambda session_id: queueing.advance(session_id),
        offered=offered,
        budget=Budget(settings.max_steps, settings.max_answer_seconds),
        answered=titling.answered if settings.makes_titles else nobody_hears,
    )
    working = Working(
        store,
        claiming,
        driving,
        worker_id=worker_id,
        slots=settings.runner_slots,
        beat_seconds=settings.beat_seconds,
    )
    queue = DocketQueue(settings.redis_url, deliver=working.deliver if runs else None)
    wishes = Wishes(store, clock, ttl_seconds=settings.key_ttl_seconds)
    queueing = Queueing(store, queue, wishes, clock)
    stopping = Stopping(store, log, hub, wishes, clock, moved_on=working.moved_on)
    deciding = Deciding(store, queue, wishes, close_log, clock)
    deleting = Deleting(store, stopping, wishes, clock)
    reconciling = Reconciling(
        store,
        queue,
        claiming,
        endings,
        stopping.complete,
        close_log,
        deleting.remove_expired,
        queueing.advance_ready,
        deciding.expire_overdue,
        clock,
        worker_id=worker_id,
        beat_seconds=settings.beat_seconds,
        lost_after=settings.lost_after_beats,
        owner_tasks=settings.owner_tasks,
    )
    # Before the first delivery: a task held by a worker without a row is taken from it by others.
    try:
        await working.beat()
    except AssistantError as error:
        _log.warning("not reached at the start; trying on", error=error.message)
    await stack.enter_async_context(queue.open())
    restoring = Restoring(store, log)
    watching = Watching(hub, restoring)
    tokens = ShareTokens(lambda: settings.secret_key.get_secret_value())
    return Services(
        settings=settings,
        clock=clock,
        store=store,
        log=log,
        hub=hub,
        queue=queue,
        knowing=Knowing(store, clock),
        limiting=Limiting(rates, _per_minute(settings)),
        wishes=wishes,
        sending=Sending(store, queue, wishes, clock, choices=choices),
        queueing=queueing,
        stopping=stopping,
        retrying=Retrying(store, queue, wishes, clock, decision_seconds=settings.decision_ttl_seconds),
        deciding=deciding,
        choices=choices,
        arranging=Arranging(store, wishes, clock, choices=choices),
        deleting=deleting,
        discarding=Discarding(store, wishes),
        restoring=restoring,
        listing=Listing(store),
        following=Following(store, log, hub),
        searching=Searching(store),
        exporting=Exporting(store),
        importing=Importing(store, wishes, clock, choices=choices),
        watching=watching,
        drafting=Drafting(store, clock, ring),
        linking=Linking(store, clock, lambda: settings.secret_key.get_secret_value(), WrongTries(clock)),
        sharing=Sharing(store, wishes, clock, restoring, watching, tokens),
        tools=tools,
        seal=OwnerSeal(lambda: settings.secret_key.get_secret_value()),
        working=working,
        reconciling=reconciling,
        titling=titling,
        drains=False,
    )


def providers_of(settings: Settings) -> ModelProviders:
    if not settings.has_model:
        return ModelProviders.demo(context_tokens=settings.model_context_tokens)
    first = Endpoint(
        settings.model_base_url,
        tuple(name.strip() for name in settings.model_name.split(",") if name.strip()),
        settings.model_api_key.get_secret_value(),
        settings.model_continues_prefix,
        settings.model_context_tokens,
    )
    more = [
        Endpoint(
            each.base_url,
            each.models,
            each.api_key.get_secret_value(),
            each.continues_prefix,
            each.context_tokens or settings.model_context_tokens,
        )
        for each in settings.model_endpoints
    ]
    return ModelProviders.connected(
        [first, *more] if first.base_url else more,
        timeouts=Timeouts(
            connect=settings.model_connect_timeout_seconds,
            first_token=settings.model_first_token_timeout_seconds,
            between_tokens=settings.model_between_tokens_timeout_seconds,
        ),
    )


def _per_minute(settings: Settings) -> PerMinute:
    return PerMinute(
        sends=settings.sends_per_minute,
        changes=settings.changes_per_minute,
        of_an_address=settings.address_changes_per_minute,
        owners=settings.owners_per_minute,
    )
