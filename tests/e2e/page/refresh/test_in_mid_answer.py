"""F5 in mid-answer: what was said is there before anything new is, then it grows, then it is whole."""

import pytest

from tests.e2e.page.refresh.answers import CHUNKS, HARD_CHUNKS, WHOLE, held_after, so_far
from tests.support.chat_page import ChatPage, Shown
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until


def stands_as(chat: ChatPage, before: list[Shown]) -> None:
    """Two messages, each once, with the ids and times that they had, and nothing that says failure."""
    assert chat.messages() == before
    assert [message.role for message in before] == ["user", "assistant"]
    chat.no_failure()
    assert chat.failures_seen() == []


def test_a_reload_after_half_of_the_chunks_shows_them_and_grows_live_to_the_whole(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B001, B006, B012, B149."""
    gates = (20, 24, 28, 32, 36)
    script = held_after(provider, *gates)
    chat.say("Count for me")
    chat.shows(so_far(20))
    before = chat.messages()

    chat.reload()
    assert chat.holds_now(so_far(20))
    chat.shows(so_far(20))
    stands_as(chat, before)
    chat.busy()

    for count in (*gates[1:], 40):
        script.release()
        chat.shows(so_far(count))
    chat.ended("complete")
    chat.idle()
    seen = chat.offsets_seen()
    assert seen == sorted(seen)
    assert len(seen) >= 6
    stands_as(chat, before)
    assert chat.documents() == 2
    assert len(provider.calls) == 1


def test_a_reload_before_the_first_token_keeps_the_question_and_waits(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B008."""
    script = provider.script().hang_before_first().say(*CHUNKS)
    chat.say("Think first")
    script.held_sync()
    chat.shows("")
    before = chat.messages()

    chat.reload()
    chat.shows("")
    stands_as(chat, before)
    chat.busy()

    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    stands_as(chat, before)
    assert len(provider.calls) == 1


def test_a_reload_before_the_last_chunk_shows_all_but_it(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B001, B042."""
    script = held_after(provider, 39)
    chat.say("Count for me")
    chat.shows(so_far(39))
    before = chat.messages()

    chat.reload()
    assert chat.holds_now(so_far(39))
    chat.busy()

    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    chat.idle()
    stands_as(chat, before)
    assert len(provider.calls) == 1


def test_a_reload_while_the_last_chunk_is_on_its_way_loses_nothing(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B041: the answer ends between the old page and the new one."""
    script = held_after(provider, 39)
    chat.say("Count for me")
    chat.shows(so_far(39))
    before = chat.messages()

    script.release()
    chat.reload()
    chat.shows(WHOLE)
    chat.ended("complete")
    chat.idle()
    stands_as(chat, before)
    assert len(provider.calls) == 1


def test_a_reload_right_after_the_end_shows_the_whole_at_rest(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B039."""
    provider.say(*CHUNKS)
    chat.say("Count for me")
    chat.ended("complete")
    before = chat.messages()

    chat.reload()
    assert chat.holds_now(WHOLE)
    chat.shows(WHOLE)
    chat.ended("complete")
    chat.idle()
    stands_as(chat, before)
    assert len(provider.calls) == 1


def test_ten_reloads_in_one_answer_cost_nothing(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B001, B012."""
    gates = tuple(range(4, 40, 4))
    script = held_after(provider, *gates)
    chat.say("Count for me")
    for gate in gates:
        chat.shows(so_far(gate))
        chat.reload()
        assert chat.holds_now(so_far(gate))
        script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    before = chat.messages()

    chat.reload()
    chat.shows(WHOLE)
    stands_as(chat, before)
    assert len(provider.calls) == 1


def test_two_reloads_in_a_row_are_one(chat: ChatPage, provider: ScriptedProvider) -> None:
    """The second comes as soon as the first has a document, long before that is restored."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    before = chat.messages()

    for documents in (2, 3):
        chat.page.evaluate("setTimeout(() => location.reload())")
        until(chat.page, "count => Number(sessionStorage.documents) === count", arg=documents)
    chat.ready()
    assert chat.holds_now(so_far(20))
    stands_as(chat, before)
    script.release()
    chat.shows(WHOLE)
    stands_as(chat, before)
    assert len(provider.calls) == 1


@pytest.mark.parametrize("cut", range(1, len(HARD_CHUNKS), 3))
def test_a_reload_inside_a_character_of_many_parts_changes_none(
    chat: ChatPage, provider: ScriptedProvider, cut: int
) -> None:
    """Case B031, B038: emoji, ZWJ, combining marks, flags, CJK."""
    script = held_after(provider, cut, chunks=HARD_CHUNKS)
    chat.say("Say something hard 👩‍👩‍👧")
    chat.shows("".join(HARD_CHUNKS[:cut]))

    chat.reload()
    assert chat.holds_now("".join(HARD_CHUNKS[:cut]))
    script.release()
    chat.shows("".join(HARD_CHUNKS))
    assert "\ufffd" not in chat.text_of(chat.answers)


def test_reasoning_that_is_open_is_open_after_a_reload(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B045, B153, B155."""
    script = provider.script().reason("First I think ", "of this, ").hold().reason("then of that.")
    script.hold().say("So it is.").hold().say(" Done.")
    thought = "First I think of this, then of that."
    chat.say("Think")
    chat.holds("First I think of this, ")
    reasoning = chat.element("reasoning")
    mark = reasoning.evaluate("it => it.outerHTML")

    chat.reload()
    assert chat.holds_now("First I think of this, ")
    assert reasoning.evaluate("it => it.outerHTML") == mark
    assert "First I think of this," in chat.text_of(reasoning)
    chat.busy()

    script.release()
    chat.holds(thought)
    script.release()
    chat.holds(thought + "So it is.")
    chat.reload()
    assert chat.holds_now(thought + "So it is.")
    assert reasoning.count() == 1
    assert thought in chat.text_of(reasoning)
    assert chat.text_of(chat.answers) == "So it is."

    script.release()
    chat.holds(thought + "So it is. Done.")
    chat.ended("complete")
    chat.reload()
    assert thought in chat.text_of(reasoning)
    assert chat.text_of(chat.answers) == "So it is. Done."


def test_reasoning_that_the_user_opened_stays_open(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Refresh is invisible: the same parts are open."""
    provider.script().reason("A thought.").say("An answer.")
    chat.say("Think")
    chat.ended("complete")
    chat.element("reasoning").locator("summary").click()
    assert chat.element("reasoning").evaluate("it => it.open ?? it.querySelector('details').open")

    chat.reload()
    assert chat.element("reasoning").evaluate("it => it.open ?? it.querySelector('details').open")


def test_a_stop_after_a_reload_ends_the_answer_and_it_never_grows(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B086, B044."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))

    chat.reload()
    chat.busy()
    chat.stop()
    chat.ended("stopped")
    chat.idle()
    provider.disconnected_sync(1)
    script.release()
    for _ in range(2):
        chat.shows(so_far(20))
        chat.reload()
    chat.ended("stopped")
    assert chat.offsets_seen() == [len(so_far(20))]
    assert len(provider.calls) == 1


def test_the_third_answer_grows_beside_two_finished_ones(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B013, B030: replay is bound to the message that it fills."""
    for number in (1, 2):
        provider.say(f"Answer {number}.")
        chat.say(f"Question {number}")
        chat.shows(f"Answer {number}.", number=number - 1)
        chat.idle()
    script = held_after(provider, 20)
    chat.say("Question 3")
    chat.shows(so_far(20))
    before = chat.messages()

    chat.reload()
    for number, text in enumerate(("Answer 1.", "Answer 2.", so_far(20))):
        chat.shows(text, number=number)
    assert chat.messages() == before
    assert len({message.id for message in before}) == 6
    script.release()
    chat.shows(WHOLE)
    assert chat.messages() == before
