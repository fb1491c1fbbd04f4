"""The Reflex app: the page, the API beside it, and who may connect. Importing it opens nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import reflex as rx
from reflex.config import get_config
from reflex_base.constants import Env
from reflex_base.environment import environment

from assistant import bootstrap, settings
from assistant.api import build_api, owner_cookie
from assistant.api.hosts import named_hosts
from assistant.api.open_responses import OpenResponses
from assistant.api.origins import may_connect
from assistant.api.peers import is_https
from assistant.api.security_headers import security_headers
from assistant.api.shared_headers import shared_headers
from assistant.domain.errors import NotReady
from assistant.ui import (
    composer,
    connected,
    devices,
    files,
    forget,
    search,
    session_settings,
    share,
    stream_text,
    summary,
    tool_call,
)
from assistant.ui.document import (
    known_before_the_socket,
    language_chosen,
    named_document,
    no_overlay,
    room_in_the_tab,
)
from assistant.ui.failures import logged
from assistant.ui.not_found import not_found
from assistant.ui.one_owner import OneOwner
from assistant.ui.page import page
from assistant.ui.served_urls import served_urls
from assistant.ui.share.shared_page import FORBIDS_ROBOTS, shared_page
from assistant.ui.state_locks import outliving_cancelling
from assistant.ui.states.restore import Restore
from assistant.ui.states.shared_follow import SharedFollow
from assistant.ui.words import english

_BUILT_PAGE = Path(__file__).parents[1] / ".web" / "build" / "client"

_settings = settings.load()
_two_port_dev = environment.REFLEX_ENV_MODE.get() == Env.DEV

open_responses = OpenResponses()
"""The responses that ``serve`` ends when it goes down."""

app = rx.App(
    head_components=[
        rx.el.link(rel="icon", type="image/svg+xml", href="/favicon.svg"),
        language_chosen(),
        room_in_the_tab(),
        named_document(),
        *([known_before_the_socket(get_config().api_url)] if _two_port_dev else []),
    ],
    stylesheets=[
        stream_text.STYLESHEET,
        tool_call.STYLESHEET,
        composer.STYLESHEET,
        session_settings.STYLESHEET,
        devices.STYLESHEET,
        files.STYLESHEET,
        search.STYLESHEET,
        summary.STYLESHEET,
        forget.STYLESHEET,
        "/theme.css",
        share.STYLESHEET,
    ],
    # Reflex's own overlay; the page has a quiet line instead.
    extra_app_wraps={(5, "Overlay"): no_overlay},
    # Nothing here is told by it, and it writes a style of its own into the document.
    toaster=None,
    backend_exception_handler=logged,
    api_transformer=[
        build_api(bootstrap.held, _settings, two_port_dev=_two_port_dev),
        owner_cookie(_settings, bootstrap.held),
        served_urls(_BUILT_PAGE),
        open_responses.watch,
        named_hosts(_settings.allowed_hosts),
        security_headers(_BUILT_PAGE, _settings),
        shared_headers,
    ],
)
app._state_manager = outliving_cancelling(app.state_manager)
app.add_middleware(OneOwner())
app.add_page(not_found, route="404", title=english("page.titles.missing"))
app.add_page(devices.link_page, route="/link", title=english("page.titles.link"), meta=devices.NOT_FOR_OTHERS)
app.add_page(page, route="/", title=english("page.titles.main"), on_load=Restore.on_load)
app.add_page(
    shared_page,
    route="/shared/[shared_token]",
    title=english("page.titles.shared"),
    meta=FORBIDS_ROBOTS,
    on_load=SharedFollow.follow,
)


@asynccontextmanager
async def services_open() -> AsyncGenerator[None]:
    """Open the services under ``reflex run``; ``serve`` has them open before the app starts."""
    if _already_open():
        yield
        return
    async with bootstrap.running(_settings) as services:
        bootstrap.held.set(services)
        try:
            yield
        finally:
            bootstrap.held.clear()


def _already_open() -> bool:
    try:
        bootstrap.held.get()
    except NotReady:
        return False
    return True


app.register_lifespan_task(services_open)


def _socket_may_open(origin: str | None, request: dict[str, Any]) -> bool:
    return may_connect(
        origin,
        request.get("HTTP_HOST"),
        allowed=_settings.allowed_origins,
        two_port_dev=_two_port_dev,
        by_https=is_https(request["asgi.scope"]),
        site=request.get("HTTP_SEC_FETCH_SITE"),
    )


assert app.sio is not None, "the app has a socket"
# Reflex would take a list from rxconfig.py, and an empty list switches its check off.
app.sio.eio.cors_allowed_origins = _socket_may_open

assert app.event_namespace is not None, "the socket has its events"
_tabs = app.event_namespace._token_manager
connected.known_by(lambda: _tabs.token_to_socket)
