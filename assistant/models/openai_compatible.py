"""A provider behind any server that speaks the OpenAI chat shape, over httpx and httpx-sse.

    request ──▶ tries before the first token ──▶ one stream ──▶ Delta ... Delta, Finished
                (at most 3, with backoff)         (never tried again)

A connection that fails, a 429 or a 5xx is tried again while nothing of an answer has come. From the
first byte of a good answer on nothing is tried again: the user decides (Case B114).
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx
import httpx_sse

from assistant.domain.errors import ProviderFailed
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.models.failures import broken_line, failure, knows_no_tools, late, refusal, reported
from assistant.models.openai_events import Reading
from assistant.models.openai_request import chat_body

TRIES = 3
BACKOFF_SECONDS = 0.5
LONGEST_RETRY_AFTER_SECONDS = 10.0
ERROR_BODY_BYTES = 64 * 1024
ERROR_BODY_SECONDS = 5.0
DRAIN_SECONDS = 0.05
"""How long the end of the body is waited for after the end mark, so that the connection is kept."""

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Deadlines in seconds; each but the last ends the step as timed out."""

    connect: float = 10
    first_token: float = 600
    """From the request to the first delta, all tries included."""
    between_tokens: float = 600
    """A piece of a call counts as one; comments and empty chunks do not."""
    after_finish: float = 2
    """How long usage and the end mark are waited for once the answer is whole."""


DEFAULT_TIMEOUTS = Timeouts()


