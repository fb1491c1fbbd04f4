"""A page watches a session: rows as they change, text once and in order, however slowly it takes them."""

import pytest

from assistant.domain.errors import NotFound
from assistant.domain.frames import Frame, Place, Replace, Shown, receive
from assistant.domain.task import TaskState
from assistant.services.standing import Closed
from assistant.services.watching import Watch
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant

LONG_SECONDS = 10.0


class PageText:
    """What a page would show of one answer, and the states that it was told of its task."""

    def __init__(self, shown: Shown | None = None) -> None:
        self.shown = shown or Shown()
        self.received = 0
        self.closed = False
        self.states: list[TaskState] = []

    async def pull(self, watch: Watch) -> None:
        """Take one pull of news."""
        news = await watch.news(within=LONG_SECONDS)
        self.states += [task.state for task in news.changes.tasks] if news.changes else []
        for written in news.written:
            for happening in written.happenings:
                match happening:
                    case Frame():
                        self.received += len(happening.text)
                        after = receive(self.shown, happening)
                        assert isinstance(after, Shown)
                        self.shown = after
                    case Replace():
                        self.received += len(happening.transcript)
                        self.shown = Shown(happening.attempt, happening.transcript.text)
                    case Closed():
                        self.closed = True
                    case _:
                        pass

    async def until(self, watch: Watch, text: str) -> None:
        while self.shown.text != text:
            await self.pull(watch)


async def test_a_new_session_is_watched_from_nothing_to_its_end(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold().say("two")
    sent = await assistant.send()
    page = PageText()

    async with assistant.services.watching.open(OWNER, sent.session_id, 0, []) as watch:
        await page.until(watch, "one ")
        script.release()
        while not page.closed:
            await page.pull(watch)

    assert page.shown.text == "one two" == await assistant.stored(sent.task_id)
    assert page.received == len("one two"), "each character once"
    assert page.states[-1] is TaskState.DONE


async def test_a_page_goes_on_where_its_snapshot_ended(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B016, B025."""
    script = provider.script().say("one ").hold().say("two").hold().say(" three")
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("one ")
    snapshot = await assistant.services.restoring.snapshot(OWNER, sent.session_id)
    folded = snapshot.folds[sent.task_id]
    place = Place(folded.attempt, len(folded.transcript))
    page = PageText(Shown(folded.attempt, folded.text))

    told = [(snapshot.tasks[0], place)]
    watching = assistant.services.watching
    async with watching.open(OWNER, sent.session_id, snapshot.session.version, told) as watch:
        script.release()
        await page.until(watch, "one two")
        script.release()
        while not page.closed:
            await page.pull(watch)

    assert page.shown.text == "one two three"
    assert page.received == len("two three")


async def test_an_answer_whose_text_is_carried_is_not_in_need_of_its_row(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("text").hold()
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("text")

    async with assistant.services.watching.open(OWNER, sent.session_id, 0, []) as watch:
        news = await watch.news(within=LONG_SECONDS)

    assert news.changes is not None
    assert {message.id for message in news.changes.messages} == {sent.message_id, sent.answer_id}
    assert news.carried == {sent.answer_id}
    script.release()
    await assistant.ended(sent.task_id)


async def test_a_stop_elsewhere_is_told_with_the_text_that_is_kept(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B087."""
    provider.script().say("kept").hold()
    sent = await assistant.send()
    page = PageText()

    async with assistant.services.watching.open(OWNER, sent.session_id, 0, []) as watch:
        await page.until(watch, "kept")
        await assistant.services.stopping.stop(OWNER, sent.task_id)
        while not page.closed:
            await page.pull(watch)

    assert page.shown.text == "kept" == await assistant.stored(sent.task_id)


async def test_nothing_new_is_empty_and_a_foreign_session_is_not_found(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B185."""
    sent = await assistant.answered()
    snapshot = await assistant.services.restoring.snapshot(OWNER, sent.session_id)
    watching = assistant.services.watching

    async with watching.open(OWNER, sent.session_id, snapshot.session.version, []) as watch:
        assert (await watch.news(within=0.05)).empty
    async with watching.open("somebody else", sent.session_id, 0, []) as watch:
        with pytest.raises(NotFound):
            await watch.news(within=LONG_SECONDS)
