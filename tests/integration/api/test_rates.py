"""Too much in a short time is refused with the seconds to wait, and a refusal has stored nothing."""

from collections.abc import Callable
from pathlib import Path

from tests.integration.api.in_process import api_in_process
from tests.support.llm_server import ScriptedProvider


async def test_a_send_too_many_is_refused_and_leaves_its_key_free(
    provider: ScriptedProvider, new_database: Callable[[], str], tmp_path: Path
) -> None:
    async with api_in_process(provider, new_database(), tmp_path, sends_per_minute=1) as api:
        client = await api.owner()
        first = await client.post("/api/messages", json={"text": "One"}, headers={"idempotency-key": "first"})
        before = api.rows()

        refused = await client.post(
            "/api/messages", json={"text": "Two"}, headers={"idempotency-key": "second"}
        )

        assert (first.status_code, refused.status_code) == (202, 429)
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["code"] == "rate_limited"
        assert 1 <= int(refused.headers["retry-after"]) == refused.json()["retry_after"] <= 60
        assert api.rows() == before
        assert (await client.get("/api/requests/second")).status_code == 404


async def test_other_changes_have_a_limit_of_their_own_and_reading_has_none(
    provider: ScriptedProvider, new_database: Callable[[], str], tmp_path: Path
) -> None:
    async with api_in_process(provider, new_database(), tmp_path, changes_per_minute=1) as api:
        client = await api.owner()
        sent = await api.send(client)
        session = f"/api/sessions/{sent['session_id']}"

        answers = [(await client.patch(session, json={"title": "A"})).status_code for _ in range(2)]
        read = {(await client.get(session)).status_code for _ in range(50)}

        assert answers == [200, 429]
        assert read == {200}


async def test_an_address_is_limited_whoever_asks(
    provider: ScriptedProvider, new_database: Callable[[], str], tmp_path: Path
) -> None:
    async with api_in_process(provider, new_database(), tmp_path, address_changes_per_minute=2) as api:
        statuses = [(await (await api.owner()).delete("/api/requests/a")).status_code for _ in range(3)]

        assert statuses == [200, 200, 429]


async def test_new_owners_of_an_address_are_limited_and_known_ones_are_not(
    provider: ScriptedProvider, new_database: Callable[[], str], tmp_path: Path
) -> None:
    async with api_in_process(provider, new_database(), tmp_path, owners_per_minute=1) as api:
        known = await api.owner()

        refused = await api.stranger().get("/api/owner")

        assert refused.status_code == 429
        assert "set-cookie" not in refused.headers
        assert (await known.get("/api/owner")).status_code == 200
