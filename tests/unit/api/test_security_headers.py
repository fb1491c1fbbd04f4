"""What every answer forbids the browser, and that a document's policy knows its own inline scripts alone."""

import base64
import hashlib
import os
import re
from pathlib import Path
from typing import Any

import pytest

from assistant.api.security_headers import ALWAYS, NOTHING, DocumentPolicy, policy_of, security_headers
from assistant.settings import Settings
from tests.unit.api.asgi import Answering, client

INLINE = 'const a = "<b>" && 1;\n'
DOCUMENT = f"<html><head><script src='/a.js'></script><script>{INLINE}</script></head></html>"


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def directives(policy: str) -> dict[str, list[str]]:
    return {words[0]: words[1:] for words in (part.split() for part in policy.split(";"))}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text(DOCUMENT)
    return tmp_path


def guarded(build: Path, page: Answering, **more: Any) -> Any:
    return security_headers(build, Settings(data_dir=Path("unused"), **more))(page)


@pytest.mark.parametrize(
    ("path", "content_type", "status"),
    [
        ("/", "text/html", 200),
        ("/nowhere", "text/html", 404),
        ("/assets/a.js", "text/javascript", 200),
        ("/api/sessions", "application/json", 401),
        ("/api/x", "", 204),
    ],
)
async def test_everything_that_is_answered_carries_the_headers(
    build: Path, path: str, content_type: str, status: int
) -> None:
    async with client(guarded(build, Answering(status, content_type))) as browser:
        answer = await browser.get(path)

    for name, value in ALWAYS.items():
        assert answer.headers[name.decode()] == value.decode()
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "strict-transport-security" not in answer.headers


async def test_a_document_may_run_our_files_and_its_own_inline_scripts_only(build: Path) -> None:
    async with client(guarded(build, Answering())) as browser:
        answer = await browser.get("/")

    told = directives(answer.headers["content-security-policy"])
    assert told["script-src"] == ["'self'", digest(INLINE)]
    assert told["default-src"] == told["object-src"] == told["base-uri"] == told["form-action"] == ["'none'"]
    assert told["connect-src"] == ["'self'"]
    assert not re.search("unsafe|\\*|https?:", answer.headers["content-security-policy"])


@pytest.mark.parametrize("path", ["/api/sessions", "/assets/a.js", "/favicon.svg"])
async def test_from_what_is_no_document_nothing_may_be_loaded(build: Path, path: str) -> None:
    async with client(guarded(build, Answering(content_type="application/json"))) as browser:
        answer = await browser.get(path)

    assert answer.headers["content-security-policy"] == NOTHING


async def test_a_document_that_the_browser_has_kept_is_told_the_policy_of_now(build: Path) -> None:
    async with client(guarded(build, Answering(304, ""))) as browser:
        answer = await browser.get("/")

    assert digest(INLINE) in answer.headers["content-security-policy"]


async def test_a_header_that_a_route_has_set_stands(build: Path) -> None:
    async def strict(scope: Any, receive: Any, send: Any) -> None:
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"referrer-policy", b"no-referrer")]}
        )
        await send({"type": "http.response.body", "body": b""})

    async with client(security_headers(build, Settings(data_dir=Path("unused")))(strict)) as browser:
        answer = await browser.get("/shared/1")

    assert answer.headers.get_list("referrer-policy") == ["no-referrer"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "told"),
    [("10.1.2.3", "https", True), ("10.1.2.3", "http", False), ("203.0.113.9", "https", False)],
)
async def test_https_is_asked_for_only_where_a_trusted_proxy_speaks_it(
    build: Path, peer: str, forwarded: str, told: bool
) -> None:
    app = guarded(build, Answering(), trusted_proxies="10.0.0.0/8")
    async with client(app, peer=peer) as browser:
        answer = await browser.get("/", headers={"x-forwarded-proto": forwarded})

    assert ("strict-transport-security" in answer.headers) is told


def test_a_build_that_is_replaced_has_its_policy_at_once(build: Path) -> None:
    policy = DocumentPolicy(build)
    assert digest(INLINE) in policy().decode()

    (build / "index.html").write_text("<script>another()</script>")
    os.utime(build / "index.html", ns=(1, 1))

    assert digest("another()") in policy().decode()
    assert digest(INLINE) not in policy().decode()


def test_without_a_build_no_inline_script_may_run(tmp_path: Path) -> None:
    assert directives(DocumentPolicy(tmp_path)().decode())["script-src"] == ["'self'"]


def test_the_text_of_an_inline_script_is_taken_to_the_character() -> None:
    text = '  let s = "&amp; <\\/script> </b>";\u00e9\n'
    assert digest(text) in policy_of([f"<body><script type=module>{text}</script>"])
