"""The current time, in any zone of the IANA database and in no file beside it."""

from datetime import UTC, datetime

import pytest

from assistant.domain.tools import ToolOutcome, ToolResult
from assistant.tools.current_time import current_time_tool
from assistant.tools.registry import ToolRegistry
from tests.unit.tools.running import run

REGISTRY = ToolRegistry([current_time_tool(lambda: datetime(2030, 1, 1, 23, 30, tzinfo=UTC))])


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("UTC", "2030-01-01T23:30:00+00:00 (Tuesday), UTC"),
        ("Europe/Rome", "2030-01-02T00:30:00+01:00 (Wednesday), Europe/Rome"),
        ("Asia/Kolkata", "2030-01-02T05:00:00+05:30 (Wednesday), Asia/Kolkata"),
    ],
)
def test_the_time_is_told_in_a_zone(zone: str, told: str) -> None:
    assert run(REGISTRY, "current_time", time_zone=zone) == ToolResult(told)


def test_without_a_zone_it_is_utc() -> None:
    assert REGISTRY.check("current_time", "") == {"time_zone": "UTC"}


@pytest.mark.parametrize(
    "zone", ["Nowhere/Here", "", "Europe", "../../etc/passwd", "/etc/passwd", "a\0b", "x" * 9999]
)
def test_what_is_no_zone_is_refused_in_words(zone: str) -> None:
    result = run(REGISTRY, "current_time", time_zone=zone)
    assert result.outcome is ToolOutcome.FAILED
    assert result.text.startswith("There is no time zone called ")
