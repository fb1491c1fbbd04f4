"""After a delete no summary stands on the branch, whatever stood there and wherever its leaf is."""

from datetime import UTC, datetime

from sqlalchemy import insert, update

from assistant.domain.summary import Summary
from assistant.storage.schema import sessions, summaries
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, Sent


async def talked(assistant: Assistant, provider: ScriptedProvider) -> list[Sent]:
    """Three exchanges."""
    sent: list[Sent] = []
    for number in range(3):
        provider.say(f"Answer {number}.")
        sent.append(
            await assistant.answered(f"Question {number}?", session_id=sent[0].session_id if sent else None)
        )
    return sent


async def summarised(assistant: Assistant, through: Sent) -> None:
    """A summary that is based on none."""
    await assistant.change(
        insert(summaries).values(
            id=f"through {through.answer_id}",
            session_id=through.session_id,
            through_id=through.answer_id,
            based_on=None,
            text="They spoke.",
            model=None,
            created_at=datetime(2030, 1, 1, tzinfo=UTC),
        )
    )


async def shown(assistant: Assistant, session_id: str) -> list[Summary | None]:
    """What a restore shows, and what a page that follows is told."""
    restoring = assistant.services.restoring
    snapshot = await restoring.snapshot(OWNER, session_id)
    return [snapshot.summary, (await restoring.changes(OWNER, session_id, 0)).summary]


async def test_older_ones_that_it_was_not_made_of_go_with_it(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    sent = await talked(assistant, provider)
    for through in sent[:2]:
        await summarised(assistant, through)
    assert await shown(assistant, sent[0].session_id) != [None, None]

    await assistant.services.discarding.discard(OWNER, sent[0].session_id)

    assert await shown(assistant, sent[0].session_id) == [None, None]


async def test_one_is_shown_and_deleted_where_the_leaf_is_lost(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B059: the branch is then that of the newest message."""
    sent = await talked(assistant, provider)
    await summarised(assistant, sent[0])
    sid = sent[0].session_id
    await assistant.change(update(sessions).where(sessions.c.id == sid).values(leaf_id="nowhere"))
    found = await shown(assistant, sid)
    assert [each and each.through_id for each in found] == [sent[0].answer_id] * 2

    await assistant.services.discarding.discard(OWNER, sid)

    assert await shown(assistant, sid) == [None, None]
