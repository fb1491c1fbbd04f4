"""A step that asks for tools: its calls come whole at its end, or not at all."""

from collections.abc import AsyncIterator

import pytest

from assistant.domain.models import CallAsked, CallTurn, Delta, FinishReason, Step
from assistant.domain.tools import ToolSpec
from assistant.domain.transcript import PartKind
from assistant.models.openai_compatible import OpenAICompatible, Timeouts
from tests.support.llm_script import Script, opening
from tests.support.llm_server import ScriptedProvider
from tests.support.model_events import Heard, asked, hear

CLOCK = ToolSpec("clock", "Tell the time.", {"type": "object"}, idempotent=True, needs_decision=False)
USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
AT_ONCE = 0.25


@pytest.fixture
async def far_side() -> AsyncIterator[ScriptedProvider]:
    async with ScriptedProvider() as scripted:
        yield scripted


@pytest.fixture
async def provider(far_side: ScriptedProvider) -> AsyncIterator[OpenAICompatible]:
    compatible = OpenAICompatible(far_side.url, timeouts=Timeouts(between_tokens=30))
    yield compatible
    await compatible.aclose()


async def offered(provider: OpenAICompatible, *steps: Step) -> Heard:
    return await hear(provider, asked(tools=(CLOCK,), steps=steps))


