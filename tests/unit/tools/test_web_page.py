"""The web page reader against a real server: its text, its bounds, and the addresses that it refuses."""

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncGenerator

import pytest

from assistant.domain.tools import ToolOutcome, ToolResult
from assistant.tools.definitions import Tool
from assistant.tools.registry import ToolRegistry
from assistant.tools.web_addresses import HostUnknown
from assistant.tools.web_fetching import Bounds
from assistant.tools.web_page import MOST_CHARACTERS, web_page_tool
from tests.support.web_server import WebServer, web_server

HERE = "127.0.0.1"
ELSEWHERE = "127.0.0.2"


@pytest.fixture
async def web() -> AsyncGenerator[WebServer]:
    async with web_server() as served:
        yield served


def reader(*addresses: str, bounds: Bounds | None = None) -> Tool:
    """Resolves any name to one address after the other, and may connect to the loopback server alone."""
    left = list(addresses or [HERE])

    async def resolve(host: str, port: int) -> list[str]:
        if host == "unknown.test":
            raise HostUnknown(host)
        return [left.pop(0) if len(left) > 1 else left[0]]

    return web_page_tool(
        resolve=resolve, may_connect=lambda address, _: address == HERE, bounds=bounds or Bounds()
    )


async def read(tool: Tool, url: str, **more: object) -> ToolResult:
    """As the runner does it."""
    return await ToolRegistry([tool]).run(
        "web_page", {"url": url, **more}, call_id="call-1", owner_id="owner-1"
    )


async def test_a_page_is_told_as_title_and_text(web: WebServer) -> None:
    url = web.page("/", "<title>Caf&eacute;</title><p>One <b>bold</b> word<p>Zwei 你好<script>no()</script>")

    result = await read(reader(), url)

    assert result == ToolResult(f"URL: {url}\nTitle: Café\n\nOne bold word\nZwei 你好")
    assert web.asked == ["site.test/"]


