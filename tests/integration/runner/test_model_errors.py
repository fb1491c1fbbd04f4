"""Each way in which a provider fails is stored in words, asks nobody again by itself, and can be retried."""

from collections.abc import Callable

import pytest

from assistant.domain.errors import NotRetryable
from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, opened

ERROR, TIMEOUT = TaskReason.ERROR, TaskReason.TIMEOUT
TRIED_AGAIN = {"model_unavailable": 3, "model_rate_limited": 3}
"""Calls before the first token, by the provider's own rule; every other failure is one call."""

KINDS: dict[str, tuple[Callable[[Script], Script], str, TaskReason, str]] = {
    "bad request": (lambda script: script.fail(400), "model_bad_request", ERROR, ""),
    "key refused": (lambda script: script.fail(401), "model_unauthorized", ERROR, ""),
    "no credit": (lambda script: script.fail(402), "model_no_credit", ERROR, ""),
    "forbidden": (lambda script: script.fail(403), "model_forbidden", ERROR, ""),
    "no such model": (lambda script: script.fail(404), "model_not_found", ERROR, ""),
    "too many": (lambda script: script.fail(429), "model_rate_limited", ERROR, ""),
    "away": (lambda script: script.fail(503), "model_unavailable", ERROR, ""),
    "broken line": (lambda script: script.say("Half").break_off(), "model_broken_stream", ERROR, "Half"),
    "no end mark": (lambda script: script.say("Half").end_early(), "model_broken_stream", ERROR, "Half"),
    "broken event": (lambda script: script.say("Half").garbage(), "model_broken_stream", ERROR, "Half"),
    "error in mid-answer": (
        lambda script: script.say("Half").send({"error": {"message": "overloaded"}}),
        "model_error",
        ERROR,
        "Half",
    ),
    "silence before": (lambda script: script.hang_before_first(), "model_timeout", TIMEOUT, ""),
    "silence between": (lambda script: script.say("Half").hold(), "model_timeout", TIMEOUT, "Half"),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_it_is_told_in_words_and_retry_works(
    settings: Settings, provider: ScriptedProvider, kind: str
) -> None:
    """Case B114."""
    fail, code, reason, kept = KINDS[kind]
    quick = settings.model_copy(
        update={
            "model_first_token_timeout_seconds": 0.3 if reason is TIMEOUT else 30.0,
            "model_between_tokens_timeout_seconds": 0.3,
        }
    )
    calls = TRIED_AGAIN.get(code, 1)
    for _ in range(calls):
        fail(provider.script())
    async with opened(quick) as assistant:
        sent = await assistant.send("Hello?")
        reader = assistant.follow(sent.task_id)
        end = await reader.ended()

        task = await assistant.task(sent.task_id)
        assert (task.state, task.reason, end.reason) == (TaskState.FAILED, reason, reason)
        assert task.error is not None
        assert task.error.code == code
        assert " " in task.error.message
        assert reader.text == await assistant.stored(sent.task_id) == kept
        for _ in range(3):
            await assistant.services.reconciling.run_pass()
            await assistant.services.working.deliver(sent.task_id)
        assert len(provider.calls) == calls

        provider.say("Now it works.")
        retried = await assistant.services.retrying.retry(OWNER, sent.task_id)
        await assistant.ended(retried.id)
        assert await assistant.stored(retried.id) == "Now it works."
        if not kept:
            with pytest.raises(NotRetryable):
                await assistant.services.retrying.carry_on(OWNER, sent.task_id)


async def test_nobody_listens_at_the_providers_address(
    settings: Settings, provider: ScriptedProvider
) -> None:
    provider.stop()
    async with opened(settings) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)
        assert task.error is not None
        assert task.error.code == "model_unreachable"

        provider.start()
        retried = await assistant.services.retrying.retry(OWNER, sent.task_id)
        assert (await assistant.ended(retried.id)).reason is TaskReason.COMPLETE


async def test_a_model_that_is_gone_is_said_to_be_gone_and_no_other_is_asked(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """Case B163."""
    async with opened(settings.model_copy(update={"beat_seconds": 3600.0})) as before:
        sent = await before.send(model="other", delivered=False)
    async with opened(settings.model_copy(update={"model_name": "scripted"})) as assistant:
        task = await assistant.ended(sent.task_id)

    assert task.error is not None
    assert task.error.code == "model_unknown"
    assert "other" in task.error.message
    assert provider.calls == []
