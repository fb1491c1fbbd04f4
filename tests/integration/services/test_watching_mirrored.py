"""A page that mirrors another one watches without text: rows, a mark at the end, and text when it leads."""

from assistant.domain.frames import Cursor, Shown
from assistant.domain.transcript import checksum
from assistant.services.watching import News, Watch
from tests.integration.services.test_watching import LONG_SECONDS, PageText
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def until_marked(watch: Watch) -> tuple[News, int]:
    """The first news with a mark, and how many happenings of text came until then."""
    written = 0
    while True:
        news = await watch.news(within=LONG_SECONDS)
        written += sum(len(each.happenings) for each in news.written)
        if news.marks:
            return news, written


async def test_a_mirror_is_told_rows_and_how_the_text_ends_and_no_text(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold().say("two")
    watching = assistant.services.watching
    sent = await assistant.send()

    async with watching.open(OWNER, sent.session_id, 0, []) as watch:
        watch.rest()
        await assistant.follow(sent.task_id).shows("one ")
        assert watching.count() == (1, 0)
        script.release()
        news, written = await until_marked(watch)

    assert written == 0
    assert [(mark.task.id, mark.offset, mark.crc) for mark in news.marks] == [
        (sent.task_id, len("one two"), checksum("one two"))
    ]
    assert news.changes is not None
    assert sent.answer_id in news.carried, "its row need not bring the text"
    assert watching.count() == (0, 0)


async def test_a_mirror_that_leads_is_brought_what_it_lacks_and_all_that_follows(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """A leader died after it took `two`: the next one begins at what it holds itself."""
    script = provider.script().say("one ").hold().say("two ").hold().say("three")
    sent = await assistant.send()
    page = PageText()

    async with assistant.services.watching.open(OWNER, sent.session_id, 0, []) as watch:
        await page.until(watch, "one ")
        watch.rest()
        script.release()
        await assistant.follow(sent.task_id).shows("one two ")
        watch.carry({sent.task_id: Cursor(len("one "), page.shown.attempt, checksum("one "))})
        await page.until(watch, "one two ")
        script.release()
        while not page.closed:
            await page.pull(watch)

    assert page.shown.text == "one two three"
    assert page.received == len("one two three"), "each character once"


async def test_one_that_holds_another_text_or_none_is_brought_the_whole(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold()
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("one ")

    for held in ({sent.task_id: Cursor(3, 1, checksum("un "))}, {sent.task_id: Cursor(900, 1, 0)}, {}):
        page = PageText(Shown(1 if held else 0, "un " if held else ""))
        async with assistant.services.watching.open(OWNER, sent.session_id, 0, []) as watch:
            watch.rest()
            await watch.news(within=LONG_SECONDS)
            watch.carry(held)
            await page.until(watch, "one ")
            assert page.received == len("one ")
    script.release()
    await assistant.ended(sent.task_id)


async def test_turning_twice_before_a_pull_brings_nothing_twice(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold()
    sent = await assistant.send()
    page = PageText()

    async with assistant.services.watching.open(OWNER, sent.session_id, 0, []) as watch:
        await page.until(watch, "one ")
        watch.rest()
        watch.carry({sent.task_id: Cursor(len("one "), page.shown.attempt, checksum("one "))})
        script.release()
        while not page.closed:
            await page.pull(watch)

    assert page.received == len("one ")
