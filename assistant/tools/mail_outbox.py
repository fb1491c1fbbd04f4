"""A post without a mail server: one .eml file a mail, in a folder that a person can open."""

import logging
import os
import secrets
from email.message import EmailMessage
from pathlib import Path

from assistant.domain.tools import ToolResult
from assistant.tools.threads import in_thread

_log = logging.getLogger(__name__)


class LocalOutbox:
    """`send_mail.Post` on a folder, which is made when it is needed, for its user alone."""

    sender = "assistant@localhost"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def hand_in(self, mail: EmailMessage) -> ToolResult:
        """Write the mail, unless the file of its Message-ID is there already; it is whole or absent."""
        try:
            await in_thread(lambda: self._write(mail), name="mail outbox")
        except OSError:
            _log.exception("the mail %s was not put into the outbox", mail["Message-ID"])
            return ToolResult.failed("Not sent: the mail could not be put into the local outbox.")
        return ToolResult(
            f"No mail server is set up: the mail to {mail['To']} was put into the local outbox and not sent."
        )

    def _write(self, mail: EmailMessage) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = str(mail["Message-ID"]).strip("<>").partition("@")[0]
        file = self._folder / f"{name}.eml"
        draft = self._folder / f".{name}.{secrets.token_hex(4)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(mail.as_bytes())
                opened.flush()
                os.fsync(opened.fileno())
            # A link, unlike a rename, never replaces the mail that is there.
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
