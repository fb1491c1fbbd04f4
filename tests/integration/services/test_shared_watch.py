"""A watch through a link: live text, nothing private, and nothing at all once the link is taken back."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import update

from assistant.domain.errors import NotFound
from assistant.domain.frames import Frame, Place, Replace
from assistant.domain.models import CallAsked
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import Decision
from assistant.domain.tools import ToolResult
from assistant.services.arranging import Arrangement
from assistant.services.shared_view import SharedSnapshot
from assistant.services.shared_watch import SharedWatch
from assistant.services.standing import Closed
from assistant.services.watching import News
from assistant.settings import Settings
from assistant.storage.schema import shares
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, opened
from tests.support.tool_steps import one_step_of

LONG_SECONDS = 10.0
GIVEN, GAVE, WHY = "ada@example.org", "away as 4711", "not on Thursdays"
PRIVATE = (GIVEN, GAVE, WHY, OWNER)


class Told:
    """What came through a link, all of it, and the text of the answer that it makes."""

    def __init__(self) -> None:
        self.news: list[News] = []
        self.text = ""
        self.closed = False
        self.states: list[TaskState] = []

    async def until(self, watch: SharedWatch, there: Callable[[], bool]) -> None:
        while not there():
            await self.pull(watch)

    async def pull(self, watch: SharedWatch) -> None:
        news = await watch.news(within=LONG_SECONDS)
        assert news is not None, "what is shown became another"
        self.news.append(news)
        self.states += [task.state for task in news.changes.tasks] if news.changes else []
        for written in news.written:
            for happening in written.happenings:
                match happening:
                    case Frame():
                        self.text = self.text[: happening.offset] + happening.text
                    case Replace():
                        self.text = happening.transcript.text
                    case Closed():
                        self.closed = True
                    case _:
                        pass


async def a_link(assistant: Assistant, session_id: str, *, with_arguments: bool = False) -> str:
    sharing = assistant.services.sharing
    return sharing.token(await sharing.share(OWNER, session_id, with_arguments=with_arguments))


@asynccontextmanager
async def watching(
    assistant: Assistant, token: str, *, check_seconds: float = LONG_SECONDS
) -> AsyncGenerator[tuple[SharedSnapshot, SharedWatch]]:
    """A snapshot through a link, and a watch from it on that looks by itself every `check_seconds`."""
    sharing = assistant.services.sharing
    sharing._check_seconds = check_seconds
    snapshot = await sharing.snapshot(token)
    told = [
        (task, Place(snapshot.folds[task.id].attempt, len(snapshot.folds[task.id].transcript)))
        for task in snapshot.tasks
        if task.id in snapshot.folds
    ]
    async with sharing.watch(token, snapshot, told) as watch:
        yield snapshot, watch


async def test_a_reader_follows_the_text_from_where_the_snapshot_ends(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold().say("two")
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows("one ")
    token = await a_link(anywhere, sent.session_id)
    told = Told()

    async with watching(anywhere, token) as (snapshot, watch):
        told.text = snapshot.messages[-1].text
        assert told.text == "one "
        script.release()
        await told.until(watch, lambda: told.closed)

    assert told.text == "one two" == await anywhere.stored(sent.task_id)
    assert told.states[-1] is TaskState.DONE


async def test_a_revocation_ends_a_watch_at_once_and_tells_nothing_more(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold().say("two")
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows("one ")
    token = await a_link(anywhere, sent.session_id)

    async with watching(anywhere, token) as (_, watch):
        await anywhere.services.sharing.revoke(OWNER, sent.session_id)
        with pytest.raises(NotFound):
            await watch.news(within=LONG_SECONDS)
    script.release()
    await anywhere.ended(sent.task_id)


async def test_a_revocation_of_which_nobody_was_told_is_seen_by_the_next_look(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """As when the announcement was lost: a watch looks by itself."""
    provider.say("answer")
    sent = await assistant.answered()
    token = await a_link(assistant, sent.session_id)
    async with watching(assistant, token, check_seconds=0.05) as (_, watch):
        assert (await watch.news(within=LONG_SECONDS)) == News()
        await assistant.change(update(shares).values(revoked_at=datetime.now(UTC)))
        with pytest.raises(NotFound):
            await Told().until(watch, lambda: False)


async def test_a_deletion_ends_a_watch(assistant: Assistant, provider: ScriptedProvider) -> None:
    provider.say("answer")
    sent = await assistant.answered()
    token = await a_link(assistant, sent.session_id)
    async with watching(assistant, token) as (_, watch):
        await assistant.services.deleting.delete(OWNER, sent.session_id)
        with pytest.raises(NotFound):
            await watch.news(within=LONG_SECONDS)


@pytest.mark.parametrize("allowed", [False, True])
async def test_what_a_tool_was_given_and_gave_is_told_only_where_the_owner_allows_it(
    still: Settings, ledger: Ledger, allowed: bool
) -> None:
    tools = LedgerTools(ledger, mail=Scripted(needs_decision=True), look=Scripted(ends=ToolResult(GAVE)))
    given = f'{{"to":"{GIVEN}"}}'
    provider = one_step_of(CallAsked("mail", given), CallAsked("look", given))
    told = Told()
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        await assistant.parked(sent.task_id)
        token = await a_link(assistant, sent.session_id, with_arguments=allowed)
        async with watching(assistant, token) as (before, watch):
            call = await assistant.call(sent.task_id, "mail")
            await assistant.decide(call, Decision.DENY, reason=WHY)
            await told.until(watch, lambda: told.closed)
        after = await assistant.services.sharing.snapshot(token)

    everything = (
        repr((before, told.news, after)).replace(repr(after.share), "").replace(repr(before.share), "")
    )
    assert (GIVEN in everything, GAVE in everything, WHY in everything) == (allowed, allowed, allowed)
    assert f"'{OWNER}'" not in everything
    assert call.arguments_hash not in everything
    assert [each.name for each in after.tasks[0].tool_calls] == ["mail", "look"]
    assert after.tasks[0].reason is TaskReason.COMPLETE


async def test_the_providers_own_words_about_a_failure_stay_with_the_owner(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.fail(400, {"error": {"message": f"quota of {GIVEN}"}})
    sent = await assistant.answered()
    snapshot = await assistant.services.sharing.snapshot(await a_link(assistant, sent.session_id))
    assert snapshot.tasks[0].reason is TaskReason.ERROR
    assert GIVEN not in repr(snapshot)
    assert GIVEN in repr(await assistant.task(sent.task_id))


async def test_another_say_about_arguments_and_another_branch_begin_with_a_snapshot(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("one")
    sent = await assistant.answered("first")
    provider.say("two")
    edited = await assistant.answered("second", edits=sent.message_id)
    token = await a_link(assistant, sent.session_id)
    sharing, arranging = assistant.services.sharing, assistant.services.arranging

    async with watching(assistant, token) as (snapshot, watch):
        assert [message.id for message in snapshot.messages] == [edited.message_id, edited.answer_id]
        await sharing.share(OWNER, sent.session_id, with_arguments=True)
        assert await watch.news(within=LONG_SECONDS) is None
    async with watching(assistant, token) as (snapshot, watch):
        await arranging.arrange(OWNER, sent.session_id, Arrangement(leaf_id=sent.message_id))
        assert await watch.news(within=LONG_SECONDS) is None
    assert (await sharing.snapshot(token)).messages[-1].text == "one"


async def test_an_answer_on_another_branch_is_not_told(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("one")
    sent = await assistant.answered("first")
    script = provider.script().say("hidden").hold().say(" text")
    edited = await assistant.send("second", edits=sent.message_id)
    await assistant.follow(edited.task_id).shows("hidden")
    await assistant.show(sent.session_id, sent.message_id)
    token = await a_link(assistant, sent.session_id)

    async with watching(assistant, token) as (snapshot, watch):
        script.release()
        await assistant.ended(edited.task_id)
        news = await watch.news(within=LONG_SECONDS)
    assert [message.text for message in snapshot.messages] == ["first", "one"]
    assert snapshot.tasks[0].answer_id == sent.answer_id
    assert snapshot.folds == {}
    assert news is not None
    assert news.changes is not None
    assert (news.changes.messages, news.changes.tasks, news.written) == ((), (), ())
