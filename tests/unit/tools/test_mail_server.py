"""Mails over SMTP: what failed before the mail was handed over was not sent; what came after is unknown."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from assistant.domain.tools import ToolOutcome, ToolResult
from assistant.tools import mail_server
from assistant.tools.mail_server import MailServer, SmtpPost
from assistant.tools.registry import ToolRegistry
from assistant.tools.send_mail import send_mail_tool
from tests.support.ports import free_port
from tests.support.smtp_server import SmtpServer, smtp_server
from tests.unit.tools.mails import MAIL, NOON, read


@pytest.fixture
async def server() -> AsyncGenerator[SmtpServer]:
    async with smtp_server() as served:
        yield served


async def send(to_server: MailServer, reply_seconds: float = 5) -> ToolResult:
    post = SmtpPost(to_server, reply_seconds=reply_seconds)
    registry = ToolRegistry([send_mail_tool(post, lambda: NOON)])
    return await registry.run("send_mail", MAIL, call_id="call-1", owner_id="owner-1")


async def test_a_mail_is_handed_to_the_server_as_it_was_approved(server: SmtpServer) -> None:
    result = await send(MailServer.at(server.url))

    (raw,) = server.mails
    mail = read(raw.removesuffix(b".\r\n").replace(b"\r\n..", b"\r\n."))
    assert result == ToolResult("The mail to ann@example.org was handed to the mail server.")
    assert (mail["From"], mail["To"], mail["Subject"]) == (
        "assistant@example.org",
        MAIL["to"],
        MAIL["subject"],
    )
    assert mail.get_content().replace("\r\n", "\n") == MAIL["text"]


async def test_the_same_call_twice_is_the_same_mail_to_the_server(server: SmtpServer) -> None:
    for _ in range(2):
        await send(MailServer.at(server.url))
    one, other = (read(raw)["Message-ID"] for raw in server.mails)
    assert one == other


@pytest.mark.parametrize(
    ("verb", "reply"), [("MAIL", "550 no"), ("RCPT", "550 who"), ("DATA", "451 later"), ("mail", "554 spam")]
)
async def test_a_refusal_means_not_sent(server: SmtpServer, verb: str, reply: str) -> None:
    server.replies[verb] = reply
    result = await send(MailServer.at(server.url))
    assert result.outcome is ToolOutcome.FAILED
    assert reply[:3] in result.text


@pytest.mark.parametrize("verb", ["EHLO", "MAIL", "RCPT"])
async def test_a_connection_that_ends_before_the_mail_means_not_sent(server: SmtpServer, verb: str) -> None:
    server.hangs_up_after = verb
    assert (await send(MailServer.at(server.url))).outcome is ToolOutcome.FAILED
    assert not server.mails


async def test_a_connection_that_ends_after_the_mail_leaves_the_outcome_unknown(server: SmtpServer) -> None:
    server.hangs_up_after = "mail"
    assert (await send(MailServer.at(server.url))).outcome is ToolOutcome.UNKNOWN
    assert len(server.mails) == 1


async def test_a_reply_that_does_not_come_after_the_mail_leaves_the_outcome_unknown(
    server: SmtpServer,
) -> None:
    server.silent_after = "mail"
    assert (await send(MailServer.at(server.url), 0.2)).outcome is ToolOutcome.UNKNOWN


async def test_a_failing_good_bye_changes_nothing(server: SmtpServer) -> None:
    server.hangs_up_after = "QUIT"
    assert (await send(MailServer.at(server.url))).outcome is ToolOutcome.OK


async def test_no_server_means_not_sent() -> None:
    result = await send(MailServer.at(f"smtp://127.0.0.1:{free_port()}"))
    assert result.outcome is ToolOutcome.FAILED
    assert "127.0.0.1" not in result.text


@pytest.mark.parametrize("on_this_machine", [True, False])
async def test_a_password_is_sent_in_clear_on_this_machine_only(
    server: SmtpServer, monkeypatch: pytest.MonkeyPatch, on_this_machine: bool
) -> None:
    monkeypatch.setattr(mail_server, "_is_here", lambda host: on_this_machine)
    server.replies = {"EHLO": "250-here\r\n250 AUTH PLAIN", "AUTH": "235 welcome"}
    result = await send(replace(MailServer.at(server.url), username="me", password="secret"))
    assert ("AUTH" in server.verbs) == on_this_machine
    assert (result.outcome is ToolOutcome.OK) == on_this_machine


async def test_a_login_that_is_refused_means_not_sent(server: SmtpServer) -> None:
    server.replies = {"EHLO": "250-here\r\n250 AUTH PLAIN", "AUTH": "535 no"}
    result = await send(replace(MailServer.at(server.url), username="me", password="secret"))
    assert result == ToolResult.failed("Not sent: the mail server did not accept the assistant's login.")


async def test_cancelling_a_mail_closes_its_connection(server: SmtpServer) -> None:
    server.silent_after = "RCPT"
    sending = asyncio.create_task(send(MailServer.at(server.url)))
    await server.silent.wait()
    sending.cancel()
    await asyncio.wait([sending])
    async with asyncio.timeout(5):
        await server.left.wait()
    assert not server.mails


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.test", MailServer("mail.test", 25, False, None, None, "assistant@mail.test")),
        (
            "smtp://me%40x.test:p%3Aw@mail.test",
            MailServer("mail.test", 587, False, "me@x.test", "p:w", "me@x.test"),
        ),
        (
            "smtps://me:pw@mail.test:99?from=bot@x.test",
            MailServer("mail.test", 99, True, "me", "pw", "bot@x.test"),
        ),
        ("smtps://mail.test", MailServer("mail.test", 465, True, None, None, "assistant@mail.test")),
    ],
)
def test_the_setting_says_server_login_and_sender(url: str, server: MailServer) -> None:
    assert MailServer.at(url) == server
    assert "pw" not in repr(MailServer.at(url))
