"""Devices over HTTP: a code makes another one the same owner's; the cookie says so, and nothing else does."""

import httpx
import pytest
from fastapi import FastAPI

from assistant.api import build_api, owner_cookie
from assistant.bootstrap import Held
from assistant.domain.tools import arguments_hash
from tests.integration.api.in_process import ApiInProcess
from tests.support.llm_server import ScriptedProvider

FIREFOX = "Mozilla/5.0 (Android 15; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0"
CODE_UNKNOWN = (404, "code_unknown")


async def code_of(client: httpx.AsyncClient) -> str:
    answer = await client.post("/api/owner/links")
    assert answer.status_code == 201, answer.text
    return answer.json()["code"]


async def use(client: httpx.AsyncClient, code: str, **more: object) -> httpx.Response:
    headers = {"user-agent": FIREFOX}
    return await client.post("/api/owner/link", json={"code": code, **more}, headers=headers)


async def who(client: httpx.AsyncClient) -> str:
    return (await client.get("/api/owner")).json()["id"]


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_code_gives_another_device_the_owners_cookie(api: ApiInProcess) -> None:
    ada, phone = await api.owner(), await api.owner()
    made = (await ada.post("/api/owner/links")).json()
    assert made["url"] == f"/link?code={made['code']}"

    answer = await use(phone, made["code"])

    assert answer.json() == {"owner": {"id": await who(ada), "kind": "anonymous", "name": None}, "brought": 0}
    assert answer.headers["set-cookie"].startswith("assistant_owner=")
    for flag in ("Path=/", "HttpOnly", "SameSite=Lax"):
        assert flag in answer.headers["set-cookie"]
    assert await who(phone) == await who(ada)
    (told,) = (await ada.get("/api/owner/links")).json()["links"]
    assert (told["id"], told["used_on"]) == (made["id"], "Firefox on Android")
    assert "code" not in told


async def test_a_device_without_any_cookie_may_use_one(api: ApiInProcess) -> None:
    ada = await api.owner()
    async with api.stranger() as new:
        assert (await new.get("/api/owner/link")).json() == {"sessions": 0}
        assert (await use(new, await code_of(ada))).status_code == 200
        assert await who(new) == await who(ada)


async def test_looking_uses_nothing_up(api: ApiInProcess) -> None:
    """A preview, a prefetch and a reload of the page only ever read."""
    ada, phone = await api.owner(), await api.owner()
    code = await code_of(ada)
    for method in ("GET", "HEAD"):
        await phone.request(method, "/api/owner/link", params={"code": code})
    assert (await phone.options("/api/owner/link")).status_code == 204
    assert (await use(phone, code)).status_code == 200


async def test_conversations_come_along_or_stay_behind(api: ApiInProcess) -> None:
    for bring in (True, False):
        ada, phone = await api.owner(), await api.owner()
        sent = await api.send(phone)
        await api.closed(phone, sent["task_id"])
        code = await code_of(ada)
        assert (await phone.get("/api/owner/link")).json() == {"sessions": 1}

        unsaid = await use(phone, code)
        assert refused(unsaid) == (409, "choice_needed")
        assert unsaid.json()["sessions"] == 1
        assert "set-cookie" not in unsaid.headers

        assert (await use(phone, code, bring=bring)).json()["brought"] == bring
        listed = (await ada.get("/api/sessions")).json()["sessions"]
        assert [session["id"] for session in listed] == [sent["session_id"]] * bring
        assert (await phone.get("/api/sessions")).json()["sessions"] == listed


async def test_wrong_used_and_taken_back_are_one_answer(api: ApiInProcess) -> None:
    ada, phone, third = await api.owner(), await api.owner(), await api.owner()
    used, back = await code_of(ada), (await ada.post("/api/owner/links")).json()
    assert (await use(phone, used)).status_code == 200
    assert (await ada.delete(f"/api/owner/links/{back['id']}")).status_code == 204

    answers = [await use(third, code) for code in (used, back["code"], "K7QM-2XHP", "no code at all")]

    assert {refused(answer) for answer in answers} == {CODE_UNKNOWN}
    assert len({answer.content for answer in answers}) == 1
    assert await who(third) != await who(ada)


async def test_a_foreign_code_cannot_be_taken_back(api: ApiInProcess) -> None:
    ada, eve = await api.owner(), await api.owner()
    made = (await ada.post("/api/owner/links")).json()
    foreign = await eve.delete(f"/api/owner/links/{made['id']}")
    unknown = await eve.delete("/api/owner/links/01932f5a-0000-7000-8000-000000000000")
    assert (foreign.status_code, foreign.content) == (unknown.status_code, unknown.content)
    assert (await eve.get("/api/owner/links")).json() == {"links": []}
    assert (await use(eve, made["code"])).status_code == 200


