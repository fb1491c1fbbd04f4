"""One tab of a browser, without the browser: its events go to the real states, what comes back is kept.

async with tabs() as server:
    tab = Tab(server, cookie, "/?sid=...")
    await tab.connect()                      # until the restore has said that it is done
    await tab.calls(state, handler, {...})   # until the handler, and what it chained, is done
    tab.told()                               # all that the browser was sent
"""

import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import reflex as rx
from reflex.state import UpdateVarsInternalState
from reflex.utils.format import json_dumps
from reflex_base.event import Event
from reflex_base.event.processor import BaseStateEventProcessor
from reflex_base.registry import RegistrationContext
from reflex_base.utils.format import format_event_handler, format_query_params

from assistant.ui.states import follow
from tests.integration.api.walk_mounted import named, state_classes, the_app
from tests.support.eventually import eventually

BEAT_SECONDS = 0.01
"""A follow that has nothing to say says that it lives."""

CHAIN = 5
"""No handler chains more handlers, one after the other."""

_NOTHING_TOLD = (
    *("beat", "steps", "restored_on", "unknown_on", "rx_router_session", "rx_router_headers"),
    "fingerprint",
)
"""Vars that differ from tab to tab whatever is asked: counters, times, the tab's own names; and what only
says whether the values beside it were sent before."""

_UPDATE = "update_vars_internal"
_numbers = itertools.count(1)


@dataclass
class Browser:
    """What one tab was sent, as the text that would go over the socket: values may change afterwards."""

    sent: list[str] = field(default_factory=list)
    beats: int = 0
    ready: bool = False
    known: bool = True

    def take(self, state: str, name: str, value: Any) -> None:
        self.beats += name == "beat"
        self.ready = bool(value) if name == "ready" else self.ready
        self.known = not value if name == "unknown_on" else self.known
        if name not in _NOTHING_TOLD:
            self.sent.append(f"{state.rpartition('.')[2]}.{name} = {json_dumps(value)}")


class Server:
    """Where tabs send their events, and where the states send theirs: to every tab by its token."""

    def __init__(self, processor: BaseStateEventProcessor) -> None:
        self.processor = processor
        self.browsers: dict[str, Browser] = {}

    async def emit_update(self, update: Any, token: str) -> None:
        browser = self.browsers[token]
        for state, values in (update.delta or {}).items():
            for name, value in values.items():
                browser.take(state, name.removesuffix("_rx_state_"), value)
        browser.sent += [f"{event.name}({json_dumps(event.payload)})" for event in update.events or ()]


class Tab:
    """A tab at an address of the page, in a browser that has this owner's cookie, or none."""

    def __init__(self, server: Server, cookie: str, address: str = "/", *, token: str = "") -> None:
        self.token = token or f"tab-{next(_numbers)}"
        self.address = address
        self._server, self._cookie = server, cookie
        self._browser = server.browsers[self.token] = Browser()

    async def connect(self, storage: dict[str, Any] | None = None) -> None:
        """Hydrate and load, as each connection does, with what the browser says that it has stored."""
        payload = {"vars": storage or {}}
        await self._have_done(Event(name=_name(rx.State, "hydrate_and_load"), payload=payload))
        await self.restored()

    async def calls(self, state: type[rx.State], handler: str, payload: dict[str, Any]) -> None:
        """Have a handler called, as any script on any page of the browser may."""
        await self._have_done(Event(name=_name(state, handler), payload=payload))

    async def restored(self) -> None:
        """Wait until the page says on what it stands, or that the browser is not known."""
        await eventually(lambda: self._browser.ready or not self._browser.known)

    async def beats(self) -> None:
        """Wait until the follow went round twice more: whatever it had to tell, it has told."""
        before = self._browser.beats
        await eventually(lambda: self._browser.beats >= before + 2 or not self._browser.known)

    async def hears(self, words: str) -> None:
        """Wait until the browser was sent these words."""
        await eventually(lambda: words in "".join(self.told()))

    def leave(self) -> None:
        """Close the tab: its follow ends."""
        self._server.processor._on_disconnect(self.token)

    def told(self) -> list[str]:
        """All that the browser was sent, in order."""
        return list(self._browser.sent)

    async def _have_done(self, event: Event) -> None:
        """Until the handler is done, and what it chained: a tab's events are done one after the other."""
        await self._sends(event)
        for _ in range(CHAIN):
            await self._sends(Event(name=_name(UpdateVarsInternalState, _UPDATE), payload={"vars": {}}))

    async def _sends(self, event: Event) -> None:
        parts = urlsplit(self.address)
        router_data = {
            "pathname": parts.path,
            "asPath": self.address,
            "token": self.token,
            "sid": f"socket of {self.token}",
            "ip": "127.0.0.1",
            "headers": {"origin": "http://app.test", "host": "app.test", "cookie": self._cookie},
        }
        router_data["query"] = format_query_params(router_data)
        event.router_data.update(router_data)
        done = await self._server.processor.enqueue(self.token, event)
        if not RegistrationContext.get().event_handlers[event.name].handler.is_background:
            await done  # the others go on until the tab goes


@asynccontextmanager
async def tabs() -> AsyncGenerator[Server]:
    """The server of tabs; all of them go when the block ends."""
    app = the_app()
    beat, follow.BEAT_SECONDS = follow.BEAT_SECONDS, BEAT_SECONDS
    token = RegistrationContext.set(app._registration_context)
    server = Server(BaseStateEventProcessor(middleware=app))
    try:
        async with server.processor.configure(event_namespace=cast(Any, server)):
            yield server
    finally:
        RegistrationContext.reset(token)
        follow.BEAT_SECONDS = beat


def storage_vars() -> dict[str, str]:
    """Every var that the browser says by itself, by its full name: its own, of those of every state."""
    return {
        f"{named(state)}.{name}": f"{state.get_full_name()}.{name}"
        for state in state_classes()
        for name in state.base_vars
        if state._is_client_storage(name)
    }


def _name(state: type[rx.State], handler: str) -> str:
    return format_event_handler(state.event_handlers[handler])
