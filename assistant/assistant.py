"""The Reflex app: the page, the API beside it, and who may connect. Importing it opens nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import reflex as rx
from reflex.config import get_config
from reflex_base.constants import Env
from reflex_base.environment import environment

from assistant import bootstrap, settings
from assistant.api import build_api, owner_cookie
from assistant.api.open_responses import OpenResponses
from assistant.api.origins import may_connect
from assistant.domain.errors import NotReady
from assistant.ui import composer, stream_text
from assistant.ui.document import known_before_the_socket, named_document, no_overlay
from assistant.ui.failures import logged
from assistant.ui.not_found import not_found
from assistant.ui.page import page
from assistant.ui.served_urls import served_urls
from assistant.ui.states.restore import Restore

_BUILT_PAGE = Path(__file__).parents[1] / ".web" / "build" / "client"

_settings = settings.load()
_two_port_dev = environment.REFLEX_ENV_MODE.get() == Env.DEV

open_responses = OpenResponses()
"""The responses that ``serve`` ends when it goes down."""

app = rx.App(
    head_components=[
        rx.el.link(rel="icon", type="image/svg+xml", href="/favicon.svg"),
        named_document(),
        *([known_before_the_socket(get_config().api_url)] if _two_port_dev else []),
    ],
    stylesheets=[stream_text.STYLESHEET, composer.STYLESHEET, "/theme.css"],
    # Reflex's own overlay; the page has a quiet line instead.
    extra_app_wraps={(5, "Overlay"): no_overlay},
    backend_exception_handler=logged,
    api_transformer=[
        build_api(bootstrap.held, _settings, two_port_dev=_two_port_dev),
        owner_cookie(_settings),
        served_urls(_BUILT_PAGE),
        open_responses.watch,
    ],
)
app.add_page(not_found, route="404", title="Not found")
app.add_page(page, route="/", title="Assistant", on_load=Restore.on_load)


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


def _socket_may_open(origin: str | None, request: dict[str, str]) -> bool:
    return may_connect(
        origin,
        request.get("HTTP_HOST"),
        allowed=_settings.allowed_origins,
        two_port_dev=_two_port_dev,
    )


assert app.sio is not None, "the app has a socket"
# Reflex would take a list from rxconfig.py, and an empty list switches its check off.
app.sio.eio.cors_allowed_origins = _socket_may_open
