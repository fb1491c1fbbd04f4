"""The API over real services in this process, with clients that are owners, and a look into its database."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from assistant import bootstrap
from assistant.api import build_api, owner_cookie
from assistant.bootstrap import Held, Services
from assistant.domain.tool_call import ToolCall, ToolCallState
from assistant.domain.tools import arguments_hash, canonical_json
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider

TABLES = ("session", "message", "task", "idempotency_key")


class ApiInProcess:
    """An API without a server: for whatever is not a stream that goes on."""

    def __init__(self, api: FastAPI, settings: Settings, services: Services, held: Held) -> None:
        self.api = api
        self.services = services
        self.asgi = owner_cookie(settings, held)(api)
        self._file = settings.database_url.partition(":///")[2]
        self._keys = 0

    def stranger(self) -> httpx.AsyncClient:
        """A client without an owner."""
        transport = httpx.ASGITransport(app=self.asgi)
        return httpx.AsyncClient(transport=transport, base_url="http://app.test")

    async def owner(self) -> httpx.AsyncClient:
        """A client that is a new owner."""
        client = self.stranger()
        (await client.get("/api/owner")).raise_for_status()
        return client

    async def send(self, client: httpx.AsyncClient, text: str = "Why?", **more: Any) -> dict[str, str]:
        """Send a message under a new key and return the ids."""
        self._keys += 1
        headers = {"idempotency-key": f"key-{self._keys}"}
        answer = await client.post("/api/messages", json={"text": text, **more}, headers=headers)
        assert answer.status_code == 202, answer.text
        return answer.json()

    async def closed(self, client: httpx.AsyncClient, task_id: str) -> dict[str, Any]:
        """The catch-up read of a task, once it is closed."""

        read: dict[str, Any] = {}

        async def ended() -> bool:
            read.update(await catch_up(client, task_id))
            return read["closed"]

        await eventually(ended)
        return read

    async def a_call(self, task_id: str) -> str:
        """The id of a call that waits for a decision, stored beside those that the task has."""
        clock = self.services.clock
        arguments = {"to": "ada@example.com"}
        async with self.services.store.write() as unit:
            call = ToolCall(
                id=clock.id(),
                task_id=task_id,
                step=1,
                name="send_mail",
                arguments=canonical_json(arguments),
                arguments_hash=arguments_hash(arguments),
                offset=0,
                state=ToolCallState.REQUESTED,
                needs_decision=True,
                version=1,
            )
            await unit.calls.add([call])
        return call.id

    def rows(self) -> dict[str, int]:
        """How many rows the tables hold that a wish could add to."""
        with sqlite3.connect(f"file:{self._file}?mode=ro", uri=True) as database:
            counts = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES}
        database.close()
        return counts


UNTITLED: dict[str, Any] = {"model_titles": False}
"""Else a provider that counts its calls would count those for titles."""


@asynccontextmanager
async def api_in_process(
    provider: ScriptedProvider, database_url: str, data_dir: Path, **more: Any
) -> AsyncGenerator[ApiInProcess]:
    """Open the services and the API over them; `more` are settings."""
    settings = Settings(
        data_dir=data_dir,
        database_url=database_url,
        model_base_url=provider.url,
        model_name="scripted",
        **{**UNTITLED, **more},
    )
    held = Held()
    async with bootstrap.running(settings) as services:
        held.set(services)
        yield ApiInProcess(build_api(held, settings), settings, services, held)


async def catch_up(client: httpx.AsyncClient, task_id: str, **query: int) -> dict[str, Any]:
    """One JSON read of a task's text."""
    answer = await client.get(
        f"/api/tasks/{task_id}/stream", params=query, headers={"accept": "application/json"}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()
