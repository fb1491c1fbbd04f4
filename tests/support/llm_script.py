"""What the scripted provider does in one call: chunks, gates, failures, and how its bytes are cut.

    script = provider.script().say("Hel", "lo").hold().say(" world")
    await script.held()      # "Hello" is sent, the stream stands at the gate
    script.release()         # " world" follows, then finish_reason "stop" and [DONE]

    provider.script().say("Let me see. ").call("current_time")          # a step that asks for one call
    provider.script().call_pieces(opening("send_mail"), {"index": 0, "function": {"arguments": "{}"}})

A script that is not ended by `finish`, `end_early`, `break_off` or `fail` finishes with `tool_calls` when
it asks for calls, else with `stop`.
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from tests.support.eventually import eventually, eventually_sync


class Wire(Protocol):
    """The one HTTP answer that a script is played into."""

    async def open(self) -> None:
        """Send status 200 and the headers, once."""
        ...

    async def event(self, lines: str) -> None:
        """Send one SSE block, given with LF line ends."""
        ...

    async def body(self, raw: bytes) -> None:
        """Send bytes of the body as they are."""
        ...

    async def said(self, text: str) -> None:
        """Note that this text of the answer was sent."""
        ...

    async def flush(self) -> None:
        """Send what a cut position is still holding back."""
        ...

    async def end(self) -> None:
        """End the body properly."""
        ...

    async def refuse(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Send a whole answer that is no stream."""
        ...

    def cut(self) -> None:
        """Cut the connection."""
        ...


Step = Callable[[Wire], Awaitable[None]]