class OpenAICompatible:
    """One endpoint and its connections, shared by all steps; end it with `aclose`.

    The first of `models` answers when the request names none of them; without any, the endpoint chooses.
    `sleep` and `jitter` (0 to 1) are there for tests.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str = "",
        models: Sequence[str] = (),
        continues_prefix: bool = False,
        context_tokens: int | None = None,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.continues_prefix = continues_prefix
        self.context_tokens = context_tokens
        self._models = tuple(models)
        self._key = key.strip()
        self._timeouts = timeouts
        self._sleep = sleep
        self._jitter = jitter
        self._asks_usage = True
        self._url = base_url.rstrip("/") + "/chat/completions"
        headers = {b"Authorization": b"Bearer " + self._key.encode()} if self._key else {}
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=timeouts.connect, write=timeouts.connect),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        """The step's deltas, then Finished; raises ProviderFailed with words for the user.

        Closing the generator, or cancelling its reader, closes the connection at once.
        """
        deadline = _now() + self._timeouts.first_token
        response = await self._before(deadline, self._begin(request))
        try:
            reading = Reading(self._key, offers_tools=bool(request.tools))
            async with aclosing(self._deltas(response, reading, deadline)) as deltas:
                async for delta in deltas:
                    yield delta
            yield reading.finished()
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _begin(self, request: ModelRequest) -> httpx.Response:
        """A response with status 200 whose body is not read yet, within the tries that are allowed."""
        tried = 0
        while True:
            tried += 1
            failed, wait = await self._refused_or(request)
            if isinstance(failed, httpx.Response):
                return failed
            if tried == TRIES or wait is None:
                raise failed
            backoff = BACKOFF_SECONDS * 2 ** (tried - 1) * (0.5 + self._jitter() / 2)
            await self._sleep(max(wait, backoff))

    async def _refused_or(
        self, request: ModelRequest
    ) -> tuple[httpx.Response | ProviderFailed, float | None]:
        """One try: the response, or how it failed and how long at least to wait (None: do not retry)."""
        try:
            response = await self._send(request)
        except httpx.ConnectTimeout:
            return late("connection", self._timeouts.connect), None
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            return broken_line(error, answering=False), None
        except httpx.TransportError as error:
            return broken_line(error, answering=False), 0
        if response.status_code == httpx.codes.OK:
            return response, None
        body = await _error_body(response)
        if self._asks_usage and response.status_code in (400, 422) and b"stream_options" in body:
            self._asks_usage = False
            return await self._refused_or(request)
        if request.tools and not request.steps and knows_no_tools(response.status_code, body):
            _log.warning("the model takes no tools and is asked without them: %s", request.model or "default")
            return await self._refused_or(replace(request, tools=()))
        failed = refusal(response.status_code, body, key=self._key)
        return failed, _wait_before_retry(response, failed)

    async def _send(self, request: ModelRequest) -> httpx.Response:
        body = chat_body(
            request,
            model=self._named(request.model),
            continues_prefix=self.continues_prefix,
            asks_usage=self._asks_usage,
        )
        sending = self._client.build_request(
            "POST", self._url, json=body, headers={"Accept": "text/event-stream"}
        )
        return await self._client.send(sending, stream=True)

    def _named(self, wanted: str | None) -> str:
        if wanted is not None and wanted in self._models:
            return wanted
        return self._models[0] if self._models else ""

    async def _deltas(
        self, response: httpx.Response, reading: Reading, deadline: float
    ) -> AsyncGenerator[Delta]:
        content_type = response.headers.get("content-type", "")
        if "json" in content_type:
            for delta in reading.take_whole(await self._before(deadline, _whole(response))):
                yield delta
            return
        if "text/event-stream" not in content_type:
            raise failure("model_not_found", f"an answer of type {content_type or 'unknown'}")
        # SSE is UTF-8 whatever the header says; one decoder for the whole body (Case B031).
        response.encoding = "utf-8"
        began = ending = False
        async with aclosing(httpx_sse.EventSource(response).aiter_sse()) as events:
            while (event := await self._next(events, reading, deadline, began)) is not None:
                if event.event == "error":
                    raise reported(event.data, key=self._key)
                if reading.done:
                    continue  # to the end of the body, so that the connection serves the next step
                for delta in reading.take(event.data):
                    yield delta
                began = began or reading.fresh
                if reading.done:
                    deadline = _now() + DRAIN_SECONDS
                elif not reading.complete:
                    ending = False
                    if reading.fresh:
                        deadline = _now() + self._timeouts.between_tokens
                elif not ending:
                    ending = True
                    deadline = _now() + self._timeouts.after_finish

    async def _next(
        self,
        events: AsyncGenerator[httpx_sse.ServerSentEvent],
        reading: Reading,
        deadline: float,
        began: bool,
    ) -> httpx_sse.ServerSentEvent | None:
        """The next event; None at the end, and wherever the line stops after a complete answer."""
        try:
            async with asyncio.timeout_at(deadline):
                return await anext(events, None)
        except TimeoutError:
            if reading.complete or reading.done:
                return None
            raise self._silence(began) from None
        except httpx.HTTPError as error:
            if reading.complete or reading.done:
                return None
            raise broken_line(error, answering=True) from error

    async def _before(self, deadline: float, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout_at(deadline):
                return await work
        except TimeoutError:
            raise self._silence(began=False) from None

    def _silence(self, began: bool) -> ProviderFailed:
        if began:
            return late("further text", self._timeouts.between_tokens)
        return late("first word", self._timeouts.first_token)


async def _whole(response: httpx.Response) -> bytes:
    try:
        return await response.aread()
    except httpx.HTTPError as error:
        raise broken_line(error, answering=True) from error


async def _error_body(response: httpx.Response) -> bytes:
    """As much of an error's body as comes without trouble; the connection is closed."""
    body = b""
    try:
        with suppress(httpx.HTTPError, TimeoutError):
            async with asyncio.timeout(ERROR_BODY_SECONDS):
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > ERROR_BODY_BYTES:
                        break
    finally:
        await response.aclose()
    return body


def _wait_before_retry(response: httpx.Response, failed: ProviderFailed) -> float | None:
    """Seconds to wait at least, or None when trying again is of no use or was put off for too long."""
    if failed.code not in ("model_rate_limited", "model_unavailable"):
        return None
    wait = _retry_after(response.headers.get("retry-after", ""))
    return wait if wait <= LONGEST_RETRY_AFTER_SECONDS else None


def _retry_after(told: str) -> float:
    """Seconds, as a number or as an HTTP date (RFC 9110, 10.2.3); 0 when there is none."""
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _now() -> float:
    return asyncio.get_running_loop().time()
