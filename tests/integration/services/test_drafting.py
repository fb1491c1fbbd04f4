"""Drafts: the newest is kept, and whoever shows the owner's sessions hears of it."""

from collections.abc import AsyncGenerator

import pytest

from assistant.domain.errors import InvalidInput, NotFound
from assistant.domain.ports import Rings
from assistant.domain.records import StoredDraft
from tests.support.opened import OWNER, Assistant

WITHIN_SECONDS = 5.0
AT_ONCE = 0.0
QUIET_SECONDS = 0.3


@pytest.fixture
async def sid(anywhere: Assistant) -> str:
    """A session in which nothing runs."""
    sent = await anywhere.send()
    await anywhere.ended(sent.task_id)
    return sent.session_id


@pytest.fixture
async def rings(anywhere: Assistant, sid: str) -> AsyncGenerator[Rings]:
    """The owner's bell, after what the send rang."""
    async with anywhere.services.watching.sessions(OWNER) as rings:
        while await rings.next(within=QUIET_SECONDS):
            pass
        yield rings


async def test_a_newer_draft_is_kept_and_rings(anywhere: Assistant, sid: str, rings: Rings) -> None:
    version = (await anywhere.services.restoring.snapshot(OWNER, sid)).session.version
    assert await anywhere.services.drafting.save(OWNER, sid, "Half a th", 3)
    assert await rings.next(within=WITHIN_SECONDS)
    assert await anywhere.services.drafting.get(OWNER, sid) == StoredDraft(OWNER, sid, "Half a th", 3)
    assert (await anywhere.services.restoring.snapshot(OWNER, sid)).session.version == version


async def test_one_that_is_not_newer_changes_nothing_and_rings_nobody(
    anywhere: Assistant, sid: str, rings: Rings
) -> None:
    assert await anywhere.services.drafting.save(OWNER, sid, "newer", 3)
    assert await rings.next(within=WITHIN_SECONDS)
    for version in (3, 2):
        assert not await anywhere.services.drafting.save(OWNER, sid, "older", version)
    assert not await rings.next(within=AT_ONCE)
    kept = await anywhere.services.drafting.get(OWNER, sid)
    assert kept is not None
    assert kept.text == "newer"


async def test_what_cannot_be_a_draft_is_refused(anywhere: Assistant, sid: str) -> None:
    for text, version in (("x" * 200_001, 1), ("x", -1), ("x", 2**54)):
        with pytest.raises(InvalidInput):
            await anywhere.services.drafting.save(OWNER, sid, text, version)
    with pytest.raises(NotFound):
        await anywhere.services.drafting.save("eve", sid, "x", 1)
