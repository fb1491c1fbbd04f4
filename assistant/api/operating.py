"""For whoever operates the server: is it ready, and its figures."""

from contextlib import suppress

from fastapi import APIRouter, Request
from fastapi.responses import Response

from assistant.api import metrics, wire
from assistant.api.asked import TheServices
from assistant.domain.errors import NotReady

router = APIRouter(tags=["operating"])


@router.get("/health", summary="Whether the server is ready")
async def health(services: TheServices) -> wire.Health:
    """503 while it starts or goes down."""
    if not services.ready:
        raise NotReady()
    return wire.Health(status="ok")


@router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
async def figures(request: Request) -> Response:
    """HTTP requests by route and status, open streams, and pages that watch a session or are brought text."""
    with suppress(NotReady):
        request.app.state.metrics.watched(*request.app.state.held.get().watching.count())
    return Response(request.app.state.metrics.as_text(), media_type=metrics.MEDIA_TYPE)
