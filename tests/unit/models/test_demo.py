"""The demo provider: the same answer each time, and continued exactly where it was cut."""

import pytest

from assistant.domain.message import Role
from assistant.domain.models import FinishReason, ModelRequest, Purpose, Turn
from assistant.domain.transcript import PartKind
from assistant.models.demo import Demo, demo_answer
from tests.support.model_events import Naps, asked, hear

QUESTIONS = ["Hello", "Show me code", "a TABLE please", "emoji?", "Show your reasoning."]


@pytest.mark.parametrize("question", QUESTIONS)
async def test_an_answer_is_the_same_each_time_chunk_for_chunk(question: str) -> None:
    first = await hear(Demo(seconds_per_chunk=0), asked(question))
    second = await hear(Demo(seconds_per_chunk=0), asked(question))

    assert first == second
    assert len(first.deltas) > 20
    assert first.finished is not None
    assert first.finished.reason is FinishReason.STOP


@pytest.mark.parametrize("question", QUESTIONS)
async def test_an_answer_goes_on_exactly_at_every_offset_of_its_text(question: str) -> None:
    answer = demo_answer(question)

    for offset in range(1, len(answer.text) + 1):
        kept = answer.text[:offset]
        heard = await hear(Demo(seconds_per_chunk=0), asked(question, kept=kept))
        assert heard.reasoning == ""
        assert kept + heard.text == answer.text, offset
        assert heard.finished is not None


async def test_reasoning_goes_on_exactly_at_every_offset() -> None:
    answer = demo_answer("reasoning")

    for offset in range(len(answer.reasoning) + 1):
        kept = answer.reasoning[:offset]
        heard = await hear(Demo(seconds_per_chunk=0), asked("reasoning", kept_reasoning=kept))
        assert kept + heard.reasoning == answer.reasoning, offset
        assert heard.text == answer.text


async def test_a_continued_answer_is_cut_where_the_whole_one_is_cut() -> None:
    whole = await hear(Demo(seconds_per_chunk=0), asked("long"))
    kept = "".join(delta.text for delta in whole.deltas[:10])

    rest = await hear(Demo(seconds_per_chunk=0), asked("long", kept=kept))

    assert rest.deltas == whole.deltas[10:]


async def test_a_summary_lists_what_was_asked() -> None:
    conversation = "User: Trains?\n\nAssistant: Yes.\n\nUser: A long code table?\n\nAssistant: No."
    heard = await hear(Demo(seconds_per_chunk=0), asked(conversation, purpose=Purpose.SUMMARY))

    assert heard.text.splitlines()[1:] == ["- Trains?", "- A long code table?"]


async def test_reasoning_comes_before_the_text() -> None:
    heard = await hear(Demo(seconds_per_chunk=0), asked("Let me see you think"))

    kinds = [delta.kind for delta in heard.deltas]
    assert kinds == sorted(kinds, key=[PartKind.REASONING, PartKind.TEXT].index)
    assert heard.reasoning
    assert heard.text


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("hello", "1. **Reload the page**"),
        ("code", "```python\n"),
        ("table", "|---"),
        ("emoji", "👩‍👩‍👧"),
        ("chinese", "中文"),
    ],
)
def test_the_words_of_the_question_choose_the_answer(question: str, holds: str) -> None:
    assert holds in demo_answer(question).text.replace("|:---", "|---")


@pytest.mark.parametrize("question", [*QUESTIONS, "long", "longest"])
def test_every_answer_says_that_it_is_a_demo_and_how_to_connect_a_model(question: str) -> None:
    text = demo_answer(question).text

    assert "demo" in text
    for name in ("ASSISTANT_MODEL_BASE_URL", "ASSISTANT_MODEL_API_KEY", "ASSISTANT_MODEL_NAME"):
        assert name in text


@pytest.mark.parametrize(
    ("question", "length"), [("something long", 20_000), ("the longest", 200_000), ("200,000!", 200_000)]
)
async def test_a_long_answer_is_at_least_as_long_as_promised(question: str, length: int) -> None:
    heard = await hear(Demo(seconds_per_chunk=0), asked(question))

    assert length <= len(heard.text) < length * 1.05


async def test_the_last_question_of_the_branch_counts() -> None:
    turns = (Turn(Role.USER, "code"), Turn(Role.ASSISTANT, "emoji"), Turn(Role.USER, "table"))

    heard = await hear(Demo(seconds_per_chunk=0), ModelRequest(turns))

    assert heard.text == demo_answer("table").text


async def test_the_pace_is_one_nap_a_chunk() -> None:
    naps = Naps()

    heard = await hear(Demo(seconds_per_chunk=0.03, sleep=naps))

    assert naps.taken == [0.03] * len(heard.deltas)


async def test_kept_text_that_is_longer_than_the_answer_leaves_nothing_to_say() -> None:
    heard = await hear(Demo(seconds_per_chunk=0), asked("code", kept="x" * 100_000))

    assert heard.text == ""
    assert heard.finished is not None
