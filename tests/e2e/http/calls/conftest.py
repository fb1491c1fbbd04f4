"""One embedded process whose mails go to a server of the test: the ledger outside, which counts effects."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.e2e.http.stage import app_before
from tests.support.app_under_test import AppUnderTest
from tests.support.llm_server import ScriptedProvider
from tests.support.ports import free_port
from tests.support.smtp_server import SmtpServer, smtp_server

MAIL = {"to": "ada@example.org", "subject": "Lunch", "text": "At noon?"}


@pytest.fixture(scope="package")
def mail_port() -> int:
    return free_port()


@pytest.fixture(scope="package")
def serving(provider_port: int, mail_port: int) -> Iterator[AppUnderTest]:
    environment = {
        "ASSISTANT_MODEL_CONTINUES_PREFIX": "false",
        "ASSISTANT_SMTP_URL": f"smtp://127.0.0.1:{mail_port}?from=assistant@example.org",
    }
    with app_before(provider_port, environment) as app:
        yield app


@pytest.fixture
async def post(mail_port: int) -> AsyncIterator[SmtpServer]:
    """The mail server; `mails` are the effects."""
    async with smtp_server(mail_port) as served:
        yield served


def asks_for_a_mail(provider: ScriptedProvider) -> None:
    """The model asks for one mail, and then says what came of it."""
    provider.script().say("I will write. ").call("send_mail", MAIL)
    provider.say("That is done.")
