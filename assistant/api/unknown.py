"""Addresses and methods that the API does not know: answered here, so they never fall to the page."""

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.routing import Match

from assistant.api.errors import MethodNotAllowed, problem
from assistant.domain.errors import NotFound

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

router = APIRouter(include_in_schema=False)


@router.api_route("/api", methods=[*METHODS, "OPTIONS"])
@router.api_route("/api/{path:path}", methods=[*METHODS, "OPTIONS"])
@router.api_route("/health", methods=[*METHODS, "OPTIONS"])
@router.api_route("/metrics", methods=[*METHODS, "OPTIONS"])
async def unknown(request: Request) -> Response:
    """404 for an unknown address, 405 for an unknown method, 204 for a question about methods."""
    allowed = [method for method in METHODS if _is_known(request, method)]
    if not allowed:
        raise NotFound()
    listed = ["GET", "HEAD", *allowed[1:]] if allowed[0] == "GET" else allowed
    headers = {"allow": ", ".join([*listed, "OPTIONS"])}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    return problem(MethodNotAllowed(), headers)


def _is_known(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.state.known_routes)
