"""Store, log or queue go away and come back: tasks end truly or go on, and nothing hangs."""

from assistant.domain.task import TaskReason
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import Assistant, opened
from tests.support.reader import Reader


async def test_a_store_that_is_away_at_the_end_of_an_answer_gets_it_when_it_is_back(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B147: the reader stays, and is told the end once it is stored."""
    script = provider.script().say("Before, ").hold().say("during, ").hold().say("after.")
    sent = await assistant.send()
    reader = assistant.follow(sent.task_id)
    await reader.shows("Before, ")

    async with assistant.store_away() as refused:
        script.release()
        await reader.shows("Before, during, ")
        script.release()
        await reader.shows("Before, during, after.")
        await eventually(lambda: provider.calls[0].ended)
        # Something changed, says a bell; the reader asks the store what, and is told nothing.
        asked = len(refused)
        await assistant.services.log.bump(sent.session_id, 1 + (await _known(reader)))
        await eventually(lambda: len(refused) > asked + 1)
        assert reader.end is None
    await reader.ended()

    assert (await assistant.task(sent.task_id)).reason is TaskReason.COMPLETE
    assert reader.text == await assistant.stored(sent.task_id) == "Before, during, after."
    assert len(provider.calls) == 1
    assert await assistant.answered("Still working?", session_id=sent.session_id)


async def test_a_store_that_is_away_while_a_stop_is_asked_for_says_so_and_the_stop_works_later(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.script().say("Going").hold()
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("Going")
    async with assistant.store_away():
        outcome = await _raised(assistant, sent.task_id)
    assert outcome == "store_unavailable"

    stopped = await assistant.services.stopping.stop("ada", sent.task_id)
    assert stopped.reason is TaskReason.STOPPED
    await provider.disconnected(1, within=2)


async def test_beats_and_passes_survive_a_store_that_was_away(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """Case B147: no failure is kept for ever."""
    async with opened(settings.model_copy(update={"beat_seconds": 0.05})) as assistant:
        before = await _beat(assistant)
        async with assistant.store_away() as refused:
            await eventually(lambda: len(refused) > 6)
        await eventually(lambda: _beats_beyond(assistant, before))
        sent = await assistant.send(delivered=False)
        await assistant.ended(sent.task_id)


async def test_a_store_that_is_away_between_claim_and_first_token_costs_only_time(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().hold().say("All of it.")
    sent = await assistant.send()
    await script.held()
    async with assistant.store_away():
        script.release()
        await eventually(lambda: provider.calls[0].ended)

    assert (await assistant.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert await assistant.stored(sent.task_id) == "All of it."
    assert len(provider.calls) == 1


async def _known(reader: Reader) -> int:
    """The version that the reader knows of."""
    await reader.told()
    return reader.states[-1].version


async def _raised(assistant: Assistant, task_id: str) -> str:
    try:
        await assistant.services.stopping.stop("ada", task_id)
    except Exception as error:
        return str(getattr(error, "code", error))
    return "nothing"


async def _beat(assistant: Assistant) -> int:
    async with assistant.services.store.read() as unit:
        mine = assistant.services.working.worker_id
        return next(worker.beat for worker in await unit.workers.all() if worker.id == mine)


async def _beats_beyond(assistant: Assistant, before: int) -> bool:
    return await _beat(assistant) > before + 2
