"""Fourth story: the provider fails; the user is told why in words, and decides what happens next."""

from assistant.domain.task import TaskReason, TaskState
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_a_model_error_is_told_in_words_and_retry_answers_beside_it(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.fail(401)
    sent = await assistant.send("Hello?")
    failed = await assistant.ended(sent.task_id)

    assert (failed.state, failed.reason) == (TaskState.FAILED, TaskReason.ERROR)
    assert failed.error is not None
    assert failed.error.code == "model_unauthorized"
    assert "API key" in failed.error.message
    # Nothing is tried again by itself: only a click asks the provider once more.
    assert len(provider.calls) == 1

    provider.say("Hello!")
    retried = await assistant.services.retrying.retry(OWNER, sent.task_id)
    await assistant.ended(retried.id)

    # The retry answers the same question in a sibling; nothing that exists is changed.
    question, answer = await assistant.messages(sent.session_id)
    assert (question.id, answer.id) == (sent.message_id, retried.answer_id)
    assert answer.text == "Hello!"
    assert answer.siblings == (sent.answer_id, retried.answer_id)
    assert (await assistant.task(sent.task_id)).state is TaskState.FAILED
    assert len(provider.calls) == 2
