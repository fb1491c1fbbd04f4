"""A link that comes and goes: nothing is missed, nothing is told twice, and little travels for it."""

import random
from collections.abc import Callable

from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.e2e.page.refresh.test_link_away import is_whole_and_once
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine, Way

HISTORY = 4
FLAPS = 6
RECONNECT_BYTES = 20_000
TEXT_AGAIN = 1.5
PIECES = tuple(f"piece {number}: {'words and ' * 48}\n\n" for number in range(40))


def is_back(chat: ChatPage) -> None:
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")


def has_history(chat: ChatPage, provider: ScriptedProvider) -> None:
    """So many questions and answers are on the page."""
    for number in range(HISTORY):
        provider.say(f"Answer {number}, with some words to it.")
        chat.say(f"Question {number}")
        chat.shows(f"Answer {number}, with some words to it.", number=number)
        chat.ended("complete")
        chat.idle()


def test_a_minute_of_flaps_costs_little(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B019: characters received <= 1.5 x the answer's, and 20 kB a reconnect."""
    has_history(far_chat, provider)
    script = held_after(provider, *range(5, 40, 5), chunks=PIECES)
    far_chat.say("Count for me")
    far_chat.shows("".join(PIECES[:5]))
    before = len(far_chat.heard)
    costs = []
    for flap in range(FLAPS):
        far_chat.passes(60 / FLAPS / 4)
        far_chat.kept()
        heard = len(far_chat.heard)
        (line.fall_silent if flap % 2 else line.break_off)()
        if flap % 2:
            far_chat.page.clock.fast_forward(10_000)
        else:
            expect(far_chat.element("connection")).to_have_attribute("data-state", "reconnecting")
        is_back(far_chat)
        costs.append(sum(map(len, far_chat.heard[heard:])))
        script.release()
        far_chat.shows("".join(PIECES[: 5 * (flap + 2)]))
    script.release(2)
    far_chat.shows("".join(PIECES))
    far_chat.ended("complete")

    assert max(costs) <= RECONNECT_BYTES, costs
    heard = "".join(far_chat.heard[before:])
    received = sum(heard.count(f"piece {number}: ") for number in range(len(PIECES)))
    assert received <= TEXT_AGAIN * (len(PIECES) - 5)
    assert (far_chat.documents(), far_chat.most_sockets()) == (1, 1)
    assert len(provider.calls) == HISTORY + 1
    is_back(far_chat)


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
