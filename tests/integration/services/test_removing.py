"""After its time a deleted session is removed for good, and no send under one of its keys is sent again."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from assistant.domain.errors import NotFound, RequestAccepted
from assistant.domain.records import WishKind
from assistant.services.deleting import UNDO_SECONDS
from assistant.storage.databases import Engines
from assistant.storage.schema import keys, metadata, sessions
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, task_wish


async def test_a_removed_session_is_gone_with_its_rows_and_the_others_stay(anywhere: Assistant) -> None:
    sent, other = await anywhere.answered(), await anywhere.answered()
    await anywhere.services.drafting.save(OWNER, sent.session_id, "typed", 1)
    await anywhere.services.deleting.delete(OWNER, sent.session_id)

    await anywhere.services.reconciling.run_pass()
    assert await count(anywhere, "session") == 2, "its time has not passed"
    await age(anywhere, UNDO_SECONDS)
    with pytest.raises(NotFound):
        await anywhere.services.deleting.undo(OWNER, sent.session_id)
    await anywhere.services.reconciling.run_pass()

    for table, rows in {"session": 1, "message": 2, "task": 1, "draft": 0}.items():
        assert await count(anywhere, table) == rows
    assert await anywhere.messages(other.session_id)
    with pytest.raises(NotFound):
        await anywhere.services.deleting.undo(OWNER, sent.session_id)


@pytest.mark.parametrize("swept_before", [False, True])
async def test_a_send_under_a_key_of_a_removed_session_is_not_sent_again(
    anywhere: Assistant, provider: ScriptedProvider, swept_before: bool
) -> None:
    """Case B102: for ever, also when the key had been swept before the session went."""
    sent = await anywhere.send(key="k")
    await anywhere.ended(sent.task_id)
    if swept_before:
        await sweep(anywhere)
    await anywhere.services.deleting.delete(OWNER, sent.session_id)
    await age(anywhere, UNDO_SECONDS)
    await anywhere.services.reconciling.run_pass()
    assert await count(anywhere, "message") == 0
    async with anywhere.services.store.write() as unit:
        await unit.keys.sweep(now=anywhere.services.clock.now() + timedelta(days=365))

    assert [await anywhere.send(key="k") for _ in range(2)] == [sent, sent]
    asked = await anywhere.services.wishes.ask(OWNER, "k")
    with pytest.raises(RequestAccepted):
        await anywhere.services.wishes.withdraw(OWNER, "k")

    assert asked.result is not None
    assert asked.result["message_id"] == sent.message_id
    assert await count(anywhere, "message") == await count(anywhere, "session") == 0
    assert len(provider.calls) == 1


async def test_a_repeated_deletion_is_told_its_first_result_after_the_removal(assistant: Assistant) -> None:
    sent = await assistant.answered()
    wish = task_wish(WishKind.DELETE, "d", sent.session_id)
    deleted = await assistant.services.deleting.delete(OWNER, sent.session_id, wish)
    await age(assistant, UNDO_SECONDS)
    await assistant.services.deleting.remove_expired()

    assert await assistant.services.deleting.delete(OWNER, sent.session_id, wish) == deleted


async def test_what_was_taken_back_is_not_removed(anywhere: Assistant) -> None:
    sent = await anywhere.answered()
    await anywhere.services.deleting.delete(OWNER, sent.session_id)
    await anywhere.services.deleting.undo(OWNER, sent.session_id)
    await age(anywhere, UNDO_SECONDS)

    assert await anywhere.services.deleting.remove_expired() == 0
    assert await anywhere.messages(sent.session_id)


async def age(assistant: Assistant, seconds: float) -> None:
    """Let so much time pass since every deletion."""
    moment = assistant.services.clock.now() - timedelta(seconds=seconds)
    await assistant.change(
        update(sessions).where(sessions.c.deleted_at.is_not(None)).values(deleted_at=moment)
    )


async def sweep(assistant: Assistant) -> None:
    moment = assistant.services.clock.now()
    await assistant.change(update(keys).values(expires_at=moment))
    async with assistant.services.store.write() as unit:
        assert await unit.keys.sweep(now=moment) == 1


async def count(assistant: Assistant, table: str) -> int:
    engines = Engines(assistant.services.settings.database_url)
    try:
        async with engines.read.begin() as connection:
            counted = await connection.execute(select(func.count()).select_from(metadata.tables[table]))
            return counted.scalar_one()
    finally:
        await engines.close()
