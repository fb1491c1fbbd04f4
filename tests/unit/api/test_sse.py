"""Server-sent events: any text round-trips at any cut, ids move a reader's place and nothing else does."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from datetime import UTC, datetime
from itertools import pairwise

import httpx
import pytest
from httpx_sse import EventSource, ServerSentEvent
from hypothesis import given
from hypothesis import strategies as st

from assistant.api.sse import MEDIA_TYPE, TOGETHER, EventWriter, together
from assistant.domain.frames import Frame, Replace
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.domain.transcript import PartKind, Transcript
from assistant.services.standing import Beat, Closed, GapSeen, Happening, StateSeen

AWKWARD = [
    "\n",
    "\n\n",
    "\r\n",
    " \n```py\n",
    "",
    "  leading",
    "data: x\nid: 9.9\n\n",
    "\u2028\u2029\x85",
    ":",
]
MANY_SCRIPTS = "A你好👩‍👩‍👧🏽é🌍Z"


def task(attempt: int = 2) -> Task:
    return Task(
        id="t",
        session_id="s",
        owner_id="o",
        question_id="q",
        answer_id="a",
        state=TaskState.STREAMING,
        reason=None,
        attempt=attempt,
        worker="w",
        offset=0,
        prefix=0,
        stop_requested_at=None,
        error=None,
        usage=None,
        created_at=datetime(2025, 5, 5, 12, tzinfo=UTC),
        finished_at=None,
        version=1,
    )


def written(*happenings: Happening) -> str:
    writer = EventWriter()
    return "".join(writer.block(happening) for happening in happenings)


def read(body: bytes, cuts: tuple[int, ...] = ()) -> list[ServerSentEvent]:
    """The events that a client reads when the network cuts the body at these positions."""
    edges = [0, *sorted(cuts), len(body)]
    pieces = [body[begin:end] for begin, end in pairwise(edges)]
    response = httpx.Response(200, headers={"content-type": MEDIA_TYPE}, content=iter(pieces))
    return list(EventSource(response).iter_sse())


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_comes_back_as_it_was(text: str) -> None:
    """Case B036."""
    events = read(written(Frame(1, 0, text), Frame(1, len(text), "after")).encode())

    assert [json.loads(event.data)["text"] for event in events] == [text, "after"]


def test_text_survives_a_cut_at_any_byte() -> None:
    """Case B031."""
    body = written(Frame(1, 0, MANY_SCRIPTS), Frame(1, len(MANY_SCRIPTS), "\r\n")).encode()

    for cut in range(len(body)):
        assert (
            "".join(json.loads(event.data)["text"] for event in read(body, (cut,))) == MANY_SCRIPTS + "\r\n"
        )


@given(
    st.lists(st.text(st.characters(codec="utf-8")), max_size=6),
    st.lists(st.integers(0, 10_000), max_size=6),
)
def test_any_texts_survive_any_cuts(texts: list[str], cuts: list[int]) -> None:
    """Cases B031, B036."""
    place, frames = 0, []
    for text in texts:
        frames.append(Frame(1, place, text))
        place += len(text)
    body = written(*frames).encode()

    events = read(body, tuple(cut % (len(body) + 1) for cut in cuts))

    assert [json.loads(event.data)["text"] for event in events] == texts


@pytest.mark.parametrize("text", [*AWKWARD, MANY_SCRIPTS])
def test_the_data_of_an_event_is_one_line(text: str) -> None:
    block = written(Frame(1, 0, text))

    assert block.endswith("\n\n")
    assert block[:-2].count("\n") == 2
    assert "\r" not in block


def test_the_events_have_the_shapes_of_the_design() -> None:
    transcript = Transcript().append(PartKind.REASONING, "hm").append(PartKind.TEXT, "é😀")
    events = read(
        written(
            StateSeen(task()),
            Frame(2, 5, "é😀", PartKind.REASONING, base=3, after=1),
            Replace(2, transcript),
            GapSeen(4, 9),
            Beat(),
            Closed(TaskState.DONE, TaskReason.LENGTH, 4),
        ).encode()
    )

    told = [(event.event, json.loads(event.data)) for event in events]
    assert told[0][0] == "state"
    assert told[0][1]["id"] == "t"
    assert told[1:] == [
        (
            "text",
            {
                "attempt": 2,
                "offset": 5,
                "text": "é😀",
                "next": 7,
                "kind": "reasoning",
                "base": 3,
                "after": 1,
            },
        ),
        (
            "replace",
            {
                "attempt": 2,
                "offset": 0,
                "text": "hmé😀",
                "next": 4,
                "parts": [
                    {"kind": "reasoning", "start": 0, "end": 2},
                    {"kind": "text", "start": 2, "end": 4},
                ],
            },
        ),
        ("gap", {"from": 4, "to": 9}),
        ("beat", {}),
        ("closed", {"state": "done", "reason": "length", "offset": 4, "attempt": 2}),
    ]


def test_control_events_never_move_a_readers_place() -> None:
    """Case B022."""
    for control in (StateSeen(task()), GapSeen(1, 2), Beat()):
        assert not any(line.startswith("id") for line in written(control).splitlines())

    ids = [event.id for event in read(written(Frame(2, 3, "ab"), Beat(), StateSeen(task(3))).encode())]
    assert ids == ["2.5"] * 3


def test_the_end_names_the_place_from_which_nothing_more_comes() -> None:
    text = Frame(1, 0, "abc")
    events = read(written(text, StateSeen(task(2)), Closed(TaskState.DONE, TaskReason.STOPPED, 3)).encode())

    assert [event.id for event in events] == ["1.3", "1.3", "2.3"]


async def test_what_is_there_at_once_goes_out_together() -> None:
    gate = asyncio.Event()
    first, rest = StateSeen(task()), happenings(3, gate)

    batches = together(first, rest)

    assert len(await anext(batches)) == 1 + 3
    gate.set()
    assert len(await anext(batches)) == 1
    assert [batch async for batch in batches] == []


async def test_a_long_replay_is_not_held_back_to_be_one_write() -> None:
    sizes = [len(batch) async for batch in together(Beat(), happenings(3 * TOGETHER))]

    assert max(sizes) == TOGETHER
    assert sum(sizes) == 1 + 3 * TOGETHER + 1


async def test_leaving_early_lets_go_of_what_was_waited_for() -> None:
    left = asyncio.Event()
    rest = happenings(0, asyncio.Event(), left.set)
    batches = together(Beat(), rest)
    await anext(batches)

    await batches.aclose()

    assert left.is_set()


async def test_a_failure_comes_after_what_was_there_before_it() -> None:
    async def failing() -> AsyncIterator[Happening]:
        yield Beat()
        raise RuntimeError("the world")

    batches = together(StateSeen(task()), failing())

    assert len(await anext(batches)) == 2
    with pytest.raises(RuntimeError):
        await anext(batches)


async def happenings(
    ready: int, gate: asyncio.Event | None = None, on_leaving: Callable[[], None] = lambda: None
) -> AsyncGenerator[Happening]:
    """`ready` happenings at once, and one more behind the gate."""
    try:
        for offset in range(ready):
            yield Frame(1, offset, "x")
        if gate is not None:
            await gate.wait()
        yield Beat()
    finally:
        on_leaving()
