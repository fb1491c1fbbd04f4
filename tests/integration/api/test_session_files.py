"""Export and import over HTTP: a file with a name, and a new session once per key."""

import copy
import json
from typing import Any

import pytest

from assistant.api.files import disposition
from assistant.api.wire_requests import Parameters as SentParameters
from assistant.services.exporting import file_stem
from assistant.services.session_file import Parameters as FileParameters
from tests.integration.api.in_process import ApiInProcess
from tests.integration.api.operations import EXAMPLES
from tests.support.llm_server import ScriptedProvider


async def test_what_is_exported_is_imported_by_somebody_else(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    provider.say("Because.")
    them, me = await api.owner(), await api.owner()
    sent = await api.send(them, "Why 刷新?")
    await api.closed(them, sent["task_id"])
    answer = await them.get(f"/api/sessions/{sent['session_id']}/export")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"Why __.json\"; filename*=UTF-8''Why%20%E5%88%B7%E6%96%B0.json"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    file = answer.json()

    first = await me.post("/api/sessions/import", json=file, headers={"idempotency-key": "k"})
    again = await me.post("/api/sessions/import", json=file, headers={"idempotency-key": "k"})

    assert first.status_code == again.status_code == 201
    assert first.json()["id"] == again.json()["id"] != sent["session_id"]
    back = await me.get(f"/api/sessions/{first.json()['id']}/export", params={"format": "json"})
    assert back.json() == file
    shown = (await me.get(f"/api/sessions/{first.json()['id']}")).json()
    assert [each["text"] for each in shown["messages"]] == ["Why 刷新?", "Because."]
    assert (await them.get(f"/api/sessions/{first.json()['id']}/export")).status_code == 404


async def test_markdown_is_told_as_such(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await api.send(mine, "Why?")
    await api.closed(mine, sent["task_id"])
    answer = await mine.get(f"/api/sessions/{sent['session_id']}/export", params={"format": "md"})
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.text.startswith("# Why?\n")


async def test_an_import_may_be_larger_than_other_bodies(api: ApiInProcess) -> None:
    mine = await api.owner()
    file = copy.deepcopy(EXAMPLES["SessionFile"])
    at = "2025-05-05T12:00:00.123Z"
    file["messages"] = [
        {"number": n, "parent": n - 1 or None, "role": "user", "text": "字" * 100_000, "created_at": at}
        for n in range(1, 21)
    ]
    file["session"]["leaf"] = 20
    body = json.dumps(file, ensure_ascii=False).encode()
    assert len(body) > 4 << 20
    headers = {"content-type": "application/json"}
    answer = await mine.post("/api/sessions/import", content=body, headers=headers)
    assert answer.status_code == 201, answer.text


async def test_a_refusal_names_the_places_and_not_all_of_a_million(api: ApiInProcess) -> None:
    mine = await api.owner()
    file = {**EXAMPLES["SessionFile"], "messages": [{"role": "user"}] * 1000}
    answer = await mine.post("/api/sessions/import", json=file)
    errors = answer.json()["errors"]
    assert answer.status_code == 400
    assert len(errors) == 20
    assert errors[0] == {"field": "messages.0.number", "message": "Field required"}


@pytest.mark.parametrize(
    ("piece", "fields"),
    [
        ({"text": 7}, ["messages.1.text"]),
        ({"assistant": {"assistant": 7}}, ["messages.1.assistant"]),
        ({"task": {"state": "new"}}, ["messages.1.task.state"]),
        ({"role": "both"}, ["messages.1"]),
    ],
)
async def test_a_refusal_names_places_as_they_stand_in_the_file(
    api: ApiInProcess, piece: dict[str, Any], fields: list[str]
) -> None:
    mine = await api.owner()
    sent = await api.send(mine, "Why?")
    await api.closed(mine, sent["task_id"])
    file = (await mine.get(f"/api/sessions/{sent['session_id']}/export")).json()
    answer = file["messages"][1]
    answer |= {**piece, "task": answer["task"] | piece.get("task", {})}
    told = (await mine.post("/api/sessions/import", json=file)).json()
    assert [each["field"] for each in told["errors"]] == fields


@pytest.mark.parametrize("body", ["\x89PNG", "[]", '"text"', "7", "null"])
async def test_what_is_no_session_at_all_is_refused_without_a_place(api: ApiInProcess, body: str) -> None:
    mine = await api.owner()
    headers = {"content-type": "application/json"}
    told = await mine.post("/api/sessions/import", content=body.encode(), headers=headers)
    assert told.json()["code"] == "invalid_input"
    assert [list(each) for each in told.json()["errors"]] == [["message"]]


def test_a_file_has_the_parameters_of_a_send() -> None:
    def shape(model: type[SentParameters] | type[FileParameters]) -> object:
        return model.model_json_schema()["properties"]

    assert shape(FileParameters) == shape(SentParameters)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Why?", "Why"),
        ("a/b\\c:d", "a b c d"),
        ("../../etc/passwd", "etc passwd"),
        ("...", "session"),
        ("\u202eexe.gpj", "exe.gpj"),
        ("con", "_con"),
        ("x" * 300, "x" * 80),
        ("刷新", "刷新"),
    ],
)
def test_a_title_makes_a_name_for_any_system(title: str, name: str) -> None:
    assert file_stem(title) == name


def test_the_header_says_a_name_twice_and_cannot_be_broken_out_of() -> None:
    assert disposition('a"; x="\\%41é.md') == (
        "attachment; filename=\"a_; x=___41_.md\"; filename*=UTF-8''a%22%3B%20x%3D%22%5C%2541%C3%A9.md"
    )
