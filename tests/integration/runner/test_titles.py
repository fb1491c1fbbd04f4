"""A title from the first exchange: asked for once, after the answer, and in nobody's way."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from assistant.domain.errors import ProviderFailed
from assistant.domain.models import Delta, Finished, ModelRequest, Purpose
from assistant.domain.task import TaskReason
from assistant.domain.title import TitleFrom
from assistant.runner.titling import Titling
from assistant.services.arranging import Arrangement
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, LocalProvider, said, turns
from tests.support.opened import OWNER, Assistant, as_killed, opened
from tests.support.other_worker import OtherWorker

FIRST = "How do I get to Prague\nwithout a car?"


class Naming:
    """Answers, and names as told: `name` is a text, or the failure that comes instead."""

    def __init__(self, name: str | ProviderFailed = "Trains to Prague") -> None:
        self.name = name
        self.answer = Finished(DONE.reason)
        self.provider = LocalProvider(self._play)

    @property
    def asked(self) -> list[str]:
        """What was asked for a title."""
        return [each.turns[0].text for each in self.provider.requests if each.purpose is Purpose.TITLE]

    async def _play(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        if request.purpose is Purpose.TITLE:
            if isinstance(self.name, ProviderFailed):
                raise self.name
            yield said(self.name)
        elif request.turns[-1].text == "fail":
            raise ProviderFailed("model_error", "It failed.")
        else:
            yield said("By train.")
        yield DONE


@pytest.fixture
def naming() -> Naming:
    return Naming()


@pytest.fixture
def titled(settings: Settings) -> Settings:
    return settings.model_copy(update={"model_titles": True})


@pytest.fixture
async def chat(titled: Settings, naming: Naming) -> AsyncGenerator[Assistant]:
    async with opened(titled, providers=naming.provider) as assistant:
        yield assistant


async def title_of(assistant: Assistant, session_id: str) -> str:
    return (await assistant.services.restoring.snapshot(OWNER, session_id)).session.title


async def is_titled(assistant: Assistant, session_id: str, title: str) -> None:
    async def holds() -> bool:
        return await title_of(assistant, session_id) == title

    await eventually(holds)


async def nothing_is_asked(assistant: Assistant) -> None:
    """Whatever would name a session is over."""
    titling = assistant.services.titling
    await eventually(lambda: not titling.asking)


async def test_the_first_exchange_names_the_session_once(chat: Assistant, naming: Naming) -> None:
    sent = await chat.answered(FIRST)
    await is_titled(chat, sent.session_id, "Trains to Prague")
    assert len(naming.asked) == 1
    assert FIRST in naming.asked[0]
    assert "By train." in naming.asked[0]

    naming.name = "Another"
    await chat.answered("And back?", session_id=sent.session_id)
    await chat.answered("Edited?", edits=sent.message_id)
    await nothing_is_asked(chat)
    assert len(naming.asked) == 1
    assert await title_of(chat, sent.session_id) == "Trains to Prague"


async def test_it_is_no_activity_and_no_answer(chat: Assistant) -> None:
    sent = await chat.answered(FIRST)
    ended = await chat.task(sent.task_id)
    await is_titled(chat, sent.session_id, "Trains to Prague")
    session = (await chat.services.restoring.snapshot(OWNER, sent.session_id)).session
    assert ended.finished_at is not None
    assert session.updated_at <= ended.finished_at
    assert await chat.task(sent.task_id) == ended
    assert len(await chat.messages(sent.session_id)) == 2


async def test_the_answer_has_ended_before_a_title_is_asked_for(
    titled: Settings, provider: ScriptedProvider
) -> None:
    provider.say("By train.")
    script = provider.script().hold().say("Trains to Prague")
    async with opened(titled) as chat:
        sent = await chat.send(FIRST)
        assert (await chat.ended(sent.task_id)).reason is TaskReason.COMPLETE
        await provider.called(2)
        second = await chat.answered("And back?", session_id=sent.session_id)
        assert (await chat.task(second.task_id)).reason is TaskReason.COMPLETE
        assert chat.services.working.running == 0
        script.release()
        await is_titled(chat, sent.session_id, "Trains to Prague")


@pytest.mark.parametrize(
    "name",
    [
        ProviderFailed("model_unavailable", "It is away."),
        ProviderFailed("model_content_filter", "Its filter ended it."),
        "I am sorry, but this is nothing that I would like to give a name to, whatever it may be about.",
        "",
    ],
)
async def test_a_failure_or_a_refusal_leaves_the_first_line_for_good(
    chat: Assistant, naming: Naming, name: str | ProviderFailed
) -> None:
    naming.name = name
    sent = await chat.answered(FIRST)
    await eventually(lambda: len(naming.asked) == 1)
    await nothing_is_asked(chat)
    assert await title_of(chat, sent.session_id) == "How do I get to Prague"
    assert (await chat.task(sent.task_id)).reason is TaskReason.COMPLETE
    await chat.answered("And back?", session_id=sent.session_id)
    await nothing_is_asked(chat)
    assert len(naming.asked) == 1


async def test_a_session_that_the_user_named_is_not_named_again(
    titled: Settings, provider: ScriptedProvider
) -> None:
    provider.say("By train.")
    script = provider.script().hold().say("Trains to Prague")
    async with opened(titled) as chat:
        sent = await chat.answered(FIRST)
        await provider.called(2)
        await chat.services.arranging.arrange(OWNER, sent.session_id, Arrangement(title="Mine"))
        script.release()
        await nothing_is_asked(chat)
        assert await title_of(chat, sent.session_id) == "Mine"

        answer = provider.script().say("By ").hold().say("bus.")
        early = await chat.send("And by bus?")
        await provider.called(3)
        await chat.services.arranging.arrange(OWNER, early.session_id, Arrangement(title="Early"))
        answer.release()
        await chat.ended(early.task_id)
        await nothing_is_asked(chat)
        assert len(provider.calls) == 3
        assert await title_of(chat, early.session_id) == "Early"


async def test_an_answer_that_failed_leaves_the_try_to_the_next_one(chat: Assistant, naming: Naming) -> None:
    failed = await chat.answered("fail")
    await nothing_is_asked(chat)
    assert naming.asked == []
    await chat.answered("Well?", edits=failed.message_id)
    await is_titled(chat, failed.session_id, "Trains to Prague")


async def test_a_title_is_made_of_the_answer_that_ended_well_and_its_own_question(
    chat: Assistant, naming: Naming
) -> None:
    failed = await chat.answered("fail")
    await chat.answered("Well?", session_id=failed.session_id)
    await is_titled(chat, failed.session_id, "Trains to Prague")
    assert ["Well?" in naming.asked[0], "fail" in naming.asked[0]] == [True, False]


async def test_a_process_that_goes_down_leaves_the_try_to_the_next_answer(
    titled: Settings, provider: ScriptedProvider
) -> None:
    script = provider.script().say("By ").hold().say("train.")
    async with opened(titled, runner=True) as chat:
        sent = await chat.send(FIRST)
        await provider.called(1)
        going = asyncio.create_task(chat.services.hand_over(30))
        await turns(1)
        script.release()
        await going
        await nothing_is_asked(chat)

        assert (await chat.task(sent.task_id)).reason is TaskReason.COMPLETE
        session = (await chat.services.restoring.snapshot(OWNER, sent.session_id)).session
        assert session.title_from is TitleFrom.FIRST_LINE
        assert len(provider.calls) == 1


async def test_killed_meanwhile_nobody_asks_again(titled: Settings, provider: ScriptedProvider) -> None:
    provider.say("By train.")
    provider.script().hold().say("Never heard")
    async with opened(titled) as chat:
        sent = await chat.answered(FIRST)
        await provider.called(2)
        left = as_killed(titled, titled.data_dir / "killed")
    async with opened(left) as again:
        await again.answered("And back?", session_id=sent.session_id)
        await nothing_is_asked(again)
        assert await title_of(again, sent.session_id) == "How do I get to Prague"
    assert len(provider.calls) == 3


async def test_of_two_workers_one_asks(settings: Settings, naming: Naming) -> None:
    """Both know the session as it was when its first line was its title."""
    async with opened(settings) as chat:
        sent = await chat.send(FIRST, delivered=False)
        far = OtherWorker(chat)
        claimed = await far.take(sent.task_id)
        workers = [Titling(chat.services.store, naming.provider) for _ in range(2)]
        for each in workers:
            each.answered(claimed, "By train.")
        await eventually(lambda: not any(each.asking for each in workers))
        assert await title_of(chat, sent.session_id) == "Trains to Prague"
        await far.die()
    assert len(naming.asked) == 1


async def test_turned_off_and_with_the_demo_nobody_is_asked(settings: Settings, naming: Naming) -> None:
    demo = settings.model_copy(update={"model_titles": True, "model_base_url": ""})
    for each in (settings, demo):
        async with opened(each, providers=naming.provider) as chat:
            sent = await chat.answered(FIRST)
            await nothing_is_asked(chat)
            assert await title_of(chat, sent.session_id) == "How do I get to Prague"
    assert naming.asked == []
