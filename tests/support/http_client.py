"""A client of the API as one owner: the few calls that tests over HTTP make.

async with ApiClient(app.url) as ada:
    sent = await ada.send("Hello?")
    await ada.ended(sent["task_id"])
"""

import uuid
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import httpx

from tests.support.eventually import eventually
from tests.support.http_reader import HttpReader

JSON = {"accept": "application/json"}

Answer = dict[str, Any]


class ApiClient:
    """One owner's HTTP client. `http` is the bare httpx client with the owner's cookie."""

    def __init__(self, url: str, *, cookies: httpx.Cookies | None = None) -> None:
        self.http = httpx.AsyncClient(
            base_url=url, cookies=cookies, timeout=15, limits=httpx.Limits(max_connections=None)
        )

    def elsewhere(self, url: str) -> "ApiClient":
        """The same owner at another address."""
        return ApiClient(url, cookies=self.http.cookies)

    async def post(
        self, text: str, *, key: str | None = None, session_id: str | None = None
    ) -> httpx.Response:
        """POST a message, whatever comes of it."""
        body = {"text": text} if session_id is None else {"text": text, "session_id": session_id}
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        return await self.http.post("/api/messages", json=body, headers=headers)

    async def send(self, text: str, *, key: str | None = None, session_id: str | None = None) -> Answer:
        """Send a message that is accepted: the ids that it made."""
        response = await self.post(text, key=key, session_id=session_id)
        assert response.status_code == 202, response.text
        return response.json()

    async def ask(self, task_id: str, what: str) -> Answer:
        """Stop, retry or continue a task, where that is accepted."""
        response = await self.http.post(f"/api/tasks/{task_id}/{what}")
        assert response.status_code in (200, 202), response.text
        return response.json()

    async def decide(
        self, call: Answer, decision: str = "approve", *, key: str | None = None, **instead: Any
    ) -> httpx.Response:
        """Decide about a call as it was read, whatever comes of it."""
        body = {"decision": decision, "arguments_hash": call["arguments_hash"], **instead}
        headers = {} if key is None else {"Idempotency-Key": key}
        return await self.http.post(f"/api/tool-calls/{call['id']}/decision", json=body, headers=headers)

    async def parked(self, task_id: str, within: float = 10.0) -> Answer:
        """The task, once it waits for a person."""
        return await self.becomes(task_id, lambda task: task["state"] == "awaiting_confirm", within)

    async def task(self, task_id: str) -> Answer:
        """The task as it stands."""
        response = await self.http.get(f"/api/tasks/{task_id}")
        assert response.status_code == 200, response.text
        return response.json()

    async def read(self, task_id: str) -> Answer:
        """One catch-up read from the beginning."""
        response = await self.http.get(f"/api/tasks/{task_id}/stream", headers=JSON)
        assert response.status_code == 200, response.text
        return response.json()

    async def messages(self, session_id: str) -> list[Answer]:
        """The messages of the session's chosen branch, oldest first."""
        response = await self.http.get(f"/api/sessions/{session_id}")
        assert response.status_code == 200, response.text
        return response.json()["messages"]

    async def becomes(self, task_id: str, holds: Callable[[Answer], bool], within: float = 5.0) -> Answer:
        """The task, once `holds` says so of it; a server that is away is asked again."""

        latest: list[Answer] = []

        async def check() -> bool:
            try:
                latest.append(await self.task(task_id))
            except httpx.TransportError:
                return False
            assert holds(latest[-1]), latest[-1]
            return True

        await eventually(check, within)
        return latest[-1]

    async def ended(self, task_id: str, within: float = 10.0) -> Answer:
        """The task in its terminal state."""
        return await self.becomes(task_id, lambda task: task["finished_at"] is not None, within)

    async def stored(self, task_id: str, offset: int, within: float = 5.0) -> Answer:
        """The task, once its row holds so many code points: a kill loses nothing of them."""
        return await self.becomes(task_id, lambda task: task["offset"] == offset, within)

    def reader(self, task_id: str) -> HttpReader:
        """A reader of a task that shows nothing yet."""
        return HttpReader(self.http, task_id)

    async def __aenter__(self) -> Self:
        await eventually(self._introduced)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()

    async def _introduced(self) -> bool:
        """True once the server, which may be about to listen, has given this owner its cookie."""
        try:
            response = await self.http.get("/api/owner")
        except httpx.ConnectError:
            return False
        assert response.status_code == 200, response.text
        return True