@pytest.mark.parametrize(
    "url",
    [
        *("http://{here}/", "http://localhost:{port}/", "http://0x7f.1:{port}/", "http://2130706433:{port}/"),
        *("http://[::1]:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "http://0:{port}/"),
        "http://169.254.169.254/latest/meta-data",
    ],
)
async def test_this_machine_and_its_network_are_refused_before_a_connection(web: WebServer, url: str) -> None:
    web.page("/", "secret")

    result = await read(web_page_tool(), url.format(here=f"{HERE}:{web.port}", port=web.port))

    assert result.outcome is ToolOutcome.FAILED
    assert "secret" not in result.text
    assert web.connections == 0


async def test_a_name_that_resolves_to_a_private_address_is_refused(web: WebServer) -> None:
    web.page("/", "secret")

    result = await read(reader(ELSEWHERE), web.url("/"))

    assert result == ToolResult.failed("This address is not one of the public web.")
    assert web.connections == 0


async def test_one_private_address_among_others_is_enough_to_refuse(web: WebServer) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return [HERE, ELSEWHERE]

    tool = web_page_tool(resolve=resolve, may_connect=lambda address, _: address == HERE)

    assert (await read(tool, web.page("/", "text"))).outcome is ToolOutcome.FAILED
    assert web.connections == 0


async def test_the_connection_goes_to_the_address_that_was_checked_and_to_no_later_one(
    web: WebServer,
) -> None:
    """DNS rebinding: the name means another address as soon as it was asked once."""
    result = await read(reader(HERE, ELSEWHERE), web.page("/", "<p>checked"))

    assert result.outcome is ToolOutcome.OK
    assert web.asked == ["site.test/"]


async def test_tls_is_for_the_name_and_not_for_the_address() -> None:
    """The name is in the first bytes that a client sends (RFC 6066, server_name)."""
    hello = bytearray()

    async def serve(stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello.extend(await stream.read(4096))
        writer.close()

    server = await asyncio.start_server(serve, HERE, 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        result = await read(reader(), f"https://site.test:{port}/")

    assert result.outcome is ToolOutcome.FAILED
    assert b"site.test" in hello


async def test_a_redirect_is_checked_like_the_first_url(web: WebServer) -> None:
    web.page("/inside", "secret")
    url = web.redirect("/", web.url("/inside", "inside.test"))

    result = await read(reader(HERE, ELSEWHERE), url)

    assert result == ToolResult.failed("This address is not one of the public web.")
    assert web.asked == ["site.test/"]


async def test_a_redirect_is_followed_and_the_last_url_told(web: WebServer) -> None:
    last = web.page("/b", "<p>there")
    result = await read(reader(), web.redirect("/a", "/b"))
    assert result.text == f"URL: {last}\n\nthere"


@pytest.mark.parametrize(
    "to", ["file:///etc/passwd", "ftp://site.test/", "http://u:p@site.test/", "http://["]
)
async def test_a_redirect_to_something_that_is_not_read_is_refused(web: WebServer, to: str) -> None:
    assert (await read(reader(), web.redirect("/", to))).outcome is ToolOutcome.FAILED
    assert web.asked == ["site.test/"]


async def test_redirects_end(web: WebServer) -> None:
    result = await read(reader(), web.redirect("/round", "/round"))

    assert result == ToolResult.failed("The page redirects more than 5 times.")
    assert len(web.asked) == 6


@pytest.mark.parametrize(
    "url",
    ["", "x", "file:///etc/passwd", "gopher://a/", "http://", "http://a b/", "http://\x01/", "http://xn--/"],
)
async def test_what_is_no_url_of_the_web_is_refused_in_words(url: str) -> None:
    assert (await read(web_page_tool(), url)).outcome is ToolOutcome.FAILED


async def test_an_unknown_host_is_said(web: WebServer) -> None:
    result = await read(reader(), web.url("/", "unknown.test"))
    assert result == ToolResult.failed("There is no host of this name.")


async def test_an_error_of_the_server_is_said(web: WebServer) -> None:
    result = await read(reader(), web.url("/missing"))
    assert result == ToolResult.failed("The server answered 404 and not the page.")


async def test_what_is_no_text_is_not_read(web: WebServer) -> None:
    result = await read(reader(), web.page("/", b"\x89PNG", "image/png"))
    assert result == ToolResult.failed("The page is no text: 'image/png'.")


async def test_a_long_text_says_where_it_was_cut_and_goes_on_there(web: WebServer) -> None:
    url = web.page("/", "ab" * MOST_CHARACTERS, "text/plain")

    first = (await read(reader(), url)).text
    last = (await read(reader(), url, start=MOST_CHARACTERS)).text

    assert first.endswith("[Cut: characters 0 to 20,000 of 40,000. Go on with start=20000.]")
    assert last.endswith("[Cut: characters 20,000 to 40,000 of 40,000.]")


async def test_a_large_page_is_read_up_to_the_bound_and_says_so(web: WebServer) -> None:
    url = web.page("/", "x" * 5000, "text/plain")
    web.endless.add("/")

    result = await read(reader(bounds=Bounds(most_bytes=1000)), url)

    assert (
        result.text
        == f"URL: {url}\n\n{'x' * 1000}\n[The page is longer: only its first 1,000 bytes were read.]"
    )


async def test_a_packed_page_is_unpacked_within_the_same_bound(web: WebServer) -> None:
    bomb = gzip.compress(b"y" * 50_000_000)
    url = web.page("/", bomb, "text/plain", "Content-Encoding: gzip")

    tracemalloc.start()
    result = await read(reader(bounds=Bounds(most_bytes=100)), url)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 10_000_000
    assert (
        result.text == f"URL: {url}\n\n{'y' * 100}\n[The page is longer: only its first 100 bytes were read.]"
    )


async def test_a_page_that_does_not_end_is_given_up_after_the_time(web: WebServer) -> None:
    url = web.page("/", "x", "text/plain")
    web.pages["/"] = web.pages["/"].replace(b"Content-Length: 1", b"Content-Length: 9")
    web.endless.add("/")

    async with asyncio.timeout(5):
        result = await read(reader(bounds=Bounds(seconds=0.2)), url)

    assert result == ToolResult.failed("The page did not come in time.")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nxyz",
    ],
)
async def test_a_broken_answer_fails_in_words(web: WebServer, answer: bytes) -> None:
    web.pages["/"] = answer
    result = await read(reader(), web.url("/"))
    assert result.outcome is ToolOutcome.FAILED
    assert "own" not in result.text
