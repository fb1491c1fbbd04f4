"""What an OpenAI-shaped server streams arrives whole, however its bytes are cut and worded."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from assistant.domain.models import Delta, FinishReason
from assistant.domain.transcript import PartKind, Sanitizer
from assistant.models.openai_compatible import OpenAICompatible, Timeouts
from tests.support.llm_server import ScriptedProvider
from tests.support.model_events import asked, hear

CHARACTERS = "A你好👩‍👩‍👧🏽é🌍Z"
USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}


@pytest.fixture
async def far_side() -> AsyncIterator[ScriptedProvider]:
    async with ScriptedProvider() as scripted:
        yield scripted


@pytest.fixture
async def provider(far_side: ScriptedProvider) -> AsyncIterator[OpenAICompatible]:
    compatible = OpenAICompatible(far_side.url, key="sk-test", models=["one"])
    yield compatible
    await compatible.aclose()


async def test_an_answer_arrives_delta_by_delta_and_ends_with_its_usage(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("Hel", "lo").finish(usage=USAGE)

    heard = await hear(provider)

    assert heard.deltas == [Delta(PartKind.TEXT, "Hel"), Delta(PartKind.TEXT, "lo")]
    assert heard.finished is not None
    assert heard.finished.reason is FinishReason.STOP
    assert heard.finished.usage == USAGE


async def test_the_first_delta_is_handed_on_before_the_second_is_sent(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    script = far_side.script().say("first").hold().say("second")
    events = provider.stream(asked())

    assert await anext(events) == Delta(PartKind.TEXT, "first")
    await script.held()
    script.release()
    assert await anext(events) == Delta(PartKind.TEXT, "second")
    await events.aclose()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_comes_first_under_either_of_its_usual_names(
    far_side: ScriptedProvider, provider: OpenAICompatible, field: str
) -> None:
    far_side.script().reason("let me ", "think", field=field).say("yes")

    heard = await hear(provider)

    assert (heard.reasoning, heard.text) == ("let me think", "yes")
    assert heard.deltas[-1].kind is PartKind.TEXT


async def test_reasoning_that_is_sent_under_both_names_is_taken_once(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    both = {"reasoning_content": "hm", "reasoning": "hm", "content": "yes"}
    far_side.script().send({"choices": [{"index": 0, "delta": both}]})

    heard = await hear(provider)

    assert (heard.reasoning, heard.text) == ("hm", "yes")


async def test_a_body_cut_at_any_byte_gives_the_same_text(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B031."""
    far_side.say(CHARACTERS[:4], CHARACTERS[4:])
    async with httpx.AsyncClient() as client:
        whole = (await client.post(f"{far_side.url}/chat/completions", json={})).content

    for position in range(1, len(whole)):
        far_side.say(CHARACTERS[:4], CHARACTERS[4:]).cut_at(position)
        heard = await hear(provider)
        assert heard.text == CHARACTERS, position
        assert heard.finished is not None, position


