"""Refusals on the wire: every error of the tree has its status, every body is a problem."""

import json
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from assistant.api.errors import MEDIA_TYPE, STATUS, answer_with_problems, problem
from assistant.domain import errors
from assistant.domain.errors import AssistantError
from tests.unit.api.asgi import client


def tree(root: type[AssistantError] = AssistantError) -> Iterator[type[AssistantError]]:
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


@pytest.mark.parametrize("kind", list(tree()), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_is_in_the_table(kind: type[AssistantError]) -> None:
    assert kind.code in STATUS


def test_the_table_holds_no_code_that_nobody_uses() -> None:
    assert set(STATUS) == {kind.code for kind in tree()}


@pytest.mark.parametrize("kind", list(tree(errors.Refused)), ids=lambda kind: kind.__name__)
def test_misuse_is_a_4xx_and_failure_of_the_world_is_not(kind: type[AssistantError]) -> None:
    assert 400 <= STATUS[kind.code] < 500


def test_a_problem_says_what_it_is_and_carries_its_details() -> None:
    answer = problem(errors.RequestAccepted(result={"task_id": "t"}, status="not this"))

    assert answer.headers["content-type"] == MEDIA_TYPE
    assert json.loads(bytes(answer.body)) == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "code": "request_accepted",
        "detail": errors.RequestAccepted.__doc__,
        "result": {"task_id": "t"},
    }


@pytest.mark.parametrize("kind", list(tree(errors.Unavailable)), ids=lambda kind: kind.__name__)
def test_what_may_succeed_later_says_when_to_try(kind: type[AssistantError]) -> None:
    answer = problem(kind())

    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


async def test_our_own_fault_is_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    api = FastAPI()
    answer_with_problems(api)

    @api.get("/fenced")
    async def fenced() -> None:
        raise errors.Fenced("attempt 3 of some task")

    async with client(api) as program:
        answer = await program.get("/fenced")

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert "attempt 3" not in answer.text
    assert "/fenced" in caplog.text
