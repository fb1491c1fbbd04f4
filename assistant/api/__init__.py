"""The HTTP API beside the page: each route parses, calls one service and shapes the answer (DESIGN 11)."""

from assistant.api.application import build_api
from assistant.api.owner import owner_cookie

__all__ = ["build_api", "owner_cookie"]
