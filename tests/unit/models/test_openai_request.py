"""How a model request is put to an OpenAI-shaped server."""

from assistant.domain.message import Role
from assistant.domain.models import ModelRequest, Turn
from assistant.models.openai_request import GO_ON, chat_body
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
