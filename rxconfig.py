"""Reflex's own configuration, derived from ours."""

from datetime import timedelta

import reflex as rx
from reflex_base.constants import Env, StateManagerMode
from reflex_base.environment import environment

from assistant import settings

_settings = settings.load()

# A socket that died silently is noticed by both sides after eight seconds, the server's name for the tab with
# it: Reflex gives the tab another name as long as it takes the old socket for alive.
if not environment.REFLEX_SOCKET_INTERVAL.is_set():
    environment.REFLEX_SOCKET_INTERVAL.set(timedelta(seconds=3))
if not environment.REFLEX_SOCKET_TIMEOUT.is_set():
    environment.REFLEX_SOCKET_TIMEOUT.set(timedelta(seconds=5))

# `reflex run` serves the page from a port of its own, which must be able to call the API.
_two_port_dev = environment.REFLEX_ENV_MODE.get() == Env.DEV
_dev_origins = ("http://localhost:3000", "http://127.0.0.1:3000") if _two_port_dev else ()

# `local://` is resolved by our commands; a bare `reflex run` keeps its states in memory then.
_own_server = not _settings.redis_url.startswith(("memory:", "local:"))

config = rx.Config(
    app_name="assistant",
    backend_host="127.0.0.1",
    telemetry_enabled=False,
    show_built_with_reflex=False,
    state_manager_mode=StateManagerMode.REDIS if _own_server else StateManagerMode.MEMORY,
    redis_url=_settings.redis_url if _own_server else None,
    redis_token_expiration=7 * 24 * 3600,
    # For CORS on the API; the socket has a check of its own in assistant/assistant.py.
    cors_allowed_origins=(*_settings.allowed_origins, *_dev_origins),
    plugins=[],
    disable_plugins=[rx.plugins.SitemapPlugin],
)
