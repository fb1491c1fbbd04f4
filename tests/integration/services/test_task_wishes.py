"""Stop, retry and continue under a key are carried out once, and keys of one kind serve no other."""

import asyncio

import pytest

from assistant.domain.errors import KeyReused, NotRetryable, RequestWithdrawn, SessionBusy
from assistant.domain.records import WishKind
from assistant.domain.task import TaskReason
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, task_wish


async def test_twenty_retries_under_one_key_at_once_make_one_task(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B114."""
    provider.fail(401)
    sent = await anywhere.send()
    await anywhere.ended(sent.task_id)
    wish = task_wish(WishKind.RETRY, "again", sent.task_id)

    retried = await asyncio.gather(
        *(anywhere.services.retrying.retry(OWNER, sent.task_id, wish) for _ in range(20))
    )
    await anywhere.ended(retried[0].id)

    assert len({task.id for task in retried}) == 1
    assert len(provider.calls) == 2


async def test_retries_without_a_key_at_once_are_one_and_the_others_are_refused(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    provider.fail(401)
    sent = await anywhere.send()
    await anywhere.ended(sent.task_id)
    script = provider.script().hold()

    outcomes = await asyncio.gather(
        *(anywhere.services.retrying.retry(OWNER, sent.task_id) for _ in range(5)), return_exceptions=True
    )

    assert sum(isinstance(outcome, SessionBusy) for outcome in outcomes) == 4
    await provider.called(2)
    script.release()


async def test_a_stop_under_a_key_is_told_the_same_end_each_time(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    provider.script().say("Half").hold()
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows("Half")
    wish = task_wish(WishKind.STOP, "enough", sent.task_id)

    stopped = await asyncio.gather(
        *(anywhere.services.stopping.stop(OWNER, sent.task_id, wish) for _ in range(10))
    )

    assert {task.reason for task in stopped} == {TaskReason.STOPPED}
    assert len(set(stopped)) == 1
    assert await anywhere.stored(sent.task_id) == "Half"


async def test_a_continue_under_a_key_makes_one_sibling(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("Half").finish("length")
    sent = await assistant.send()
    assert (await assistant.ended(sent.task_id)).reason is TaskReason.LENGTH
    wish = task_wish(WishKind.CONTINUE, "go on", sent.task_id)

    provider.say(" and half.")
    continued = [await assistant.services.retrying.carry_on(OWNER, sent.task_id, wish) for _ in range(3)]
    await assistant.ended(continued[0].id)

    assert len({task.id for task in continued}) == 1
    assert await assistant.stored(continued[0].id) == "Half and half."


async def test_a_withdrawn_retry_is_refused(assistant: Assistant, provider: ScriptedProvider) -> None:
    provider.fail(401)
    sent = await assistant.send()
    await assistant.ended(sent.task_id)
    await assistant.services.wishes.withdraw(OWNER, "again")

    with pytest.raises(RequestWithdrawn):
        await assistant.services.retrying.retry(
            OWNER, sent.task_id, task_wish(WishKind.RETRY, "again", sent.task_id)
        )
    assert len(provider.calls) == 1


async def test_a_key_of_a_send_serves_no_stop(assistant: Assistant) -> None:
    sent = await assistant.send(key="k")
    await assistant.ended(sent.task_id)

    with pytest.raises(KeyReused):
        await assistant.services.stopping.stop(
            OWNER, sent.task_id, task_wish(WishKind.STOP, "k", sent.task_id)
        )


async def test_a_complete_answer_is_not_continued_and_the_refusal_stores_no_key(
    assistant: Assistant,
) -> None:
    sent = await assistant.answered()
    wish = task_wish(WishKind.CONTINUE, "k", sent.task_id)

    with pytest.raises(NotRetryable):
        await assistant.services.retrying.carry_on(OWNER, sent.task_id, wish)

    assert await assistant.send(key="k"), "the key is still free"


async def test_an_unfinished_answer_is_neither_retried_nor_continued(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.script().say("Half").hold()
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("Half")

    for again in (assistant.services.retrying.retry, assistant.services.retrying.carry_on):
        with pytest.raises(SessionBusy):
            await again(OWNER, sent.task_id)
    assert len(await assistant.messages(sent.session_id)) == 2
