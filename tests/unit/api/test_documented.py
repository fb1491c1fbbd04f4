"""The OpenAPI document: served with its page, complete, and true about what callers rely on."""

import re
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from assistant.api import build_api
from assistant.api.documented import WITHOUT_OWNER
from assistant.bootstrap import Held
from assistant.settings import Settings
from tests.unit.api.asgi import client


@pytest.fixture
def api(tmp_path: Path) -> FastAPI:
    return build_api(Held(), Settings(data_dir=tmp_path / "never-made"))


@pytest.fixture
def document(api: FastAPI) -> dict[str, Any]:
    return api.openapi()


async def test_the_page_and_its_document_are_served_before_anything_is_open(api: FastAPI) -> None:
    async with client(api) as browser:
        page, document = await browser.get("/api/docs"), await browser.get("/api/openapi.json")

    assert "/api/openapi.json" in page.text
    assert document.json()["openapi"].startswith("3.")


async def test_while_nothing_is_open_the_server_is_not_ready(api: FastAPI) -> None:
    async with client(api) as prober:
        answer = await prober.get("/health")

    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")


def test_building_the_api_opens_nothing_and_makes_no_key(api: FastAPI, tmp_path: Path) -> None:
    assert list(tmp_path.iterdir()) == []


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    named = set(re.findall(r"'#/components/schemas/(\w+)'", str(document)))

    assert named
    assert named <= set(document["components"]["schemas"])


def test_every_operation_says_how_it_refuses_and_who_may_call_it(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for told in operations.values():
            assert set(told["responses"]["4XX"]["content"]) == {"application/problem+json"}
            assert ("security" in told) is (path not in WITHOUT_OWNER)
            assert told["summary"]


def test_a_send_needs_a_key_and_shows_an_example(document: dict[str, Any]) -> None:
    told = document["paths"]["/api/messages"]["post"]

    assert [(each["name"], each["required"]) for each in told["parameters"]] == [("Idempotency-Key", True)]
    assert document["components"]["schemas"]["Draft"]["example"]["text"]


def test_only_the_calls_that_make_somebody_an_owner_may_be_made_without_one(document: dict[str, Any]) -> None:
    optional = [
        path
        for path, operations in document["paths"].items()
        for told in operations.values()
        if {} in told.get("security", [])
    ]

    assert sorted(set(optional)) == ["/api/owner", "/api/owner/link"]


def test_no_parameter_is_said_to_be_null(document: dict[str, Any]) -> None:
    """In a query or a header there is no null: what is not there is absent."""
    schemas = [
        each["schema"]
        for operations in document["paths"].values()
        for told in operations.values()
        for each in told.get("parameters", [])
    ]

    assert len(schemas) > 20
    assert all("null" not in str(schema) for schema in schemas)


def test_a_send_shows_both_of_its_answers(document: dict[str, Any]) -> None:
    answer = document["paths"]["/api/messages"]["post"]["responses"]["202"]["content"]["application/json"]

    assert set(answer["examples"]) == {"sent", "queued"}
    assert "Waiting" in str(answer["schema"])