class Script:
    """The steps of one call, in order; every method returns the script, so that they chain."""

    def __init__(self) -> None:
        self.line_end = "\n"
        self.cuts: tuple[int, ...] | None = None
        self.streamed = True
        self.text = ""
        """All that `say` says, joined: the truth that a reader is compared with."""
        self.holds_reached = 0
        self._reasoning = ""
        self._calls: list[dict[str, Any]] = []
        self._steps: list[Step] = []
        self._ended = False
        self._gate = _Gate()

    def say(self, *chunks: str) -> "Script":
        """Send each chunk as one text delta; a lone surrogate goes out as its JSON escape."""
        for chunk in chunks:
            self.text += chunk
            self._steps.append(_delta({"content": chunk}, said=chunk))
        return self

    def reason(self, *chunks: str, field: str = "reasoning_content") -> "Script":
        """Send each chunk as one reasoning delta; some servers call the field `reasoning`."""
        for chunk in chunks:
            self._reasoning += chunk
            self._steps.append(_delta({field: chunk}, said=""))
        return self

    def call(
        self, name: str, arguments: Mapping[str, object] | str = "{}", id_: str | None = None
    ) -> "Script":
        """Ask for a call, whole in one piece, at the next index; a string is sent as it is."""
        number = len(self._calls)
        return self.call_pieces(opening(name, _json(arguments), id_ or f"call_{number}", number))

    def calls(self, *asked: tuple[str, Mapping[str, object]]) -> "Script":
        """Ask for several calls in one piece."""
        first = len(self._calls)
        pieces = [
            opening(name, _json(arguments), f"call_{number}", number)
            for number, (name, arguments) in enumerate(asked, first)
        ]
        self._calls += pieces
        return self._add(_delta({"tool_calls": pieces}, said=""))

    def call_pieces(self, *pieces: dict[str, Any]) -> "Script":
        """Send each piece of a call, of whatever shape, as one delta."""
        for piece in pieces:
            self._calls.append(piece)
            self._steps.append(_delta({"tool_calls": [piece]}, said=""))
        return self

    def hold(self) -> "Script":
        """Stand here, headers sent, until `release`."""

        async def step(wire: Wire) -> None:
            await wire.open()
            await wire.flush()
            await self._wait()

        return self._add(step)

    def hang_before_first(self) -> "Script":
        """Answer nothing at all, not even headers, until `release`."""

        async def step(_: Wire) -> None:
            await self._wait()

        return self._add(step)

    def pause(self, seconds: float) -> "Script":
        """Let time pass: for a readable pace by hand and for the bench, not for tests."""

        async def step(wire: Wire) -> None:
            await wire.flush()
            await asyncio.sleep(seconds)

        return self._add(step)

    def comment(self, text: str = "keep-alive") -> "Script":
        """Send an SSE comment, as proxies and servers do to keep a line open."""
        return self._add(lambda wire: wire.event(f": {text}\n\n"))

    def send(self, payload: object) -> "Script":
        """Send any JSON as one SSE event: an unusual chunk, or an error in mid-stream."""
        return self._add(lambda wire: wire.event(_block(payload)))

    def raw(self, body: bytes) -> "Script":
        """Send bytes of the body as they are."""
        return self._add(lambda wire: wire.body(body))

    def garbage(self) -> "Script":
        """Send an event whose data is broken JSON."""
        return self._add(lambda wire: wire.event('data: {"choices": [{"delta": {"content": \n\n'))

    def finish(
        self, reason: str | None = "stop", usage: dict[str, int] | None = None, *, done: bool = True
    ) -> "Script":
        """End well: finish_reason (none when None), usage in a last chunk without choices, [DONE]."""
        if reason is not None:
            self._add(lambda wire: wire.event(_block(_chunk({}, reason))))
        if usage is not None:
            self._add(lambda wire: wire.event(_block({**_chunk({}, None), "choices": [], "usage": usage})))
        if done:
            self._add(lambda wire: wire.event("data: [DONE]\n\n"))
        return self._end(lambda wire: wire.end())

    def end_early(self) -> "Script":
        """End the body properly, without finish_reason and without [DONE]."""
        return self._end(lambda wire: wire.end())

    def break_off(self) -> "Script":
        """Cut the connection here; as the first step, before any header."""

        async def step(wire: Wire) -> None:
            await wire.flush()
            wire.cut()

        return self._end(step)

    def fail(self, status: int, body: object = None, headers: dict[str, str] | None = None) -> "Script":
        """Answer with an HTTP error; the body is JSON unless it is a string. First step only."""
        told = {"error": {"message": f"scripted {status}"}} if body is None else body
        raw = told if isinstance(told, str) else json.dumps(told)
        return self._end(lambda wire: wire.refuse(status, raw.encode(), headers or {}))

    def with_crlf(self) -> "Script":
        """End every SSE line with CR LF."""
        self.line_end = "\r\n"
        return self

    def cut_at(self, *positions: int) -> "Script":
        """Send the SSE body in one piece but for cuts at these byte positions, gates and the end."""
        self.cuts = tuple(sorted(positions))
        return self

    def unstreamed(self) -> "Script":
        """Answer with one whole JSON document although a stream was asked for."""
        self.streamed = False
        return self

    def release(self, times: int = 1) -> None:
        """Open the gate at which the stream stands, or the next one that it reaches."""
        self._gate.open(times)

    async def held(self, count: int = 1, within: float = 5.0) -> None:
        """Wait until the stream has reached its `count`-th gate: all before it is sent."""
        await eventually(lambda: self.holds_reached >= count, within)

    def held_sync(self, count: int = 1, within: float = 5.0) -> None:
        """`held` for a test without an event loop."""
        eventually_sync(lambda: self.holds_reached >= count, within)

    async def play(self, wire: Wire) -> None:
        """Carry out the steps; the server's side of the script."""
        if not self._ended:
            self.finish("tool_calls" if self._calls else "stop")
        if not self.streamed:
            await wire.refuse(200, json.dumps(self._document()).encode(), {})
            return
        for step in tuple(self._steps):
            await step(wire)

    async def _wait(self) -> None:
        self.holds_reached += 1
        await self._gate.passed()

    def _add(self, step: Step) -> "Script":
        self._steps.append(step)
        return self

    def _end(self, step: Step) -> "Script":
        self._ended = True
        return self._add(step)

    def _document(self) -> dict[str, Any]:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": self.text,
            "reasoning_content": self._reasoning,
        }
        if self._calls:
            message["tool_calls"] = self._calls
        reason = "tool_calls" if self._calls else "stop"
        return {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        }


def opening(name: str, arguments: str = "", id_: str = "call_0", index: int = 0) -> dict[str, Any]:
    """The first piece of a call as OpenAI sends it; the pieces after it have index and arguments alone."""
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": id_, "type": "function", "function": function}


def _json(arguments: Mapping[str, object] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _chunk(delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


def _block(payload: object) -> str:
    text = json.dumps(payload, ensure_ascii=False)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        text = json.dumps(payload)
    return f"data: {text}\n\n"


def _delta(delta: dict[str, Any], *, said: str) -> Step:
    async def step(wire: Wire) -> None:
        await wire.event(_block(_chunk(delta, None)))
        await wire.said(said)

    return step


class _Gate:
    """A counting gate: opened from any thread, waited for in the server's loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._permits = 0
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    def open(self, times: int) -> None:
        with self._lock:
            self._permits += times
            if self._waiting is not None:
                loop, event = self._waiting
                loop.call_soon_threadsafe(event.set)

    async def passed(self) -> None:
        while True:
            with self._lock:
                if self._permits > 0:
                    self._permits -= 1
                    self._waiting = None
                    return
                event = asyncio.Event()
                self._waiting = (asyncio.get_running_loop(), event)
            await event.wait()
