"""Running one tool of a registry, as the runner does it."""

import asyncio
from typing import Any

from assistant.domain.tools import ToolResult
from assistant.tools.registry import ToolRegistry


def run(registry: ToolRegistry, name: str, **arguments: Any) -> ToolResult:
    """Run one call, outside an event loop."""
    return asyncio.run(registry.run(name, arguments, call_id="call-1", owner_id="owner-1"))
