"""The slow tool takes as many seconds as it is asked for, up to a bound, and can be cancelled."""

import asyncio

from assistant.domain.tools import BadCall, ToolResult
from assistant.tools.registry import ToolRegistry
from assistant.tools.slow_count import slow_count_tool


async def test_it_takes_one_second_a_number() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    result = await ToolRegistry([slow_count_tool(sleep)]).run(
        "slow_count", {"seconds": 3}, call_id="call-1", owner_id="owner-1"
    )
    assert result == ToolResult("Counted to 3, one number a second.")
    assert slept == [1, 1, 1]


async def test_it_is_ended_by_a_cancellation() -> None:
    async with asyncio.timeout(5):
        counting = asyncio.create_task(
            ToolRegistry([slow_count_tool()]).run("slow_count", {"seconds": 120}, call_id="c", owner_id="o")
        )
        await asyncio.wait([counting], timeout=0)
        counting.cancel()
        await asyncio.wait([counting])
    assert counting.cancelled()


def test_the_seconds_are_bounded() -> None:
    registry = ToolRegistry([slow_count_tool()])
    assert isinstance(registry.check("slow_count", '{"seconds": 121}'), BadCall)
    assert isinstance(registry.check("slow_count", '{"seconds": 0}'), BadCall)
