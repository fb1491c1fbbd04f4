"""The owner cookie: minted on documents alone, carried into the request that minted it."""

from pathlib import Path
from typing import Any

import pytest

from assistant.api.owner import owner_cookie, seal_of
from assistant.services.owner_seal import COOKIE, KnownOwner, named
from assistant.settings import Settings
from tests.unit.api.asgi import Answering, client

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "sec-fetch-dest": "document"}
PROXY = "10.1.2.3"


def settings(**more: Any) -> Settings:
    return Settings(data_dir=Path("unused"), secret_key="0123456789abcdef", **more)


PLAIN = settings()


async def test_a_document_mints_an_owner_that_the_request_itself_already_has() -> None:
    page = Answering()
    async with client(owner_cookie(PLAIN)(page)) as browser:
        answer = await browser.get("/", headers=BROWSER)

    line = answer.headers["set-cookie"]
    value = line.partition(";")[0].removeprefix(f"{COOKIE}=")
    assert line == f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000"
    assert seal_of(PLAIN).owner_of(page.header("cookie")) == seal_of(PLAIN).open(value) is not None


async def test_a_document_with_a_cookie_is_never_shared_by_a_cache() -> None:
    async with client(owner_cookie(PLAIN)(Answering())) as browser:
        answer = await browser.get("/", headers=BROWSER)

    assert answer.headers["cache-control"] == "private, no-cache"


async def test_an_owner_is_kept_on_every_later_document() -> None:
    async with client(owner_cookie(PLAIN)(Answering())) as browser:
        await browser.get("/", headers=BROWSER)
        answer = await browser.get("/?sid=1", headers=BROWSER)

    assert "set-cookie" not in answer.headers


async def test_a_tampered_cookie_is_replaced() -> None:
    async with client(owner_cookie(PLAIN)(Answering())) as browser:
        answer = await browser.get("/", headers={**BROWSER, "cookie": f"{COOKIE}=forged.value"})

    assert COOKIE in answer.headers["set-cookie"]


async def test_a_page_that_the_browser_had_kept_mints_too() -> None:
    async with client(owner_cookie(PLAIN)(Answering(304, ""))) as browser:
        answer = await browser.get("/", headers=BROWSER)

    assert "set-cookie" in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "headers", "content_type"),
    [
        ("GET", "/api/tasks/1", BROWSER, "text/html"),
        ("GET", "/api/docs", BROWSER, "text/html"),
        ("GET", "/_event/", BROWSER, "text/html"),
        ("GET", "/assets/x.js", BROWSER, "text/html"),
        ("GET", "/health", BROWSER, "text/html"),
        ("POST", "/", BROWSER, "text/html"),
        ("HEAD", "/", BROWSER, "text/html"),
        ("GET", "/favicon.svg", {"accept": "*/*"}, "image/svg+xml"),
        ("GET", "/", {"accept": "application/json"}, "text/html"),
        ("GET", "/", {"accept": "*/*", "sec-fetch-dest": "empty"}, "text/html"),
    ],
)
async def test_what_is_no_document_mints_nothing(
    method: str, path: str, headers: dict[str, str], content_type: str
) -> None:
    async with client(owner_cookie(PLAIN)(Answering(content_type=content_type))) as browser:
        answer = await browser.request(method, path, headers=headers)

    assert "set-cookie" not in answer.headers


async def test_asking_who_one_is_mints_whatever_the_answer_looks_like() -> None:
    async with client(owner_cookie(PLAIN)(Answering(content_type="application/json"))) as program:
        answer = await program.get("/api/owner", headers={"accept": "application/json"})

    assert "set-cookie" in answer.headers


@pytest.mark.parametrize(
    ("url", "peer", "forwarded", "secure"),
    [
        ("https://app.test", "203.0.113.9", None, True),
        ("http://app.test", PROXY, "https", True),
        ("http://app.test", PROXY, "https, http", True),
        ("https://app.test", PROXY, "http", False),
        ("http://app.test", "203.0.113.9", "https", False),
        ("http://app.test", PROXY, None, False),
    ],
)
async def test_the_cookie_is_secure_when_the_browser_spoke_https(
    url: str, peer: str, forwarded: str | None, secure: bool
) -> None:
    around = owner_cookie(settings(trusted_proxies="10.0.0.0/8"))
    headers = BROWSER if forwarded is None else {**BROWSER, "x-forwarded-proto": forwarded}
    async with client(around(Answering()), peer=peer, url=url) as browser:
        answer = await browser.get("/", headers=headers)

    assert answer.headers["set-cookie"].endswith("; Secure") is secure


async def test_a_trusted_proxy_names_the_owner_over_any_cookie_or_bearer() -> None:
    theirs = settings(trusted_proxies="10.0.0.0/8", trusted_user_header="X-User")
    seal, page = seal_of(theirs), Answering()
    stale = seal.seal(KnownOwner("somebody else"))
    headers = {"x-user": "Ada", "cookie": f"a=1; {COOKIE}={stale}", "authorization": f"Bearer {stale}"}
    async with client(owner_cookie(theirs)(page), peer=PROXY) as browser:
        answer = await browser.get("/", headers={**BROWSER, **headers})

    assert seal.owner_of(page.header("cookie"), page.header("authorization")) == named("Ada")
    assert "a=1" in (page.header("cookie") or "")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("peer", ["203.0.113.9", "::1", "not an address"])
async def test_anybody_else_names_nobody(peer: str) -> None:
    theirs = settings(trusted_proxies="10.0.0.0/8", trusted_user_header="X-User")
    page = Answering()
    async with client(owner_cookie(theirs)(page), peer=peer) as browser:
        await browser.get("/", headers={**BROWSER, "x-user": "Ada"})

    found = seal_of(theirs).owner_of(page.header("cookie"))
    assert found is not None
    assert found.name is None


async def test_a_proxy_on_ipv6_is_known_by_its_ipv4_address() -> None:
    theirs = settings(trusted_proxies="10.1.2.3", trusted_user_header="X-User")
    page = Answering()
    async with client(owner_cookie(theirs)(page), peer="::ffff:10.1.2.3") as browser:
        await browser.get("/", headers={"x-user": "Ada"})

    assert seal_of(theirs).owner_of(page.header("cookie")) == named("Ada")
