"""How a model request is put to an OpenAI-shaped server."""

import json
from typing import Any

import pytest

from assistant.domain.message import Role
from assistant.domain.models import CallTurn, ModelRequest, Step, Turn
from assistant.domain.tools import ToolSpec
from assistant.models.openai_request import GO_ON, SINCE_THEN, SUMMARISED, chat_body
from tests.support.model_events import asked

BRANCH = (Turn(Role.USER, "One?"), Turn(Role.ASSISTANT, "Two."), Turn(Role.USER, "Three?"))


def _messages(request: ModelRequest, *, continues_prefix: bool = False) -> list[tuple[str, str]]:
    body = chat_body(request, model="m", continues_prefix=continues_prefix, asks_usage=True)
    return [(message["role"], message["content"]) for message in body["messages"]]


def test_the_branch_is_told_in_order() -> None:
    assert _messages(ModelRequest(BRANCH)) == [
        ("user", "One?"),
        ("assistant", "Two."),
        ("user", "Three?"),
    ]


def test_the_system_prompt_comes_first_and_is_no_parameter() -> None:
    request = ModelRequest(BRANCH, parameters={"system": "Be brief."})

    assert _messages(request)[0] == ("system", "Be brief.")
    assert "system" not in chat_body(request, model="m", continues_prefix=False, asks_usage=True)


def test_a_summary_is_told_in_the_first_message_and_not_as_an_instruction() -> None:
    request = ModelRequest(BRANCH, summary="It was about trains.", parameters={"system": "Be brief."})

    system, first, *rest = _messages(request)

    assert system == ("system", "Be brief.")
    assert first == ("user", f"{SUMMARISED}\n\nIt was about trains.\n\n{SINCE_THEN}\n\nOne?")
    assert rest == [("assistant", "Two."), ("user", "Three?")]


def test_an_answer_without_text_is_left_out() -> None:
    turns = (Turn(Role.USER, "One?"), Turn(Role.ASSISTANT, ""), Turn(Role.USER, "Again?"))

    assert _messages(ModelRequest(turns)) == [("user", "One?"), ("user", "Again?")]


def test_kept_text_stands_last_for_a_provider_that_continues_it() -> None:
    request = asked(kept="So far, ", kept_reasoning="never told")

    assert _messages(request, continues_prefix=True)[-1] == ("assistant", "So far, ")


def test_another_provider_is_asked_to_go_on_exactly_there() -> None:
    messages = _messages(asked(kept="So far, "))

    assert messages[-2:] == [("assistant", "So far, "), ("user", GO_ON)]


def test_known_parameters_are_passed_and_the_rest_is_not() -> None:
    parameters = {"temperature": 0, "max_tokens": 9, "top_p": None, "stream": False, "n": 50, "tools": []}

    body = chat_body(asked(parameters=parameters), model="m", continues_prefix=False, asks_usage=True)

    assert body["temperature"] == 0
    assert body["max_tokens"] == 9
    assert body["stream"] is True
    assert body.keys().isdisjoint({"top_p", "n", "tools"})


def test_an_endpoint_without_a_named_model_is_told_none() -> None:
    assert "model" not in chat_body(asked(), model="", continues_prefix=False, asks_usage=True)


def test_usage_is_asked_for_only_while_the_server_takes_it() -> None:
    assert "stream_options" not in chat_body(asked(), model="m", continues_prefix=False, asks_usage=False)


CLOCK = ToolSpec(
    "clock", "Tell the time.", {"type": "object", "properties": {}}, idempotent=True, needs_decision=False
)
STEP = Step("Let me look. ", (CallTurn("c1", "clock", "{}", "noon"), CallTurn("c2", "mail", "{}", "sent")))


def _told(request: ModelRequest) -> list[dict[str, Any]]:
    return chat_body(request, model="m", continues_prefix=True, asks_usage=True)["messages"]


def test_tools_are_offered_with_their_schema() -> None:
    body = chat_body(asked(tools=(CLOCK,)), model="m", continues_prefix=False, asks_usage=True)

    function = {"name": "clock", "description": "Tell the time.", "parameters": CLOCK.schema}
    assert body["tools"] == [{"type": "function", "function": function}]


def test_a_server_that_knows_no_tools_hears_no_word_of_them() -> None:
    assert "tool" not in json.dumps(chat_body(asked(), model="m", continues_prefix=False, asks_usage=True))


def test_a_step_is_told_as_what_was_said_its_calls_and_a_result_for_each() -> None:
    said, first, second = _told(asked(steps=(STEP,)))[1:]

    assert (said["role"], said["content"]) == ("assistant", "Let me look. ")
    assert said["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}},
        {"id": "c2", "type": "function", "function": {"name": "mail", "arguments": "{}"}},
    ]
    assert first == {"role": "tool", "tool_call_id": "c1", "content": "noon"}
    assert second == {"role": "tool", "tool_call_id": "c2", "content": "sent"}


def test_a_step_without_words_has_null_content() -> None:
    assert _told(asked(steps=(Step("", STEP.calls),)))[1]["content"] is None


def test_a_step_without_calls_is_its_text_alone() -> None:
    assert _told(asked(steps=(Step("Only words.", ()), Step("", ()))))[1:] == [
        {"role": "assistant", "content": "Only words."}
    ]


def test_steps_of_an_earlier_answer_come_before_its_text() -> None:
    turns = (Turn(Role.USER, "One?"), Turn(Role.ASSISTANT, "Noon.", (STEP,)), Turn(Role.USER, "And?"))

    roles = [message["role"] for message in _told(ModelRequest(turns))]

    assert roles == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert _told(ModelRequest(turns))[4]["content"] == "Noon."


def test_an_earlier_answer_that_ended_with_its_calls_has_no_empty_message() -> None:
    turns = (Turn(Role.USER, "One?"), Turn(Role.ASSISTANT, "", (STEP,)), Turn(Role.USER, "And?"))

    assert [message["role"] for message in _told(ModelRequest(turns))] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]


def test_kept_text_stands_after_the_steps_of_its_answer() -> None:
    messages = _messages(asked(steps=(STEP,), kept="It is "))

    assert messages[-3:] == [("tool", "sent"), ("assistant", "It is "), ("user", GO_ON)]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "{}"),
        (" ", "{}"),
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": ', '{"unreadable": "{\\"a\\": "}'),
        ("[1]", '{"unreadable": "[1]"}'),
    ],
)
def test_arguments_are_always_told_as_an_object(written: str, told: str) -> None:
    step = Step("", (CallTurn("c1", "clock", written, "no"),))

    assert _told(asked(steps=(step,)))[1]["tool_calls"][0]["function"]["arguments"] == told


@pytest.mark.parametrize(("written", "told"), [("a b.c", "a_b_c"), ("x" * 99, "x" * 64), ("", "unnamed")])
def test_a_name_that_servers_refuse_is_told_as_one_that_they_take(written: str, told: str) -> None:
    step = Step("", (CallTurn("c1", written, "{}", "no such tool"),))

    assert _told(asked(steps=(step,)))[1]["tool_calls"][0]["function"]["name"] == told
