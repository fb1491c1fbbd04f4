"""A code brings an owner to another device, once; what that device had comes along or stays behind."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import update

from assistant.domain.device_link import shown
from assistant.domain.errors import (
    AlreadyLinked,
    ChoiceNeeded,
    CodeUnknown,
    NotFound,
    OwnerNamed,
    TooManyTries,
)
from assistant.domain.records import StoredDraft
from assistant.domain.task import TaskReason
from assistant.services.linking import CODE_SECONDS, Linked
from assistant.services.owner_seal import KnownOwner, named
from assistant.services.wrong_tries import MOST_OF_ADDRESS
from assistant.storage.schema import device_links
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant

ADA = KnownOwner(OWNER)
PHONE = KnownOwner("the phone")
DEVICE = "Firefox on Android"


async def code_of(assistant: Assistant, owner: KnownOwner = ADA) -> str:
    return (await assistant.services.linking.make(owner))[0]


async def use(
    assistant: Assistant,
    code: str,
    former: KnownOwner | None = PHONE,
    *,
    bring: bool | None = None,
    address: str = "192.0.2.1",
) -> Linked:
    return await assistant.services.linking.use(code, former, bring=bring, address=address, device=DEVICE)


async def test_a_code_makes_another_device_one_of_the_same_owner(anywhere: Assistant) -> None:
    code = await code_of(anywhere)
    assert await use(anywhere, shown(code).lower()) == Linked(ADA, 0)
    (link,) = await anywhere.services.linking.made_by(OWNER)
    assert (link.used_on, link.used_at is not None) == (DEVICE, True)


async def test_the_code_itself_is_stored_nowhere(anywhere: Assistant) -> None:
    code = await code_of(anywhere)
    async with anywhere.services.store.read() as unit:
        (link,) = await unit.links.of_owner(OWNER)
    assert code not in str(link)
    assert shown(code) not in str(link)


async def test_of_twenty_devices_at_once_one_wins(anywhere: Assistant) -> None:
    code = await code_of(anywhere)
    devices = [KnownOwner(f"device {number}") for number in range(20)]
    uses = (use(anywhere, code, each, address=each.id) for each in devices)
    outcomes = await asyncio.gather(*uses, return_exceptions=True)
    assert [each for each in outcomes if isinstance(each, Linked)] == [Linked(ADA, 0)]
    assert sum(isinstance(each, CodeUnknown) for each in outcomes) == 19


async def test_no_answer_tells_a_wrong_code_from_one_that_counts_no_more(
    anywhere: Assistant,
) -> None:
    linking = anywhere.services.linking
    used, old, back = await code_of(anywhere), await code_of(anywhere), await code_of(anywhere)
    await use(anywhere, used)
    expired, returned = [link.id for link in await linking.made_by(OWNER)][1::-1]
    await anywhere.change(
        update(device_links)
        .where(device_links.c.id == expired)
        .values(expires_at=anywhere.services.clock.now() - timedelta(seconds=1))
    )
    await linking.take_back(OWNER, returned)

    refusals = []
    for code in (used, old, back, "K7QM2XHP", "nonsense", ""):
        with pytest.raises(CodeUnknown) as refusal:
            await use(anywhere, code)
        refusals.append((refusal.value.message, refusal.value.details))
    assert refusals == refusals[:1] * 6


async def test_a_device_with_conversations_says_what_becomes_of_them(anywhere: Assistant) -> None:
    await anywhere.send(owner=PHONE.id, delivered=False)
    code = await code_of(anywhere)
    with pytest.raises(ChoiceNeeded) as refusal:
        await use(anywhere, code)
    assert refusal.value.details == {"sessions": 1}
    assert await use(anywhere, code, bring=False) == Linked(ADA, 0)
    assert await anywhere.services.restoring.sessions(OWNER) == []
    assert len(await anywhere.services.restoring.sessions(PHONE.id)) == 1


async def test_what_runs_goes_on_while_it_is_brought_along(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("It goes ").hold().say("on.")
    sent = await assistant.send(owner=PHONE.id)
    reader = assistant.follow(sent.task_id, owner=PHONE.id)
    await reader.shows("It goes ")
    await assistant.services.drafting.save(PHONE.id, sent.session_id, "and th", 3)

    assert await use(assistant, await code_of(assistant), bring=True) == Linked(ADA, 1)
    script.release()

    ended = await assistant.ended(sent.task_id)
    assert (ended.reason, ended.owner_id, ended.attempt) == (TaskReason.COMPLETE, OWNER, 1)
    snapshot = await assistant.services.restoring.snapshot(OWNER, sent.session_id)
    assert snapshot.messages[-1].text == "It goes on."
    assert await assistant.services.drafting.get(OWNER, sent.session_id) == StoredDraft(
        OWNER, sent.session_id, "and th", 3
    )
    with pytest.raises(NotFound):
        await assistant.services.restoring.snapshot(PHONE.id, sent.session_id)


async def test_a_message_sent_again_after_the_move_is_still_one(anywhere: Assistant) -> None:
    """Its key moves along: an outbox that asks, or sends once more, finds it (Case B102)."""
    sent = await anywhere.send("Once", owner=PHONE.id, key="key", delivered=False)
    await use(anywhere, await code_of(anywhere), bring=True)
    assert await anywhere.send("Once", key="key", delivered=False) == sent
    assert (await anywhere.services.wishes.ask(OWNER, "key")).result is not None


async def test_the_same_owner_needs_no_code_and_uses_none_up(anywhere: Assistant) -> None:
    code = await code_of(anywhere)
    for _ in range(MOST_OF_ADDRESS + 1):
        with pytest.raises(AlreadyLinked):
            await use(anywhere, code, ADA)
    assert await use(anywhere, code) == Linked(ADA, 0)


async def test_an_owner_with_a_name_neither_makes_nor_uses_codes(anywhere: Assistant) -> None:
    code = await code_of(anywhere)
    with pytest.raises(OwnerNamed):
        await code_of(anywhere, named("grace"))
    with pytest.raises(OwnerNamed):
        await use(anywhere, code, named("grace"))
    assert await use(anywhere, code) == Linked(ADA, 0)


async def test_whoever_guesses_is_stopped_and_others_are_not(anywhere: Assistant) -> None:
    code = await code_of(anywhere)
    guesses = (use(anywhere, "AAAA-AAAA", address="192.0.2.7") for _ in range(MOST_OF_ADDRESS + 5))
    outcomes = await asyncio.gather(*guesses, return_exceptions=True)
    assert sum(isinstance(each, TooManyTries) for each in outcomes) == 5
    with pytest.raises(TooManyTries):
        await use(anywhere, code, address="192.0.2.7")
    assert await use(anywhere, code) == Linked(ADA, 0)


async def test_a_code_is_valid_for_ten_minutes(anywhere: Assistant) -> None:
    _, link = await anywhere.services.linking.make(ADA)
    assert link.expires_at - link.created_at == timedelta(seconds=CODE_SECONDS) == timedelta(minutes=10)


async def test_a_foreign_link_cannot_be_taken_back(anywhere: Assistant) -> None:
    code, link = await anywhere.services.linking.make(ADA)
    with pytest.raises(NotFound):
        await anywhere.services.linking.take_back(PHONE.id, link.id)
    assert await use(anywhere, code) == Linked(ADA, 0)
