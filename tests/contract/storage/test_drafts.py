"""Drafts: one a session and owner, and the newest version wins."""

from assistant.domain.records import StoredDraft
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, SESSION, Seed, at


async def test_a_newer_draft_takes_the_place_of_an_older_one_and_never_the_reverse(
    store: SqlStore, seed: Seed
) -> None:
    """Case B161."""
    await seed.session()
    outcomes = []
    for version, text in ((1, "one"), (3, "three 你好"), (2, "two"), (3, "three again")):
        async with store.write() as unit:
            outcomes.append(await unit.drafts.put(StoredDraft(OWNER, SESSION, text, version), at=at(version)))
    async with store.read() as unit:
        kept = await unit.drafts.get(OWNER, SESSION)
        theirs = await unit.drafts.get("owner-2", SESSION)

    assert outcomes == [True, True, False, False]
    assert kept == StoredDraft(OWNER, SESSION, "three 你好", 3)
    assert theirs is None
