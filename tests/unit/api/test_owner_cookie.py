"""The owner cookie: minted on documents alone, carried into the request that minted it."""

from pathlib import Path
from typing import Any

import pytest

from assistant.api.owner import owner_cookie, seal_of
from assistant.services.owner_seal import COOKIE, SECURE_COOKIE, KnownOwner, named
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
        ("GET", "/forgotten.html", BROWSER, "text/html"),
        ("GET", "/", {**BROWSER, "sec-fetch-dest": "iframe"}, "text/html"),
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

    line = answer.headers["set-cookie"]
    assert line.endswith("; Secure") is secure
    assert line.startswith(f"{SECURE_COOKIE}=" if secure else f"{COOKIE}=")


async def test_behind_https_the_cookie_with_the_safe_name_is_the_owner() -> None:
    page = Answering()
    async with client(owner_cookie(PLAIN)(page), url="https://app.test") as browser:
        await browser.get("/", headers=BROWSER)
        minted = seal_of(PLAIN).owner_of(page.header("cookie"))
        await browser.get("/?sid=1", headers=BROWSER)

    assert minted is not None
    assert seal_of(PLAIN).owner_of(page.header("cookie")) == minted


async def test_behind_https_a_cookie_that_another_host_may_have_set_counts_for_nothing() -> None:
    page = Answering()
    planted = seal_of(PLAIN).seal(KnownOwner("an attacker"))
    async with client(owner_cookie(PLAIN)(page), url="https://app.test") as browser:
        await browser.get("/", headers={**BROWSER, "cookie": f"{COOKIE}={planted}; a=1"})

    found = seal_of(PLAIN).owner_of(page.header("cookie"))
    assert found is not None
    assert found.id != "an attacker"
    assert "a=1" in (page.header("cookie") or "")


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("6.6.6.6, 198.51.100.7", "198.51.100.7"),
        ("6.6.6.6, 198.51.100.7, 10.9.9.9", "198.51.100.7"),
        ("nonsense, 10.9.9.9", "10.9.9.9"),
        ("", PROXY),
    ],
)
async def test_behind_a_trusted_proxy_the_address_is_the_last_that_is_not_a_proxys(
    forwarded: str, address: str
) -> None:
    page = Answering()
    theirs = settings(trusted_proxies="10.0.0.0/8")
    async with client(owner_cookie(theirs)(page), peer=PROXY) as browser:
        await browser.get("/", headers={**BROWSER, "x-forwarded-for": forwarded})

    assert page.scope["client"][0] == address


async def test_anybody_else_names_no_address() -> None:
    page = Answering()
    async with client(owner_cookie(PLAIN)(page), peer="203.0.113.9") as browser:
        await browser.get("/", headers={**BROWSER, "x-forwarded-for": "198.51.100.7"})

    assert page.scope["client"][0] == "203.0.113.9"


async def test_another_sites_page_gets_nobody_a_new_owner_by_asking() -> None:
    async with client(owner_cookie(PLAIN)(Answering(content_type="application/json"))) as browser:
        answer = await browser.get("/api/owner", headers={"sec-fetch-site": "cross-site"})

    assert "set-cookie" not in answer.headers


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
