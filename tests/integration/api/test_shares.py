"""Shares over HTTP: a link for the owner, a session for whoever has it, the same 404 for anything else."""

from typing import Any

import httpx
import pytest

from assistant.api import owner_cookie
from assistant.api.shared_headers import shared_headers
from tests.integration.api.in_process import ApiInProcess
from tests.integration.api.operations import MALFORMED_IDS, address, good_body, operations
from tests.integration.api.test_foreign_owner import everything, seen
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider

GIVEN = "ada@example.org"
MAIL = {"to": GIVEN, "subject": "Lunch?", "text": "On Thursday?"}


async def shared(
    client: httpx.AsyncClient, sent: dict[str, str], key: str = "", **body: Any
) -> dict[str, Any]:
    headers = {"idempotency-key": key} if key else {}
    answer = await client.post(f"/api/sessions/{sent['session_id']}/share", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def link(sent: dict[str, str]) -> str:
    return f"/api/sessions/{sent['session_id']}/share"


async def answered(api: ApiInProcess, provider: ScriptedProvider) -> tuple[httpx.AsyncClient, dict[str, str]]:
    """Somebody, with a session of one question that was answered."""
    provider.say("answer")
    owner = await api.owner()
    sent = await api.send(owner)
    await api.closed(owner, sent["task_id"])
    return owner, sent


async def asks_first(
    api: ApiInProcess, provider: ScriptedProvider, owner: httpx.AsyncClient
) -> dict[str, str]:
    """A send whose answer waits for a decision about a mail."""
    provider.script().say("I write to her. ").call("send_mail", MAIL)
    sent = await api.send(owner, "Invite Ada")

    async def waits() -> bool:
        task = (await owner.get(f"/api/tasks/{sent['task_id']}")).json()
        return task["state"] == "awaiting_confirm"

    await eventually(waits)
    return sent


async def test_a_link_is_told_again_the_same_and_shows_the_session_to_anybody(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    provider.say("Because.")
    owner = await api.owner()
    sent = await api.send(owner, "Why?")
    await api.closed(owner, sent["task_id"])
    made = await shared(owner, sent, with_arguments=False)

    assert set(made) == {"url", "token", "with_arguments", "created_at"}
    assert made["url"] == f"http://app.test/shared/{made['token']}"
    assert (await owner.get(link(sent))).json() == made == await shared(owner, sent, with_arguments=False)
    async with api.stranger() as reader:
        answer = await reader.get(f"/api/shared/{made['token']}")
    assert "set-cookie" not in answer.headers
    assert answer.json() == {
        "title": "Why?",
        "with_arguments": False,
        "has_older": False,
        "messages": [
            {
                "id": sent["message_id"],
                "role": "user",
                "text": "Why?",
                "parts": [{"kind": "text", "start": 0, "end": 4}],
                "created_at": answer.json()["messages"][0]["created_at"],
                "task_id": None,
            },
            {
                "id": sent["answer_id"],
                "role": "assistant",
                "text": "Because.",
                "parts": [{"kind": "text", "start": 0, "end": 8}],
                "created_at": answer.json()["messages"][1]["created_at"],
                "task_id": sent["task_id"],
            },
        ],
        "tasks": [
            {
                "id": sent["task_id"],
                "answer_id": sent["answer_id"],
                "state": "done",
                "reason": "complete",
                "tool_calls": [],
            }
        ],
    }


async def test_a_link_shows_what_tools_were_given_only_where_its_owner_allows_it(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    owner = await api.owner()
    sent = await asks_first(api, provider, owner)
    made = await shared(owner, sent, with_arguments=False)
    async with api.stranger() as reader:
        path = f"/api/shared/{made['token']}"
        hidden = await reader.get(path)
        again = await shared(owner, sent, with_arguments=True)
        told = await reader.get(path)

    who = (await owner.get("/api/owner")).json()["id"]
    call = hidden.json()["tasks"][0]["tool_calls"][0]
    given = {name: value for name, value in call.items() if value is not None}
    assert (set(given), call["name"], call["state"]) == (
        {"id", "name", "offset", "state"},
        "send_mail",
        "requested",
    )
    assert GIVEN not in hidden.text
    assert again["token"] == made["token"]
    assert GIVEN in told.text
    for answer in (hidden, told):
        assert who not in answer.text
        assert "arguments_hash" not in answer.text
    await owner.post(f"/api/tasks/{sent['task_id']}/stop")


async def test_unknown_revoked_deleted_and_malformed_tokens_are_answered_alike(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    """Case B185: byte for byte, headers included."""
    provider.say("answer")
    owner = await api.owner()
    revoked = await api.send(owner)
    await api.closed(owner, revoked["task_id"])
    provider.say("answer")
    deleted = await api.send(owner)
    await api.closed(owner, deleted["task_id"])
    tokens = [(await shared(owner, sent))["token"] for sent in (revoked, deleted)]
    assert (await owner.delete(link(revoked))).json() == {"session_id": revoked["session_id"]}
    await owner.delete(f"/api/sessions/{deleted['session_id']}")

    async with api.stranger() as reader:
        unknown = seen(await reader.get(f"/api/shared/{'A' * 48}"))
        assert unknown[0] == 404
        for token in (*tokens, tokens[0][:-1], *MALFORMED_IDS):
            assert seen(await reader.get(f"/api/shared/{token}")) == unknown, token
    assert seen(await owner.get(f"/api/shared/{tokens[0]}")) == unknown, "for its owner too"
    again = await shared(owner, revoked)
    assert again["token"] not in tokens


async def test_a_share_and_its_end_are_done_once_under_their_keys(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    owner, sent = await answered(api, provider)
    made = await shared(owner, sent, "share", with_arguments=False)
    end = {"idempotency-key": "end"}
    assert (await owner.get("/api/requests/share")).json()["kind"] == "share"
    for _ in range(2):
        assert (await owner.delete(link(sent), headers=end)).status_code == 200
    assert await shared(owner, sent, "share", with_arguments=False) == made
    assert (await owner.get(link(sent))).status_code == 404
    other = await shared(owner, sent)
    assert (await owner.delete(link(sent), headers=end)).status_code == 200
    assert (await owner.get(link(sent))).json() == other


@pytest.mark.parametrize("presented_as", ["cookie", "bearer", "id", "nobody"])
async def test_a_token_opens_no_other_door(
    api: ApiInProcess, provider: ScriptedProvider, presented_as: str
) -> None:
    """Every operation of the API, with the token in the place of an owner or of an id: refused, no change."""
    owner = await api.owner()
    sent = await asks_first(api, provider, owner)
    sent["call_id"] = (await everything(owner, sent))["tasks"][0]["tool_calls"][0]["id"]
    token = (await shared(owner, sent))["token"]
    before, rows = await everything(owner, sent), api.rows()

    async with api.stranger() as visitor:
        if presented_as == "cookie":
            visitor.cookies["assistant_owner"] = token
        headers = {"authorization": f"Bearer {token}"} if presented_as == "bearer" else {}
        instead = {"id": token} if presented_as == "id" else {}
        if presented_as == "id":
            await visitor.get("/api/owner")
        for operation, told in operations(api.api):
            method, path = address(operation, sent, **instead)
            for_nobody = {} in told.get("security", [{}]) and not operation.endswith("{token}")
            if for_nobody or operation.endswith("/import") or (instead and "{key}" in operation):
                continue
            body: dict[str, Any] = good_body(told)
            if operation == "POST /api/messages":
                body = {"json": {"text": "Mine", "session_id": token if instead else sent["session_id"]}}
            given = {**headers, "idempotency-key": operation}
            answer = await visitor.request(method, path, headers=given, **body)
            about_id = "{id}" in operation or operation == "POST /api/messages"
            if presented_as != "id" and not operation.endswith("{token}"):
                assert answer.status_code == 401, operation
            elif about_id or operation.endswith("{token}"):
                assert answer.status_code == 404, operation

    assert await everything(owner, sent) == before
    assert api.rows() == rows
    await owner.post(f"/api/tasks/{sent['task_id']}/stop")


async def test_a_shared_session_is_indexed_by_nobody_and_its_address_is_told_to_nobody(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    owner, sent = await answered(api, provider)
    token = (await shared(owner, sent))["token"]

    transport = httpx.ASGITransport(app=shared_headers(api.asgi))
    async with httpx.AsyncClient(transport=transport, base_url="http://app.test") as reader:
        for path in (f"/api/shared/{token}", "/api/shared/unknown", f"/shared/{token}"):
            headers = (await reader.get(path, headers={"accept": "text/html"})).headers
            assert headers.get_list("x-robots-tag") == ["noindex, nofollow"], path
            assert headers.get_list("referrer-policy") == ["no-referrer"], path
            assert headers.get_list("cache-control") == ["private, no-store"], path
            assert "set-cookie" not in headers
        assert "x-robots-tag" not in (await reader.get("/api/owner")).headers


async def test_the_link_is_told_as_the_browser_called_the_server(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    owner, sent = await answered(api, provider)
    await shared(owner, sent)
    proxied = api.services.settings.model_copy(update={"trusted_proxies": ("127.0.0.1",)})
    headers = {
        "host": "chat.example:8443",
        "x-forwarded-proto": "https",
        "authorization": f"Bearer {owner.cookies['assistant_owner']}",
    }
    told = []
    for app in (api.asgi, owner_cookie(proxied)(api.api)):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport) as browser:
            answer = await browser.get(f"http://app.test{link(sent)}", headers=headers)
            told.append(answer.json()["url"])

    assert told[0].startswith("http://chat.example:8443/shared/")
    assert told[1].startswith("https://chat.example:8443/shared/")
