"""First story: a message is sent, a provider answers, and both stand in the session for good."""

from assistant.domain.message import Role
from assistant.domain.task import TaskReason, TaskState
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_a_message_is_answered_and_kept(assistant: Assistant, provider: ScriptedProvider) -> None:
    provider.say("The capital ", "of France ", "is Paris.")

    sent = await assistant.send("What is the capital of France?")
    # The send has returned: message and task are stored, and whatever happens now nothing is lost.
    # A task answers the message behind our back; it does not need us.
    task = await assistant.ended(sent.task_id)

    assert (task.state, task.reason) == (TaskState.DONE, TaskReason.COMPLETE)
    question, answer = await assistant.messages(sent.session_id)
    assert (question.role, question.text) == (Role.USER, "What is the capital of France?")
    assert (answer.role, answer.text) == (Role.ASSISTANT, "The capital of France is Paris.")
    assert answer.parent_id == question.id
    assert len(provider.calls) == 1


async def test_the_next_message_knows_what_was_said(assistant: Assistant, provider: ScriptedProvider) -> None:
    provider.say("Paris.")
    first = await assistant.answered("What is the capital of France?")

    provider.say("About two million.")
    second = await assistant.answered("How many people live there?", session_id=first.session_id)

    told = [turn["content"] for turn in provider.calls[1].body["messages"]]
    assert told == ["What is the capital of France?", "Paris.", "How many people live there?"]
    assert len(await assistant.messages(second.session_id)) == 4


async def test_the_same_wish_twice_is_carried_out_once(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    # The key is minted when the user presses Send; a reply that was lost is asked for again under it.
    first = await assistant.send("Hello?", key="pressed-once")
    second = await assistant.send("Hello?", key="pressed-once")
    await assistant.ended(first.task_id)

    assert second == first
    assert len(provider.calls) == 1
    assert (await assistant.services.wishes.ask(OWNER, "pressed-once")).result is not None
