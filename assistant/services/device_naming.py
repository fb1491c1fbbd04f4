"""What a device calls itself, in words for people: "Firefox on Android" (decision 0019).

The header is the device's own word: it decides nothing, is short, and is only ever shown as text.
"""

import re

MAX_HEADER_CHARACTERS = 1_000
MAX_NAME_CHARACTERS = 40

UNKNOWN = "another device"

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("MicroMessenger/", "WeChat"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""The first that is named counts: most browsers name those that they want to be taken for as well."""

_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("HarmonyOS", "HarmonyOS"),
    ("OpenHarmony", "HarmonyOS"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)

_PROGRAM = re.compile(r"[A-Za-z][A-Za-z0-9._-]{1,30}")


def device_name(user_agent: str | None) -> str:
    """Browser and system of a `User-Agent`; a program's own name; `another device` where nothing is known."""
    told = (user_agent or "")[:MAX_HEADER_CHARACTERS]
    browser = _first(told, _BROWSERS)
    system = _first(told, _SYSTEMS)
    if browser and system:
        return f"{browser} on {system}"
    if browser or system:
        return browser or system
    program = _PROGRAM.match(told)
    return program.group()[:MAX_NAME_CHARACTERS] if program else UNKNOWN


def _first(told: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for mark, name in names if mark in told), "")
