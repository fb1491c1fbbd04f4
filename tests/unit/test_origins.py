"""Which pages may open the socket. DESIGN 10, "Allowed origins"."""

import pytest

from assistant.api.origins import may_connect


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8000", "localhost:8000"),
        ("http://chat.example", "chat.example"),
        ("http://chat.example:80", "chat.example"),
        ("https://chat.example", "chat.example"),
        ("https://chat.example", "chat.example:443"),
        ("https://CHAT.example", "chat.EXAMPLE"),
        ("http://[::1]:8000", "[::1]:8000"),
        (None, "chat.example"),
    ],
)
def test_a_page_of_this_host_and_port_may_connect(origin: str | None, host: str) -> None:
    assert may_connect(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example", "chat.example"),
        ("http://localhost:3000", "localhost:8000"),
        ("http://127.0.0.1:8000", "localhost:8000"),
        ("https://chat.example:8443", "chat.example"),
        ("http://chat.example.evil.example", "chat.example"),
        ("http://chat.example@evil.example", "chat.example"),
        ("null", "chat.example"),
        ("file://chat.example", "chat.example"),
        ("http://chat.example:port", "chat.example"),
        ("", "chat.example"),
        ("http://chat.example", None),
        ("http://chat.example", ""),
    ],
)
def test_any_other_page_may_not(origin: str, host: str | None) -> None:
    assert not may_connect(origin, host)


def test_a_named_origin_may_connect_to_any_host() -> None:
    allowed = ("https://other.example",)

    assert may_connect("https://OTHER.example", "chat.example", allowed=allowed)
    assert not may_connect("http://other.example", "chat.example", allowed=allowed)


def test_in_two_port_dev_a_loopback_page_may_connect_to_a_loopback_host_only() -> None:
    assert may_connect("http://localhost:3000", "localhost:8000", two_port_dev=True)
    assert may_connect("http://127.0.0.1:3000", "localhost:8000", two_port_dev=True)
    assert not may_connect("http://localhost:3000", "chat.example", two_port_dev=True)
    assert not may_connect("http://evil.example", "localhost:8000", two_port_dev=True)


def test_behind_https_a_page_that_came_without_it_is_another_one() -> None:
    assert may_connect("https://chat.example", "chat.example", by_https=True)
    assert not may_connect("http://chat.example", "chat.example", by_https=True)


@pytest.mark.parametrize(
    ("site", "may"),
    [(None, True), ("none", True), ("same-origin", True), ("same-site", False), ("cross-site", False)],
)
def test_a_browser_that_leaves_the_origin_away_still_says_who_asks(site: str | None, may: bool) -> None:
    assert may_connect(None, "chat.example", site=site) is may
