"""Third story: the user stops an answer; what stood there is what is stored, and nothing grows any more."""

from assistant.domain.task import TaskReason, TaskState
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_a_stop_keeps_what_was_shown_and_cancels_the_provider(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Once upon a ti").hold().say("me there was a king.")
    sent = await assistant.send("Tell me a story.")
    page = assistant.follow(sent.task_id)
    await page.shows("Once upon a ti")

    stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)

    # Stop is a claim: from its first transaction on, no worker may write for this task.
    assert (stopped.state, stopped.reason) == (TaskState.DONE, TaskReason.STOPPED)
    assert stopped.error is None, "a stop is never shown as a failure"
    await page.ended()
    assert page.text == await assistant.stored(sent.task_id) == "Once upon a ti"

    # The worker learns of it at its next beat and hangs up.
    await provider.disconnected(1, within=2)
    script.release()
    assert await assistant.stored(sent.task_id) == "Once upon a ti"


async def test_after_a_stop_the_user_may_continue_where_it_ended(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.script().say("Once upon a ti").hold()
    sent = await assistant.send("Tell me a story.")
    await assistant.follow(sent.task_id).shows("Once upon a ti")
    await assistant.services.stopping.stop(OWNER, sent.task_id)

    provider.say("me there was a king.")
    continued = await assistant.services.retrying.carry_on(OWNER, sent.task_id)
    await assistant.ended(continued.id)

    # A new task with a sibling answer that begins with the kept text; the stopped one stays as it is.
    assert await assistant.stored(continued.id) == "Once upon a time there was a king."
    assert await assistant.stored(sent.task_id) == "Once upon a ti"
    kept = [turn["content"] for turn in provider.calls[1].body["messages"] if turn["role"] == "assistant"]
    assert kept == ["Once upon a ti"]
