"""Under which names the server answers."""

import pytest

from assistant.api.hosts import named_hosts
from tests.unit.api.asgi import Answering, client

ALLOWED = ("chat.example", "::1")


@pytest.mark.parametrize("host", ["chat.example", "CHAT.example:8000", "[::1]:8000"])
async def test_it_answers_under_the_names_it_was_given(host: str) -> None:
    async with client(named_hosts(ALLOWED)(Answering())) as browser:
        assert (await browser.get("/", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "chat.example.evil.example", "", "[", "chat.example@evil.example"]
)
async def test_it_answers_under_no_other(host: str) -> None:
    page = Answering()
    async with client(named_hosts(ALLOWED)(page)) as browser:
        answer = await browser.get("/", headers={"host": host})

    assert (answer.status_code, answer.json()["code"], page.asked) == (421, "misdirected", 0)


async def test_a_probe_may_ask_by_address() -> None:
    async with client(named_hosts(ALLOWED)(Answering())) as probe:
        assert (await probe.get("/health", headers={"host": "10.0.0.7:8000"})).status_code == 200


async def test_without_names_it_answers_under_any() -> None:
    async with client(named_hosts(())(Answering())) as browser:
        assert (await browser.get("/", headers={"host": "any.example"})).status_code == 200