async def test_calls_come_with_the_end_of_the_step_after_its_text(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("Let me ", "look.").call("clock", {"zone": "UTC"}).finish("tool_calls", USAGE)

    heard = await offered(provider)

    assert heard.text == "Let me look."
    assert heard.finished is not None
    assert heard.finished.reason is FinishReason.TOOL_CALLS
    assert heard.finished.usage == USAGE
    assert heard.calls == (CallAsked("clock", '{"zone": "UTC"}'),)


async def test_text_and_pieces_of_calls_in_any_order_keep_the_order_of_each(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    script = far_side.script().reason("hm").call_pieces(opening("clock")).say("One ")
    script.call_pieces({"index": 0, "function": {"arguments": '{"zone"'}}).say("moment.")
    script.call("mail", {}, "call_9").call_pieces({"index": 0, "function": {"arguments": ': "UTC"}'}})

    heard = await offered(provider)

    assert [delta.text for delta in heard.deltas] == ["hm", "One ", "moment."]
    assert [call.name for call in heard.calls] == ["clock", "mail"]
    assert heard.calls[0].arguments == '{"zone": "UTC"}'


async def test_calls_cut_at_any_byte_are_the_same_calls(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    """Case B031."""
    far_side.script().calls(("clock", {"zone": "🌍"}), ("clock", {})).cut_at(*range(1, 2000))

    assert (await offered(provider)).calls == (
        CallAsked("clock", '{"zone": "\\ud83c\\udf0d"}'),
        CallAsked("clock", "{}"),
    )


async def test_text_is_handed_on_while_the_calls_are_still_written(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    script = far_side.say("Now").call_pieces(opening("clock")).hold()
    script.call_pieces({"index": 0, "function": {"arguments": "{}"}})
    events = provider.stream(asked(tools=(CLOCK,)))

    assert await anext(events) == Delta(PartKind.TEXT, "Now")
    await script.held()
    script.release()
    ended = await anext(events)

    assert getattr(ended, "calls", None) == (CallAsked("clock", "{}"),)
    await events.aclose()


@pytest.mark.parametrize("told", ["stop", "tool_calls", "function_call", "eos_token"])
async def test_calls_with_any_word_for_a_good_end_are_asked_for(
    far_side: ScriptedProvider, provider: OpenAICompatible, told: str
) -> None:
    far_side.script().call("clock").finish(told)

    heard = await offered(provider)

    assert heard.finished is not None
    assert heard.finished.reason is FinishReason.TOOL_CALLS
    assert len(heard.calls) == 1


async def test_an_end_for_calls_without_any_call_is_an_ordinary_end(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("text").finish("tool_calls")

    heard = await offered(provider)

    assert heard.finished is not None
    assert (heard.finished.reason, heard.calls) == (FinishReason.STOP, ())


@pytest.mark.parametrize("told", ["length", "max_tokens"])
async def test_calls_at_the_length_limit_were_cut_and_are_not_asked_for(
    far_side: ScriptedProvider, provider: OpenAICompatible, told: str
) -> None:
    far_side.say("text").call("clock").finish(told)

    heard = await offered(provider)

    assert heard.finished is not None
    assert (heard.finished.reason, heard.calls) == (FinishReason.LENGTH, ())


def _pieces(script: Script) -> Script:
    return script.say("text").call_pieces(opening("clock"))


@pytest.mark.parametrize(
    "script",
    [
        _pieces(Script()).finish(None),
        _pieces(Script()).end_early(),
        _pieces(Script()).break_off(),
        Script().say("text").call("clock").finish(None),
        Script()
        .say("text")
        .send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        .call("clock")
        .finish(None),
    ],
    ids=["end mark", "end", "cut line", "end mark after whole calls", "a piece after the finish reason"],
)
async def test_calls_without_a_finish_reason_after_them_are_a_broken_stream(
    far_side: ScriptedProvider, provider: OpenAICompatible, script: Script
) -> None:
    far_side.script(script)

    heard = await offered(provider)

    assert (heard.text, heard.code, heard.calls) == ("text", "model_broken_stream", ())
    assert len(far_side.calls) == 1


async def test_an_end_mark_on_a_line_that_stays_open_is_the_same_broken_stream(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.script().call("clock").raw(b"data: [DONE]\n\n").hold()

    assert (await offered(provider)).code == "model_broken_stream"


async def test_a_finish_reason_that_comes_before_the_last_call_does_not_end_the_step(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    early = {
        "choices": [{"index": 0, "delta": {"tool_calls": [opening("clock", "{}")]}, "finish_reason": "stop"}]
    }
    far_side.script().send(early).call("mail", {}, "call_9").finish("stop")

    assert [call.name for call in (await offered(provider)).calls] == ["clock", "mail"]


async def test_calls_that_nobody_offered_fail_the_step(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("so far").call("clock")

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("so far", "model_unexpected_calls")


async def test_too_many_calls_fail_the_step_in_words(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    script = far_side.script()
    for _ in range(65):
        script.call("clock")
    script.hold()

    heard = await offered(provider)

    assert heard.code == "model_too_many_calls"
    await far_side.disconnected(1)


async def test_calls_of_a_server_that_does_not_stream_are_understood(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("A moment.").call("clock").call("mail").unstreamed()

    heard = await offered(provider)

    assert heard.text == "A moment."
    assert [call.name for call in heard.calls] == ["clock", "mail"]


async def test_silence_in_the_midst_of_a_call_ends_the_step_as_timed_out(far_side: ScriptedProvider) -> None:
    provider = OpenAICompatible(far_side.url, timeouts=Timeouts(first_token=30, between_tokens=AT_ONCE))
    far_side.script().call_pieces(opening("clock")).hold()

    heard = await offered(provider)

    assert heard.code == "model_timeout"
    assert heard.failure is not None
    assert "further text" in heard.failure.message
    await provider.aclose()


async def test_the_model_is_told_the_tools_and_the_steps_before(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("It is noon.")

    await offered(provider, Step("", (CallTurn("c1", "clock", "{}", "noon"),)))

    call = await far_side.called()
    assert call.offered == ["clock"]
    assert call.results == {"c1": "noon"}
    assert [message["role"] for message in call.messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "gemma does not support tools"),
        (404, "No endpoints found that support tool use."),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (422, "Unrecognized request argument: tools"),
    ],
)
async def test_a_model_that_takes_no_tools_is_asked_without_them(
    far_side: ScriptedProvider, provider: OpenAICompatible, status: int, words: str
) -> None:
    far_side.fail(status, {"error": {"message": words}})
    far_side.say("Hello.")

    heard = await offered(provider)

    assert (heard.text, heard.code) == ("Hello.", None)
    assert [call.offered for call in far_side.calls] == [["clock"], []]


@pytest.mark.parametrize("words", ["Invalid schema for function 'clock'", "the tools are too long", "no"])
async def test_any_other_refusal_is_told_though_tools_were_offered(
    far_side: ScriptedProvider, provider: OpenAICompatible, words: str
) -> None:
    far_side.fail(400, {"error": {"message": words}})

    assert (await offered(provider)).code == "model_bad_request"
    assert len(far_side.calls) == 1


async def test_a_refusal_after_a_step_with_calls_is_told(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.fail(400, {"error": {"message": "gemma does not support tools"}})

    heard = await offered(provider, Step("", (CallTurn("c1", "clock", "{}", "noon"),)))

    assert heard.code == "model_bad_request"
