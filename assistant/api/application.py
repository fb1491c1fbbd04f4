"""The FastAPI application, with every router in its place; Reflex mounts the page behind it."""

from fastapi import FastAPI

from assistant.api import (
    choices,
    devices,
    docs_page,
    files,
    messages,
    operating,
    owner,
    search,
    sessions,
    shares,
    tasks,
    tool_calls,
    unknown,
)
from assistant.api.documented import DocumentedApi
from assistant.api.edge import Edge
from assistant.api.errors import Problem, answer_with_problems
from assistant.api.metrics import Metrics
from assistant.api.owner import seal_of
from assistant.api.rates import StreamsOfOwners
from assistant.bootstrap import Held
from assistant.settings import Settings


def build_api(held: Held, settings: Settings, *, two_port_dev: bool = False) -> FastAPI:
    """The API over whatever services `held` holds when a request comes; building it opens nothing."""
    api = DocumentedApi(
        title="Assistant",
        version="1",
        docs_url=None,
        openapi_url="/api/openapi.json",
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        redirect_slashes=False,
        responses={"4XX": {"model": Problem, "description": "A refusal."}},
    )
    api.state.held = held
    api.state.seal = seal_of(settings)
    api.state.metrics = Metrics()
    api.state.streams = StreamsOfOwners(settings.owner_streams)
    reading = (sessions, search, files, shares)
    for part in (owner, devices, messages, *reading, tasks, tool_calls, choices, operating):
        api.include_router(part.router)
    api.include_router(docs_page.router)
    api.mount(docs_page.ASSETS_PATH, docs_page.ASSETS)
    api.state.known_routes = tuple(api.router.routes)
    api.include_router(unknown.router)
    answer_with_problems(api)
    api.add_middleware(
        Edge,
        metrics=api.state.metrics,
        allowed_origins=settings.allowed_origins,
        two_port_dev=two_port_dev,
    )
    return api
