"""A session shared by a link: one at a time, once under a key, gone with its revocation."""

import asyncio

import pytest

from assistant.domain.errors import KeyReused, NotFound
from assistant.domain.records import WishKind
from assistant.domain.share import Share
from assistant.services.sharing import wish_to_share
from assistant.services.wishes import wish_about
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant

STRANGER = "somebody else"


async def shared(
    assistant: Assistant, session_id: str, *, with_arguments: bool = False, key: str = ""
) -> Share:
    wish = wish_to_share(key, session_id, with_arguments=with_arguments) if key else None
    sharing = assistant.services.sharing
    return await sharing.share(OWNER, session_id, with_arguments=with_arguments, wish=wish)


async def is_unknown(assistant: Assistant, token: str) -> bool:
    """Whether a token shows nothing, to whoever looks up its share or its session."""
    sharing = assistant.services.sharing
    for read in (sharing.find, sharing.snapshot):
        try:
            await read(token)
        except NotFound:
            continue
        return False
    return True


async def test_a_session_has_one_link_until_it_is_revoked_and_then_another(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("answer")
    sent = await anywhere.answered("Why?")
    sharing = anywhere.services.sharing
    first = await shared(anywhere, sent.session_id)
    token = sharing.token(first)

    assert await shared(anywhere, sent.session_id) == first
    assert await sharing.of_session(OWNER, sent.session_id) == first == await sharing.find(token)
    assert [each.text for each in (await sharing.snapshot(token)).messages] == ["Why?", "answer"]

    await sharing.revoke(OWNER, sent.session_id)
    assert await is_unknown(anywhere, token)
    with pytest.raises(NotFound):
        await sharing.of_session(OWNER, sent.session_id)
    await sharing.revoke(OWNER, sent.session_id)

    second = await shared(anywhere, sent.session_id)
    assert sharing.token(second) != token
    assert await is_unknown(anywhere, token)
    assert not await is_unknown(anywhere, sharing.token(second))


async def test_shares_at_the_same_moment_are_one(anywhere: Assistant, provider: ScriptedProvider) -> None:
    provider.say("answer")
    sent = await anywhere.answered()
    made = await asyncio.gather(*(shared(anywhere, sent.session_id) for _ in range(5)))
    assert len({share.id for share in made}) == 1


async def test_the_same_link_shows_more_or_less_when_its_owner_says_so(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("answer")
    sent = await assistant.answered()
    first = await shared(assistant, sent.session_id)
    second = await shared(assistant, sent.session_id, with_arguments=True)
    assert (second.id, second.with_arguments) == (first.id, True)
    assert second.version > first.version
    assert await assistant.services.sharing.of_session(OWNER, sent.session_id) == second


async def test_every_change_of_a_share_is_a_version_of_its_session(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """DESIGN 4: so that open pages hear of it."""
    provider.say("answer")
    sent = await assistant.answered()

    async def version() -> int:
        return (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).session.version

    seen = [await version()]
    share = await shared(assistant, sent.session_id)
    seen.append(await version())
    assert share.version == seen[-1]
    await assistant.services.sharing.revoke(OWNER, sent.session_id)
    seen.append(await version())
    assert seen == sorted(set(seen))


async def test_a_share_and_its_end_happen_once_under_their_keys(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """A repeat that comes late makes no new link, and takes none away."""
    provider.say("answer")
    sent = await assistant.answered()
    sharing = assistant.services.sharing
    first = await shared(assistant, sent.session_id, key="share")
    assert await shared(assistant, sent.session_id, key="share") == first
    with pytest.raises(KeyReused):
        await shared(assistant, sent.session_id, with_arguments=True, key="share")

    end = wish_about(WishKind.UNSHARE, sent.session_id, "end")
    await sharing.revoke(OWNER, sent.session_id, end)
    assert (await shared(assistant, sent.session_id, key="share")).revoked_at is not None
    with pytest.raises(NotFound):
        await sharing.of_session(OWNER, sent.session_id)

    second = await shared(assistant, sent.session_id)
    await sharing.revoke(OWNER, sent.session_id, end)
    assert await sharing.of_session(OWNER, sent.session_id) == second


async def test_nobody_shares_a_foreign_session_or_takes_its_link(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B185."""
    provider.say("answer")
    sent = await assistant.answered()
    sharing = assistant.services.sharing
    share = await shared(assistant, sent.session_id)
    for session_id in (sent.session_id, "unknown"):
        for refused in (
            sharing.share(STRANGER, session_id, with_arguments=True),
            sharing.revoke(STRANGER, session_id),
            sharing.of_session(STRANGER, session_id),
        ):
            with pytest.raises(NotFound):
                await refused
    assert await sharing.of_session(OWNER, sent.session_id) == share


async def test_a_deleted_session_is_read_by_no_link_until_the_deletion_is_taken_back(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("answer")
    sent = await assistant.answered()
    token = assistant.services.sharing.token(await shared(assistant, sent.session_id))
    await assistant.services.deleting.delete(OWNER, sent.session_id)
    assert await is_unknown(assistant, token)
    with pytest.raises(NotFound):
        await shared(assistant, sent.session_id)
    await assistant.services.deleting.undo(OWNER, sent.session_id)
    assert not await is_unknown(assistant, token)


async def test_a_page_of_older_messages_is_of_the_session_alone(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("one").say("two")
    provider.say("other")
    sent = await assistant.answered("first")
    provider.say("again")
    last = await assistant.answered("second", session_id=sent.session_id)
    other = await assistant.answered("elsewhere")
    sharing = assistant.services.sharing
    token = sharing.token(await shared(assistant, sent.session_id))

    page = await sharing.snapshot(token, limit=1, before=last.message_id)
    assert [message.id for message in page.messages] == [sent.answer_id]
    assert page.has_older
    for before in (other.message_id, "unknown"):
        with pytest.raises(NotFound):
            await sharing.snapshot(token, before=before)
