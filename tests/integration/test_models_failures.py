"""Every way in which a provider fails has its own code and a sentence, and never shows the key."""

from collections.abc import AsyncIterator

import pytest

from assistant.models.openai_compatible import OpenAICompatible
from tests.support.llm_server import ScriptedProvider
from tests.support.model_events import Naps, asked, hear
from tests.support.ports import free_port

KEY = "sk-very-secret-key"


@pytest.fixture
async def far_side() -> AsyncIterator[ScriptedProvider]:
    async with ScriptedProvider() as scripted:
        yield scripted


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
async def provider(far_side: ScriptedProvider, naps: Naps) -> AsyncIterator[OpenAICompatible]:
    compatible = OpenAICompatible(far_side.url, key=KEY, models=["one"], sleep=naps)
    yield compatible
    await compatible.aclose()


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "Reduce the length of the messages."}),
        (400, {"message": "This model's maximum context length is 8192 tokens, and you asked for 9000."}),
        (
            400,
            {
                "type": "exceed_context_size_error",
                "message": "the request exceeds the available context size",
            },
        ),
        (400, {"message": "prompt is too long: 210000 tokens > 200000 maximum"}),
        (413, {"code": "context_length_exceeded"}),
    ],
)
async def test_more_than_the_model_can_read_has_a_code_of_its_own(
    far_side: ScriptedProvider, provider: OpenAICompatible, status: int, error: dict[str, str]
) -> None:
    far_side.fail(status, {"error": error})

    heard = await hear(provider)

    assert heard.code == "model_context_exceeded"
    assert heard.failure is not None
    assert "ASSISTANT_MODEL_CONTEXT_TOKENS" in heard.failure.message
    assert len(far_side.calls) == 1


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (307, "model_not_found"),
        (400, "model_bad_request"),
        (401, "model_unauthorized"),
        (402, "model_no_credit"),
        (403, "model_forbidden"),
        (404, "model_not_found"),
        (413, "model_bad_request"),
        (422, "model_bad_request"),
    ],
)
async def test_a_refused_request_is_told_at_once_and_not_tried_again(
    far_side: ScriptedProvider, provider: OpenAICompatible, status: int, code: str
) -> None:
    far_side.fail(status, {"error": {"message": f"no, {KEY} is odd"}})

    heard = await hear(provider)

    assert heard.code == code
    assert heard.failure is not None
    assert KEY not in heard.failure.message
    assert heard.failure.message.endswith((".", "odd"))
    assert not heard.failure.timeout
    assert len(far_side.calls) == 1


async def test_the_providers_own_words_are_told_but_cut_short(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.fail(400, {"error": {"message": "the context is too long " * 100}})

    heard = await hear(provider)

    assert heard.failure is not None
    assert "the context is too long" in heard.failure.message
    assert len(heard.failure.message) < 500


@pytest.mark.parametrize(
    "body", ["", "<html>Bad gateway</html>", "[]", '"text"', '{"error": "short"}', '{"error": 7}']
)
async def test_an_error_with_any_body_is_told(
    far_side: ScriptedProvider, provider: OpenAICompatible, body: str
) -> None:
    far_side.fail(404, body)

    assert (await hear(provider)).code == "model_not_found"


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "model_rate_limited"), (500, "model_unavailable"), (503, "model_unavailable")],
)
async def test_a_busy_or_broken_provider_is_asked_three_times_in_all(
    far_side: ScriptedProvider, provider: OpenAICompatible, naps: Naps, status: int, code: str
) -> None:
    for _ in range(3):
        far_side.fail(status)

    heard = await hear(provider)

    assert heard.code == code
    assert len(far_side.calls) == 3
    assert 0.25 <= naps.taken[0] <= 0.5
    assert 0.5 <= naps.taken[1] <= 1.0


