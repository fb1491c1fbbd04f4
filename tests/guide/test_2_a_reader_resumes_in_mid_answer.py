"""Second story: a page is refreshed in mid-answer, and the text goes on at the character where it stood."""

from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_a_refresh_in_mid_answer_goes_on_at_the_character(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("One, two, ").hold().say("three, ").hold().say("four.")
    sent = await assistant.send("Count to four.")

    # A page follows the answer and shows it as it grows.
    page = assistant.follow(sent.task_id)
    await page.shows("One, two, ")

    # The page goes away. The answer does not: a task never lives in a page.
    await page.leave()
    script.release()
    await script.held(2)

    # It comes back, shows what it had kept, and names where it stands: attempt, offset and a checksum.
    again = assistant.follow(sent.task_id, page.cursor, page.shown)
    await again.shows("One, two, three, ")
    script.release()
    await again.ended()

    assert again.text == "One, two, three, four."
    assert not again.taken_back
    assert again.sent == len("three, four."), "only what was missing is sent"
    assert again.text == await assistant.stored(sent.task_id)
    assert len(provider.calls) == 1


async def test_a_page_without_any_memory_is_given_a_snapshot_and_follows_from_there(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Half of ").hold().say("a sentence.")
    sent = await assistant.send("Say something.")
    await assistant.follow(sent.task_id).shows("Half of ")

    # Restore: one consistent picture, the unfinished answer with the text so far.
    snapshot = await assistant.services.restoring.snapshot(OWNER, sent.session_id)
    assert [message.text for message in snapshot.messages] == ["Say something.", "Half of "]
    assert [task.id for task in snapshot.tasks] == [sent.task_id]

    # Caught up is not closed: the follow ends only when the task has ended.
    page = assistant.follow(sent.task_id)
    await page.shows("Half of ")
    assert page.end is None
    script.release()
    await page.ended()
    assert page.text == "Half of a sentence."
