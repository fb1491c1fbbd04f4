"""A link that comes and goes: nothing is missed, nothing is told twice, and little travels for it."""

import random
from collections.abc import Callable

from playwright.sync_api import expect

from assistant.services.restoring import PAGE_MESSAGES
from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.e2e.page.refresh.test_link_away import is_whole_and_once
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until
from tests.support.slow_line import SlowLine, Way

HISTORY = 24
"""Questions with their answers: with the one that runs, a whole page."""

EDITED = (11, 22)
FLAPS = 6
RECONNECT_BYTES = 20_000
TEXT_AGAIN = 1.5
PIECES = tuple(f"piece {number}: {'words and ' * 48}\n\n" for number in range(40))
SHOWN_FIRST = 12


def is_back(chat: ChatPage) -> None:
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")


def has_history(chat: ChatPage, provider: ScriptedProvider) -> None:
    """So many questions and answers are on the page, some of them asked in other words before."""
    for number in range(HISTORY):
        for words in ("Question", "Another question") if number in EDITED else ("Question",):
            provider.say(f"Answer {number} to: {words}, with some words to it.")
            if words != "Question":
                chat.composer.press("ArrowUp")
            chat.say(f"{words} {number}")
            chat.shows(f"Answer {number} to: {words}, with some words to it.", number=number)
            chat.ended("complete")
            chat.idle()


def received(heard: list[str]) -> int:
    """How many of the pieces came over the socket, each as often as it came."""
    return sum("".join(heard).count(f"piece {number}: ") for number in range(len(PIECES)))


def test_a_minute_of_flaps_costs_little(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B019: characters received <= 1.5 x the answer's, and 20 kB a reconnect, with a full page."""
    has_history(far_chat, provider)
    step = (len(PIECES) - SHOWN_FIRST) // (FLAPS + 1)
    script = held_after(provider, *range(SHOWN_FIRST, len(PIECES), step), chunks=PIECES)
    far_chat.say("Count for me")
    far_chat.shows("".join(PIECES[:SHOWN_FIRST]))
    assert len(far_chat.messages()) == PAGE_MESSAGES
    before = len(far_chat.heard)
    costs = []
    for flap in range(FLAPS):
        far_chat.passes(60 / FLAPS / 4)
        heard = len(far_chat.heard)
        (line.fall_silent if flap % 2 else line.break_off)()
        if flap % 2:
            far_chat.page.clock.fast_forward(10_000)
        else:
            expect(far_chat.element("connection")).to_have_attribute("data-state", "reconnecting")
        is_back(far_chat)
        costs.append(sum(map(len, far_chat.heard[heard:])))
        script.release()
        far_chat.shows("".join(PIECES[: SHOWN_FIRST + step * (flap + 1)]))
    script.release(2)
    far_chat.shows("".join(PIECES))
    far_chat.ended("complete")

    assert max(costs) <= RECONNECT_BYTES, costs
    assert received(far_chat.heard[before:]) <= TEXT_AGAIN * (len(PIECES) - SHOWN_FIRST)
    assert (far_chat.documents(), far_chat.most_sockets()) == (1, 1)
    assert len(provider.calls) == HISTORY + len(EDITED) + 1
    is_back(far_chat)


def test_a_link_that_breaks_all_the_time_brings_each_text_about_once(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B019: sooner than the browser keeps what it shows for a reload."""
    script = held_after(provider, *range(2, len(PIECES), 2), chunks=PIECES)
    far_chat.say("Count for me")
    for shown in range(2, len(PIECES), 2):
        far_chat.shows("".join(PIECES[:shown]))
        line.break_off()
        script.release()
        until(far_chat.page, "count => window.watched.sockets.length > count", arg=shown // 2)
        is_back(far_chat)
    far_chat.shows("".join(PIECES))
    far_chat.ended("complete")

    assert received(far_chat.heard) <= TEXT_AGAIN * len(PIECES)
    assert far_chat.failures_seen() == []


def test_a_cut_at_any_moment_around_the_end_leaves_no_hole(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B131: seeded moments, before, in and after the last chunks, with some of them on their way."""
    chance = random.Random(131)
    for number in range(12):
        script = held_after(provider, chance.randrange(34, 40))
        far_chat.say(f"Count for me {number}")
        provider.called_sync(number + 1)
        script.held_sync()
        if chance.random() < 0.5:
            line.slow_down(Way.TO_BROWSER, chance.random() / 4)
        moves: list[Callable[[], None]] = [script.release, line.break_off]
        if chance.random() < 0.5:
            moves.append(lambda: far_chat.page.clock.fast_forward(chance.randrange(1, 2000)))
        chance.shuffle(moves)
        for move in moves:
            move()
        is_back(far_chat)
        far_chat.shows(WHOLE, number=number)
        far_chat.ended("complete")
        far_chat.idle()
    assert len(far_chat.messages()) == 24
    assert (len(provider.calls), far_chat.documents(), far_chat.most_sockets()) == (12, 1, 1)
    assert far_chat.failures_seen() == []


def test_what_arrives_late_on_a_dead_socket_changes_nothing(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B133: text and a reply for the page, and a Stop for the server, that was taken back meanwhile."""
    script = held_after(provider, 20, 30)
    far_chat.say("Count for me")
    far_chat.shows(so_far(20))
    line.hold_back()
    script.release()
    script.held_sync(2)
    far_chat.stop()
    far_chat.page.clock.fast_forward(10_000)
    is_back(far_chat)
    expect(far_chat.element("composer-hint")).to_contain_text("did not reach the server")
    far_chat.shows(so_far(30))

    line.let_go()
    far_chat.busy()
    far_chat.shows(so_far(30))
    script.release()
    far_chat.shows(WHOLE)
    far_chat.ended("complete")
    far_chat.wishes.remove("stop")
    far_chat.wishes.remove("withdraw")
    is_whole_and_once(far_chat, provider)
    assert far_chat.offsets_seen() == sorted(far_chat.offsets_seen())
    heard = "".join(far_chat.heard)
    assert [heard.count(chunk) for chunk in CHUNKS[30:]] == [1] * 10
