"""The application as `serve` mounts it, and all that a caller may call in it: routes, pages, handlers."""

import inspect
import os
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest import mock

import reflex as rx
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.applications import Starlette

from assistant.ui import connected

KEY = "a key of the permission walk"

_AS_SERVED = {"REFLEX_ENV_MODE": "prod", "__REFLEX_SKIP_COMPILE": "true", "REFLEX_TELEMETRY_ENABLED": "false"}
_BUILT_IN_SETTER = "setvar"


class _Everybody:
    def __contains__(self, _: object) -> bool:
        return True


@cache
def the_app() -> Any:
    """The product's own Reflex app, with every page evaluated, so that what a page adds is there."""
    with mock.patch.dict(os.environ, _AS_SERVED):
        from assistant import assistant as module

        # Its tabs have no sockets, and are there all the same.
        connected.known_by(_Everybody)
        module._settings.__dict__["secret_key"] = SecretStr(KEY)
        for page in module.app._unevaluated_pages.values():
            page.component() if inspect.isfunction(page.component) else page.component
        module.app._add_optional_endpoints()
    return module.app


@cache
def the_asgi() -> Any:
    """The whole server, wrapped as `App.__call__` wraps it, but for the files of the built page."""
    app = the_app()
    asgi = app._api
    for each in app.api_transformer:
        if isinstance(each, Starlette):
            each.mount("", asgi)
            asgi = each
        else:
            asgi = each(asgi)
    return asgi


def routes() -> set[str]:
    """Every `METHOD /path`, `MOUNT /path` and `PAGE route` that the server answers."""
    app = the_app()
    (api,) = [each for each in app.api_transformer if isinstance(each, FastAPI)]
    found = {*_of(api.routes), *_of(app._api.routes)}
    return found | {f"PAGE {page.route}" for page in app._unevaluated_pages.values()}


def state_classes() -> list[type[rx.State]]:
    """Every state of the product and of Reflex itself, the root too."""
    the_app()
    found: list[type[rx.State]] = []

    def add(state: Any) -> None:
        if not state.__module__.startswith("tests."):
            found.append(state)
        for each in state.get_substates():
            add(each)

    add(rx.State)
    return sorted(found, key=named)


def handlers() -> dict[str, tuple[type[rx.State], Any]]:
    """Every handler by `module.Class.handler`, with its state; but for `setvar`, which every state has."""
    return {
        f"{named(state)}.{name}": (state, handler)
        for state in state_classes()
        for name, handler in state.event_handlers.items()
        if name != _BUILT_IN_SETTER
    }


def named(state: type[rx.State]) -> str:
    """A state's name in the tables of the walk."""
    return f"{state.__module__.removeprefix('assistant.ui.states.')}.{state.__name__}"


def _of(routes: Any) -> Iterator[str]:
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _of(included.routes)
        elif getattr(route, "methods", None):
            yield from (f"{method} {route.path}" for method in route.methods)
        elif route.path:  # without one it is Reflex's own application, which is listed by itself
            yield f"MOUNT {route.path}"
