"""What devices call themselves: the common ones by name, anything else harmlessly."""

import pytest

from assistant.services.device_naming import MAX_NAME_CHARACTERS, UNKNOWN, device_name

MOZILLA = "Mozilla/5.0"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
KNOWN = {
    f"{MOZILLA} (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0": "Firefox on Linux",
    f"{MOZILLA} (Android 15; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0": "Firefox on Android",
    f"{MOZILLA} (X11; Linux x86_64) {WEBKIT} Chrome/150.0.0.0 Safari/537.36": "Chrome on Linux",
    f"{MOZILLA} (X11; Linux x86_64) {WEBKIT} HeadlessChrome/150.0.0.0 Safari/537.36": "Chrome on Linux",
    f"{MOZILLA} (Linux; Android 10; K) {WEBKIT} Chrome/150.0.0.0 Mobile Safari/537.36": "Chrome on Android",
    f"{MOZILLA} (Linux; Android 14; K) {WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36": (
        "Samsung Internet on Android"
    ),
    f"{MOZILLA} (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0": (
        "Edge on Windows"
    ),
    f"{MOZILLA} (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/150.0.0.0 Safari/537.36 OPR/120.0.0.0": (
        "Opera on Windows"
    ),
    f"{MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15": (
        "Safari on Mac"
    ),
    f"{MOZILLA} (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1": (
        "Safari on iPhone"
    ),
    f"{MOZILLA} (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/150.0 Safari/604.1": (
        "Chrome on iPhone"
    ),
    f"{MOZILLA} (X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/150.0.0.0 Safari/537.36": "Chrome on ChromeOS",
    "curl/8.9.1": "curl",
    "python-httpx/0.28.1": "python-httpx",
}


@pytest.mark.parametrize("told", KNOWN, ids=KNOWN.values())
def test_the_common_ones_are_known_by_name(told: str) -> None:
    assert device_name(told) == KNOWN[told]


@pytest.mark.parametrize("told", [None, "", " ", "<script>alert(1)</script>", "é", "\0", "/" * 5_000])
def test_what_says_nothing_is_another_device(told: str | None) -> None:
    assert device_name(told) == UNKNOWN


@pytest.mark.parametrize("told", ["x" * 10_000, "Firefox/" + "<b>" * 9_000, "evil<img src=x>/1 Android Edg"])
def test_a_name_is_short_and_never_markup(told: str) -> None:
    name = device_name(told)
    assert 0 < len(name) <= MAX_NAME_CHARACTERS
    assert not set("<>&\"'") & set(name)
