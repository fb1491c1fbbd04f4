"""A tool for demonstrations: it does nothing, slowly."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import Field

from assistant.tools.definitions import Tool, tool

LONGEST_SECONDS = 120


def slow_count_tool(sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> Tool:
    """The tool `slow_count`; it may take longer than the deadline, so that the deadline can be shown."""

    @tool(idempotent=True)
    async def slow_count(seconds: Annotated[int, Field(ge=1, le=LONGEST_SECONDS)] = 5) -> str:
        """Count slowly, one number a second. For demonstrations of something that takes its time.

        seconds: how far to count
        """
        for _ in range(seconds):
            await sleep(1)
        return f"Counted to {seconds}, one number a second."

    return slow_count
