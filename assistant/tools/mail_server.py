"""A post by SMTP, through aiosmtplib: what failed before the mail was handed over was not sent, and what
failed after is unknown.

    connect, TLS, login, MAIL, RCPT      any failure: not sent
    DATA, the mail, the server's reply   a reply of refusal: not sent; no reply: nobody knows
"""

import ipaddress
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from urllib.parse import parse_qs, unquote, urlsplit

import aiosmtplib

from assistant.domain.tools import ToolResult

REPLY_SECONDS = 20.0
"""How long each reply of the server is waited for."""

QUIT_SECONDS = 1.0

_UNCONFIRMED = "The mail server did not confirm that it took the mail: it may have been sent, or not."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mails are handed in, and as whom."""

    host: str
    port: int
    tls: bool
    """TLS from the first byte; else STARTTLS, without which no password is sent but on this machine."""

    username: str | None
    password: str | None = field(repr=False)
    sender: str

    @classmethod
    def at(cls, url: str) -> "MailServer":
        """From `smtp://` or `smtps://[user:password@]host[:port][?from=address]`.

        Without `from` the user name is the sender if it is an address, else `assistant@<host>`.
        """
        parts = urlsplit(url)
        tls = parts.scheme == "smtps"
        host = parts.hostname or "localhost"
        username = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        own = username if username and "@" in username else f"assistant@{host}"
        sender = parse_qs(parts.query).get("from", [own])[0]
        port = parts.port or (465 if tls else 587 if username else 25)
        return cls(host, port, tls, username, password, sender)


class SmtpPost:
    """`send_mail.Post` on a mail server; one connection a mail, closed when cancelled."""

    def __init__(self, server: MailServer, *, reply_seconds: float = REPLY_SECONDS) -> None:
        self.sender = server.sender
        self._server = server
        self._reply_seconds = reply_seconds

    async def hand_in(self, mail: EmailMessage) -> ToolResult:
        """Hand the mail to the server, which sends it on."""
        smtp = self._opening()
        try:
            try:
                await smtp.connect()
                await smtp.mail(self.sender)
                await smtp.rcpt(str(mail["To"]))
            except (aiosmtplib.SMTPException, OSError) as error:
                return _told(mail, error, ToolResult.failed(f"Not sent: {_in_words(error)}."))
            try:
                await smtp.data(mail.as_bytes())
            except aiosmtplib.SMTPDataError as error:
                return _told(mail, error, ToolResult.failed(f"Not sent: {_in_words(error)}."))
            except (aiosmtplib.SMTPException, OSError) as error:
                return _told(mail, error, ToolResult.unknown(_UNCONFIRMED))
            with suppress(aiosmtplib.SMTPException, OSError):
                await smtp.quit(timeout=QUIT_SECONDS)
        finally:
            smtp.close()
        return ToolResult(f"The mail to {mail['To']} was handed to the mail server.")

    def _opening(self) -> aiosmtplib.SMTP:
        server = self._server
        in_clear = not server.tls and (server.password is None or _is_here(server.host))
        return aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            username=server.username,
            password=server.password,
            local_hostname=server.sender.rpartition("@")[2],
            timeout=self._reply_seconds,
            use_tls=server.tls,
            # None: if the server offers it.
            start_tls=False if server.tls else None if in_clear else True,
        )


def _told(mail: EmailMessage, error: Exception, result: ToolResult) -> ToolResult:
    """The result, after the operator was told too: by kind and code, since a reply may quote the mail."""
    code = getattr(error, "code", None)
    _log.warning("mail %s: %s %s, %s", mail["Message-ID"], type(error).__name__, code, result.outcome)
    return result


def _in_words(error: Exception) -> str:
    match error:
        case aiosmtplib.SMTPRecipientRefused():
            return f"the mail server refused the address ({error.code})"
        case aiosmtplib.SMTPAuthenticationError():
            return "the mail server did not accept the assistant's login"
        case aiosmtplib.SMTPResponseException():
            return f"the mail server refused the mail ({error.code})"
        case _:
            return "the mail server could not be reached, or not safely"


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