async def test_guessing_is_stopped_with_a_time_to_wait(api: ApiInProcess) -> None:
    ada, eve = await api.owner(), await api.owner()
    code = await code_of(ada)
    answers = [await use(eve, "AAAA-AAAA") for _ in range(11)]
    assert [refused(answer) for answer in answers] == [CODE_UNKNOWN] * 10 + [(429, "too_many_tries")]
    assert 0 < int(answers[-1].headers["retry-after"]) <= 600
    assert refused(await use(eve, code)) == (429, "too_many_tries")


async def test_another_page_cannot_make_a_browser_somebody_elses(api: ApiInProcess) -> None:
    ada, victim = await api.owner(), await api.owner()
    before = await who(victim)
    body, foreign = {"code": await code_of(ada)}, {"origin": "http://evil.example"}
    assert (await victim.post("/api/owner/link", json=body, headers=foreign)).status_code == 403
    plain = {"content-type": "text/plain"}
    assert (await victim.post("/api/owner/link", content=b"{}", headers=plain)).status_code == 415
    assert await who(victim) == before


def with_names(api: ApiInProcess, **more: object) -> FastAPI:
    settings = api.services.settings.model_copy(update={"trusted_proxies": ("127.0.0.1",), **more})
    api.services.settings = settings
    held = Held()
    held.set(api.services)
    return owner_cookie(settings)(build_api(held, settings))  # ty: ignore[invalid-explicit-return]


async def test_an_owner_with_a_name_is_told_that_no_code_is_needed(api: ApiInProcess) -> None:
    transport = httpx.ASGITransport(app=with_names(api, trusted_user_header="x-user"))
    async with httpx.AsyncClient(transport=transport, base_url="http://app.test") as client:
        named = {"x-user": "grace"}
        answers = [
            await client.post("/api/owner/links", headers=named),
            await client.get("/api/owner/link", headers=named),
            await client.post("/api/owner/link", json={"code": "K7QM-2XHP"}, headers=named),
        ]
        ada = await api.owner()
        code = await code_of(ada)
        unused = await client.post("/api/owner/link", json={"code": code}, headers=named)
    assert {refused(answer) for answer in [*answers, unused]} == {(409, "owner_named")}
    assert "sign in" in answers[0].json()["detail"]


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_behind_https_the_cookie_is_for_https_alone(api: ApiInProcess, scheme: str) -> None:
    ada = await api.owner()
    transport = httpx.ASGITransport(app=with_names(api))
    async with httpx.AsyncClient(transport=transport, base_url="http://app.test") as phone:
        headers = {"x-forwarded-proto": scheme}
        answer = await phone.post("/api/owner/link", json={"code": await code_of(ada)}, headers=headers)
    assert ("; Secure" in answer.headers["set-cookie"]) == (scheme == "https")


async def test_behind_a_proxy_each_address_has_its_own_tries(api: ApiInProcess) -> None:
    ada = await api.owner()
    transport = httpx.ASGITransport(app=with_names(api))
    async with httpx.AsyncClient(transport=transport, base_url="http://app.test") as client:

        async def tries(address: str, code: str = "AAAA-AAAA") -> int:
            headers = {"x-forwarded-for": f"203.0.113.99, {address}"}
            return (await client.post("/api/owner/link", json={"code": code}, headers=headers)).status_code

        assert [await tries("2001:db8::1") for _ in range(10)] == [404] * 10
        assert await tries("2001:db8::2") == 429
        assert await tries("2001:db8:0:1::2", await code_of(ada)) == 200


async def test_whoever_comes_too_late_is_told_where_it_was_decided(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    """Case B072."""
    script = provider.script().say("It ").hold()
    ada = await api.owner()
    sent = await api.send(ada)
    call_id = await api.a_call(sent["task_id"])
    body = {"decision": "deny", "arguments_hash": arguments_hash({"to": "ada@example.com"})}
    headers = {"user-agent": FIREFOX}

    async def decide() -> httpx.Response:
        return await ada.post(f"/api/tool-calls/{call_id}/decision", json=body, headers=headers)

    first, late = await decide(), await decide()

    assert first.json()["tool_calls"][0]["decided_on"] == "Firefox on Android"
    assert (late.json()["code"], late.json()["decided_on"]) == ("already_decided", "Firefox on Android")
    script.release()
    await api.closed(ada, sent["task_id"])