async def test_a_second_try_that_works_is_an_ordinary_answer(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.fail(503)
    far_side.script().break_off()
    far_side.say("at last")

    heard = await hear(provider)

    assert heard.text == "at last"
    assert heard.finished is not None


async def test_retry_after_is_waited_for(
    far_side: ScriptedProvider, provider: OpenAICompatible, naps: Naps
) -> None:
    far_side.fail(429, headers={"Retry-After": "7"})
    far_side.say("now")

    assert (await hear(provider)).text == "now"
    assert naps.taken == [7.0]


@pytest.mark.parametrize("told", ["3600", "Fri, 31 Dec 2100 23:59:59 GMT"])
async def test_a_retry_after_beyond_the_bound_ends_the_step_at_once(
    far_side: ScriptedProvider, provider: OpenAICompatible, naps: Naps, told: str
) -> None:
    far_side.fail(429, headers={"Retry-After": told})

    assert (await hear(provider)).code == "model_rate_limited"
    assert naps.taken == []
    assert len(far_side.calls) == 1


@pytest.mark.parametrize("told", ["soon", "-5", "Fri, 31 Dec 1999 23:59:59 GMT", "nan"])
async def test_a_retry_after_that_means_nothing_is_an_ordinary_backoff(
    far_side: ScriptedProvider, provider: OpenAICompatible, naps: Naps, told: str
) -> None:
    far_side.fail(429, headers={"Retry-After": told})
    far_side.say("now")

    assert (await hear(provider)).text == "now"
    assert 0.25 <= naps.taken[0] <= 0.5


async def test_an_account_without_credit_is_not_asked_again(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.fail(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})

    assert (await hear(provider)).code == "model_no_credit"
    assert len(far_side.calls) == 1


async def test_a_server_that_is_not_there_is_unreachable_after_three_tries(naps: Naps) -> None:
    provider = OpenAICompatible(f"http://127.0.0.1:{free_port()}/v1", key=KEY, sleep=naps)

    heard = await hear(provider)

    assert heard.code == "model_unreachable"
    assert len(naps.taken) == 2
    assert heard.failure is not None
    assert "ASSISTANT_MODEL_BASE_URL" in heard.failure.message
    await provider.aclose()


async def test_a_failure_after_the_first_text_is_never_tried_again(
    far_side: ScriptedProvider, provider: OpenAICompatible, naps: Naps
) -> None:
    """Case B114."""
    chunks = [f"chunk {number} " for number in range(10)]
    far_side.say(*chunks).break_off()

    heard = await hear(provider)

    assert heard.text == "".join(chunks)
    assert heard.code == "model_broken_stream"
    assert len(far_side.calls) == 1
    assert naps.taken == []


async def test_an_early_end_without_any_end_mark_is_a_broken_stream(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("half of").end_early()

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("half of", "model_broken_stream")
    assert len(far_side.calls) == 1


async def test_broken_json_in_the_stream_is_a_broken_stream(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("good").garbage().say("never")

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("good", "model_broken_stream")


@pytest.mark.parametrize("payload", [7, "text", [1], None])
async def test_json_that_is_no_chunk_is_a_broken_stream(
    far_side: ScriptedProvider, provider: OpenAICompatible, payload: object
) -> None:
    far_side.script().send(payload)

    assert (await hear(provider)).code == "model_broken_stream"


async def test_a_server_may_say_in_the_stream_that_it_was_told_too_much(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.script().send({"error": {"code": "context_length_exceeded", "message": "Too long."}})

    assert (await hear(provider)).code == "model_context_exceeded"


async def test_an_error_told_in_mid_stream_is_told_on(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.say("so far").send({"error": {"message": f"upstream of {KEY} is gone", "code": 502}})

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("so far", "model_error")
    assert heard.failure is not None
    assert "upstream of *** is gone" in heard.failure.message


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("content_filter", "model_content_filter"),
        ("error", "model_error"),
    ],
)
async def test_a_finish_reason_that_is_no_good_end_fails_the_step_after_its_text(
    far_side: ScriptedProvider, provider: OpenAICompatible, reason: str, code: str
) -> None:
    far_side.say("so far").finish(reason)

    heard = await hear(provider)

    assert (heard.text, heard.code) == ("so far", code)
    assert heard.finished is None


async def test_a_page_instead_of_an_answer_says_to_check_the_address(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    far_side.fail(200, "<html>Sign in</html>", {"Content-Type": "text/html"})

    heard = await hear(provider)

    assert heard.code == "model_not_found"
    assert heard.failure is not None
    assert "text/html" in heard.failure.message


async def test_a_server_that_refuses_stream_options_is_asked_once_more_without_it(
    far_side: ScriptedProvider, provider: OpenAICompatible, naps: Naps
) -> None:
    far_side.refused_fields.add("stream_options")
    far_side.say("first")
    far_side.say("second")

    assert (await hear(provider)).text == "first"
    assert (await hear(provider)).text == "second"
    assert ["stream_options" in call.body for call in far_side.calls] == [True, False, False]
    assert naps.taken == []


async def test_a_wrong_key_is_told_without_showing_it(far_side: ScriptedProvider) -> None:
    far_side.key = "sk-right"
    provider = OpenAICompatible(far_side.url, key=f" {KEY}é\n")

    heard = await hear(provider)

    assert heard.code == "model_unauthorized"
    assert heard.failure is not None
    assert KEY not in heard.failure.message
    await provider.aclose()


async def test_the_request_carries_key_model_and_question(
    far_side: ScriptedProvider, provider: OpenAICompatible
) -> None:
    await hear(provider, asked("Why?", parameters={"temperature": 0.5, "system": "Be brief."}))

    call = await far_side.called()
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": "one",
        "temperature": 0.5,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
