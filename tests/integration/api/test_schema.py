"""Every call of the OpenAPI document, asked what the document allows and what it does not: nothing breaks,
and every answer is as the document says.

The requests are made by schemathesis from the document alone, the same ones in every run. A stream is
asked of an answer that has ended, so that it ends too; each of its events is compared with the document.
"""

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis import GenerationMode, checks
from schemathesis.config import SchemathesisConfig

from assistant.api import build_api
from assistant.bootstrap import Held
from assistant.settings import Settings
from tests.integration.api.in_process import ApiInProcess, api_in_process
from tests.integration.api.operations import noun_of, operations
from tests.support.llm_server import ScriptedProvider

EXAMPLES = 20
"""Of each call: so many with our ids and with any, of what is allowed and of what is not."""

FEW = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
NOTHING_TO_GET_WRONG = (
    *(
        "GET /api/owner",
        "DELETE /api/owner",
        "GET /api/owner/link",
        "GET /api/owner/links",
        "POST /api/owner/links",
    ),
    *("GET /api/models", "GET /api/tools", "GET /health", "GET /metrics"),
)
"""Calls that have no parameter and no body."""

RULES_IN_WORDS = (
    "POST /api/messages",
    "PATCH /api/requests/{key}",
    "PATCH /api/sessions/{id}",
    "GET /api/sessions",
    "POST /api/sessions/import",
    "POST /api/owner/link",
)
"""Calls that may refuse what the document allows: a model that is not known here, a text of which nothing
can be seen, a time that is none, a code that nobody made."""

OPERATIONS = [operation for operation, _ in operations(build_api(Held(), Settings()))]
CASES = [
    (operation, mode)
    for operation in OPERATIONS
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or operation not in NOTHING_TO_GET_WRONG
]


class OpenOnce:
    """The API as an ASGI application: the services are opened with its first lifespan, in the loop that
    serves it, and stay open over the later ones, for schemathesis begins a lifespan a test."""

    def __init__(self, provider: ScriptedProvider, database_url: str, data_dir: Path) -> None:
        self._where = (provider, database_url, data_dir)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._kept: asyncio.Task[None] | None = None
        self._api: ApiInProcess | None = None
        self._sends: list[dict[str, str]] = []
        self.cookies: dict[str, str] = {}

    def another(self) -> dict[str, str]:
        """The ids of one more send of the owner who asks; its answer has ended."""
        return self._sends.pop()

    def close(self) -> None:
        """Close the services; from the thread of the tests."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            assert self._api is not None
            await self._api.asgi(scope, receive, send)
            return
        await receive()
        if self._kept is None:
            ready = asyncio.Event()
            self._loop, self._kept = asyncio.get_running_loop(), asyncio.create_task(self._keep(ready))
            await asyncio.wait(
                {self._kept, asyncio.ensure_future(ready.wait())}, return_when="FIRST_COMPLETED"
            )
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _keep(self, ready: asyncio.Event) -> None:
        unlimited = dict.fromkeys(("sends_per_minute", "changes_per_minute", "address_changes_per_minute"), 0)
        async with api_in_process(*self._where, **unlimited) as self._api:
            mine = await self._api.owner()
            self.cookies = dict(mine.cookies)
            self._sends = [await self._api.send(mine) for _ in range(2 * len(OPERATIONS))]
            for sent in self._sends:
                await self._api.closed(mine, sent["task_id"])
                sent["call_id"] = await self._api.a_call(sent["task_id"])
            ready.set()
            await asyncio.Event().wait()

    async def _end(self) -> None:
        assert self._kept is not None
        self._kept.cancel()
        await asyncio.wait({self._kept})


@pytest.fixture(scope="module")
def served(new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Generator[OpenOnce]:
    with ScriptedProvider() as provider:
        served = OpenOnce(provider, new_database(), tmp_path_factory.mktemp("data"))
        yield served
        served.close()


@pytest.fixture(scope="module")
def schema(served: OpenOnce) -> Any:
    """The document as the running API serves it."""
    return schemathesis.openapi.from_asgi("/api/openapi.json", served, config=SchemathesisConfig(seed=1))


# The services run in a thread beside: their use of `random` is taken for the strategy's.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.parametrize("ours", [True, False], ids=["our ids", "any ids"])
@pytest.mark.parametrize(("operation", "mode"), CASES)
def test_every_answer_is_as_documented(
    served: OpenOnce, schema: Any, operation: str, mode: GenerationMode, ours: bool
) -> None:
    method, _, path = operation.partition(" ")
    sent = served.another() if ours else {}
    fixed = {"id": sent[noun_of(path)]} if ours else None
    cases = schema[path][method].as_strategy(
        mode, path_parameters=fixed if "{id}" in path else None, cookies=served.cookies
    )
    excluded = [checks.positive_data_acceptance] if operation in RULES_IN_WORDS else []

    @FEW
    @given(case=cases)
    def ask(case: Any) -> None:
        # What looks quoted already is sent as it is, and is another value than the one that was allowed.
        assume(mode is not GenerationMode.POSITIVE or unquote(str(case.path_parameters)).isascii())
        if ours and isinstance(case.body, dict) and "session_id" in case.body:
            case.body["session_id"] = sent["session_id"]
        case.call_and_validate(excluded_checks=excluded)

    ask()