async def test_a_body_that_arrives_byte_by_byte_gives_the_same_text(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B031."""
    far_side.say(CHARACTERS[:4], CHARACTERS[4:]).cut_at(*range(1, 2000))

    assert (await hear(provider)).text == CHARACTERS


async def test_crlf_line_ends_cut_between_cr_and_lf_are_one_line_end(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B034."""
    far_side.say("one", " two").with_crlf().cut_at(*range(1, 2000))

    heard = await hear(provider)

    assert [delta.text for delta in heard.deltas] == ["one", " two"]


async def test_two_data_lines_of_one_event_are_joined_by_a_line_feed(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B034."""
    lines = b'data: {"choices": [{"index": 0,\r\ndata: "delta": {"content": "joined"}}]}\r\n\r\n'
    far_side.script().raw(lines).with_crlf().cut_at(*range(1, 200))

    heard = await hear(provider)

    assert heard.text == "joined"


async def test_line_breaks_and_odd_separators_in_deltas_are_kept(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B036."""
    chunks = [
        "\n",
        "\n\n",
        "\r\n",
        " \n```py\n",
        "",
        " leading",
        "\u2028",
        "\x0b\x0c\x1c\x85",
        "\t",
        "data: x\n\n",
    ]
    far_side.say(*chunks)

    heard = await hear(provider)

    assert heard.text == "".join(chunks)
    assert heard.finished is not None


async def test_a_surrogate_pair_split_over_two_deltas_becomes_one_character(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("a\ud83d", "\ude00b")
    sanitizer = Sanitizer()

    heard = await hear(provider)

    assert [delta.text for delta in heard.deltas] == ["a\ud83d", "\ude00b"]
    assert "".join(sanitizer.feed(delta.text) for delta in heard.deltas) == "a😀b"


async def test_comments_and_empty_chunks_are_no_text(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.script().comment().send({"choices": []}).say("").comment().say("text").raw(
        b"event: ping\ndata:\n\n"
    ).send({"choices": [{"index": 0, "delta": None}]}).send(
        {"choices": [{"index": 1, "delta": {"content": "another choice"}}]}
    )

    heard = await hear(provider)

    assert heard.deltas == [Delta(PartKind.TEXT, "text")]
    assert heard.finished is not None


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("stop", FinishReason.STOP),
        ("length", FinishReason.LENGTH),
        ("max_tokens", FinishReason.LENGTH),
        ("eos_token", FinishReason.STOP),
    ],
)
async def test_a_finish_reason_is_understood(
    far_side: ScriptedProvider, provider: OpenAICompatible, told: str, reason: FinishReason
) -> None:
    far_side.say("text").finish(told)

    heard = await hear(provider)

    assert heard.finished is not None
    assert heard.finished.reason is reason


async def test_a_missing_end_mark_after_a_finish_reason_is_a_good_end(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("text").finish(usage=USAGE, done=False)

    heard = await hear(provider)

    assert heard.finished is not None
    assert heard.finished.usage == USAGE


async def test_an_end_mark_without_a_finish_reason_is_a_good_end(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("text").finish(None)

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("text", None)
    assert heard.finished is not None


async def test_a_line_that_is_cut_after_the_finish_reason_is_a_good_end(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("text").send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}).break_off()

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("text", None)
    assert heard.finished is not None


async def test_a_line_that_stays_open_after_the_finish_reason_does_not_hold_up_the_end(
    far_side: ScriptedProvider,
) -> None:
    provider = OpenAICompatible(far_side.url, timeouts=Timeouts(after_finish=0.01))
    finish = {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}
    far_side.say("text").send(finish).hold()

    heard = await hear(provider)

    assert heard.finished is not None
    assert heard.finished.reason is FinishReason.LENGTH
    await provider.aclose()


async def test_a_server_that_does_not_stream_is_understood(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.script().reason("hm").say("A whole ", "answer 你好").unstreamed()

    heard = await hear(provider)

    assert (heard.reasoning, heard.text) == ("hm", "A whole answer 你好")
    assert heard.finished is not None
    assert heard.finished.usage is not None


async def test_one_connection_serves_one_step_after_the_other(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    for _ in range(3):
        assert (await hear(provider)).finished is not None

    assert far_side.connections == 1


async def test_closing_the_stream_in_mid_answer_closes_the_connection(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B095."""
    far_side.script().say("one").hold().say("never")
    events = provider.stream(asked())
    await anext(events)

    await events.aclose()

    call = await far_side.disconnected(1, within=2)
    assert call.sent == "one"


@pytest.mark.parametrize("before_headers", [True, False])
async def test_cancelling_a_reader_that_waits_closes_the_connection(
    far_side: ScriptedProvider, provider: OpenAICompatible, before_headers: bool
) -> None:
    """Case B095."""
    script = far_side.script()
    script = script.hang_before_first() if before_headers else script.say("one").hold()
    reading = asyncio.create_task(hear(provider))
    await script.held()

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    await far_side.disconnected(1, within=2)
