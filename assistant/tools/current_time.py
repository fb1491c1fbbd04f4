"""The tool that tells the date and the time."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from assistant.tools.definitions import Tool, ToolFailed, tool


def current_time_tool(now: Callable[[], datetime]) -> Tool:
    """The tool `current_time`; `now` is UTC."""

    @tool(idempotent=True)
    def current_time(time_zone: str = "UTC") -> str:
        """Tell the current date, weekday and time in a time zone.

        time_zone: an IANA name such as Europe/Rome or Asia/Tokyo
        """
        here = now().astimezone(_zone(time_zone))
        return f"{here.isoformat(timespec='seconds')} ({here:%A}), {time_zone}"

    return current_time


def _zone(name: str) -> tzinfo:
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # also a folder of zones, or a name that leads out of it
        shown = repr(name[:80])
        raise ToolFailed(f"There is no time zone called {shown}; use a name such as Europe/Rome.") from None
