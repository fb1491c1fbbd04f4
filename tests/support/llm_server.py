"""A small OpenAI-shaped provider on loopback that does what its scripts say, and remembers every call.

    async with ScriptedProvider() as provider:        # `with` in a test without an event loop
        provider.say("Hello ", "world")               # the next call: these chunks, then a good end
        script = provider.script().say("a").hold()    # the call after it, with a gate
        ...                                           # the product talks to provider.url
        call = await provider.called(1)               # what it was asked: call.body, call.headers
        await provider.disconnected(2)                # the far side closed call 2 in mid-answer

It runs in a thread of its own with its own event loop, so every method may be called from anywhere.
Each call takes the next script; when none is left, `otherwise` answers. By hand:
`python -m tests.support.llm_server --port 9000`.
"""

import argparse
import asyncio
import contextlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.support.eventually import eventually, eventually_sync
from tests.support.llm_script import Script
from tests.support.llm_wire import Answer, Request, read_request

HOST = "127.0.0.1"


@dataclass
class Call:
    """One request for an answer. Times are `time.monotonic()`, which all processes share."""

    number: int
    body: dict[str, Any]
    headers: dict[str, str]
    at: float
    script: Script | None = None
    status: int | None = None
    sent: str = ""
    """The text deltas that were sent so far, joined."""
    first_sent_at: float | None = None
    disconnected_at: float | None = None
    """When the far side closed the connection before the script's end."""
    ended: bool = False
    """The script was played to its end."""

    @property
    def question(self) -> str:
        """The last thing that the user says in the request."""
        users = [turn for turn in self.body.get("messages", []) if turn.get("role") == "user"]
        return str(users[-1]["content"]) if users else ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What the model was told, in order."""
        return list(self.body.get("messages", []))

    @property
    def offered(self) -> list[str]:
        """The names of the tools that the model was offered."""
        return [str(tool["function"]["name"]) for tool in self.body.get("tools", [])]

    @property
    def results(self) -> dict[str, str]:
        """The results that the model was told, by call id; an id that was told twice is an error."""
        told = [turn for turn in self.messages if turn["role"] == "tool"]
        by_id = {str(turn["tool_call_id"]): str(turn["content"]) for turn in told}
        assert len(by_id) == len(told), "a call has two results"
        return by_id


@dataclass
class ScriptedProvider:
    """The server, its scripts and its memory. `key`: refuse calls without this bearer key.

    `refused_fields`: answer 400, naming the field, to a body that has one of them.
    """

    port: int = 0
    key: str | None = None
    refused_fields: set[str] = field(default_factory=set)
    otherwise: Callable[[Call], Script] = field(default=lambda call: default_script(call))
    models: tuple[str, ...] = ("scripted",)
    calls: list[Call] = field(default_factory=list)
    connections: int = 0
    """How many connections were accepted so far."""

    def __post_init__(self) -> None:
        self._scripts: deque[Script] = deque()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._error: BaseException | None = None
        self._open: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The base URL to configure, `/v1` included."""
        return f"http://{HOST}:{self.port}/v1"

    def script(self, script: Script | None = None) -> Script:
        """Queue a script for the next call that has none yet, and return it to be filled."""
        queued = script or Script()
        self._scripts.append(queued)
        return queued

    def say(self, *chunks: str) -> Script:
        """Queue a call that says these chunks and ends well."""
        return self.script().say(*chunks)

    def fail(self, status: int, body: object = None, headers: dict[str, str] | None = None) -> Script:
        """Queue a call that answers with an HTTP error."""
        return self.script().fail(status, body, headers)

    async def called(self, number: int = 1, within: float = 5.0) -> Call:
        """Wait for the `number`-th call (from 1) and return it."""
        await eventually(lambda: len(self.calls) >= number, within)
        return self.calls[number - 1]

    def called_sync(self, number: int = 1, within: float = 5.0) -> Call:
        """`called` for a test without an event loop."""
        eventually_sync(lambda: len(self.calls) >= number, within)
        return self.calls[number - 1]

    async def disconnected(self, number: int = 1, within: float = 5.0) -> Call:
        """Wait until the far side closed the `number`-th call before its end."""
        await eventually(lambda: self._left(number), within)
        return self.calls[number - 1]

    def disconnected_sync(self, number: int = 1, within: float = 5.0) -> Call:
        """`disconnected` for a test without an event loop."""
        eventually_sync(lambda: self._left(number), within)
        return self.calls[number - 1]

    def release(self, number: int | None = None, times: int = 1) -> None:
        """Open a gate of the `number`-th call, or of the latest one."""
        script = self.calls[-1 if number is None else number - 1].script
        assert script is not None, "the call was refused before it took a script"
        script.release(times)

    def refuse(self) -> None:
        """Cut every connection, and answer 400 to all that comes: what the app still runs ends soon."""
        self._scripts.clear()
        self.otherwise = lambda _call: Script().fail(400, {"error": {"message": "the test is over"}})
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._cut)

    def start(self) -> None:
        """Listen; a port of 0 becomes a free one and is kept over a stop and a new start."""
        self._ready.clear()
        self._thread = threading.Thread(target=self._run, name="scripted-provider", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Cut every connection and stop listening."""
        if self._loop is not None and self._closing is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join()
            self._thread = self._loop = self._closing = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)

    def _left(self, number: int) -> bool:
        return len(self.calls) >= number and self.calls[number - 1].disconnected_at is not None

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._open.add(task)
            self.connections += 1
            try:
                await self._converse(reader, writer)
            except (ConnectionError, asyncio.CancelledError):
                pass
            finally:
                self._open.discard(task)
                writer.transport.abort()

        try:
            server = await asyncio.start_server(connected, HOST, self.port, limit=1 << 20)
        except OSError as refusal:
            self._error = refusal
            self._ready.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._closing.wait()
        server.close()
        self._cut()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _cut(self) -> None:
        for task in tuple(self._open):
            task.cancel()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after the other."""
        ahead = b""
        while request := await read_request(reader, ahead):
            ahead = await self._answer(request, reader, writer)

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes:
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            await self._answer_apart(request, Answer(writer, Script()))
            return b""
        call = Call(len(self.calls) + 1, request.body, request.headers, time.monotonic())
        script = self._refusal(call)
        if script is None:
            script = self._scripts.popleft() if self._scripts else self.otherwise(call)
            call.script = script
        self.calls.append(call)
        answer = _Recorded(writer, script, call)
        playing = asyncio.ensure_future(script.play(answer))
        watching = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({playing, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done() and not watching.result():
                call.disconnected_at = time.monotonic()
                raise ConnectionResetError
            await playing
            call.ended = True
            return watching.result() if watching.done() else b""
        except ConnectionError:
            call.disconnected_at = call.disconnected_at or time.monotonic()
            raise
        except asyncio.CancelledError:
            if not answer.opened:
                # Else the app would try again, and take the script of whoever listens here next.
                await answer.refuse(400, b'{"error": {"message": "the test is over"}}', {})
            raise
        finally:
            for task in (playing, watching):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                    await task

    async def _answer_apart(self, request: Request, answer: Answer) -> None:
        if (request.method, request.path) == ("GET", "/v1/models"):
            listed = [{"id": name, "object": "model"} for name in self.models]
            await answer.refuse(200, json.dumps({"object": "list", "data": listed}).encode(), {})
        else:
            await answer.refuse(404, b'{"error": {"message": "no such path"}}', {})

    def _refusal(self, call: Call) -> Script | None:
        if self.key is not None and call.headers.get("authorization") != f"Bearer {self.key}":
            return Script().fail(401, {"error": {"message": "Incorrect API key provided"}})
        for name in sorted(self.refused_fields & call.body.keys()):
            return Script().fail(400, {"error": {"message": f"Unrecognized request argument: {name}"}})
        return None


class _Recorded(Answer):
    """An answer that notes in its call what was sent."""

    def __init__(self, writer: asyncio.StreamWriter, script: Script, call: Call) -> None:
        super().__init__(writer, script)
        self.call = call

    async def said(self, text: str) -> None:
        self.call.sent += text
        if text and self.call.first_sent_at is None:
            self.call.first_sent_at = time.monotonic()

    async def head(self, status: int, raw: bytes) -> None:
        self.call.status = status
        await super().head(status, raw)


def default_script(call: Call, pace: float = 0) -> Script:
    """An answer that repeats the question, in a few chunks `pace` seconds apart."""
    script = Script()
    for chunk in re.findall(
        r"\S+\s*", f"You said: {call.question}\n\nThis is the scripted provider. 你好 👩‍👩‍👧"
    ):
        if pace:
            script.pause(pace)
        script.say(chunk)
    return script.finish(usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3})


def main() -> None:
    """Serve the default script until interrupted."""
    parser = argparse.ArgumentParser(description="An OpenAI-shaped provider for trying things by hand.")
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--pace", type=float, default=0.1, help="seconds between two chunks")
    chosen = parser.parse_args()
    with ScriptedProvider(
        port=chosen.port, otherwise=lambda call: default_script(call, chosen.pace)
    ) as provider:
        print(f"ASSISTANT_MODEL_BASE_URL={provider.url} ASSISTANT_MODEL_NAME=scripted", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
