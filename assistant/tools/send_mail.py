"""The tool that sends a mail, once a person approved it."""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from typing import Annotated, Protocol

from pydantic import Field

from assistant.domain.tools import ToolResult
from assistant.tools.definitions import Call, Tool, ToolFailed, tool

LONGEST_ADDRESS = 254
LONGEST_SUBJECT = 200
LONGEST_TEXT = 50_000

_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Post(Protocol):
    """Takes one mail; the same Message-ID twice is the same mail."""

    sender: str
    """The address that the mail comes from."""

    async def hand_in(self, mail: EmailMessage) -> ToolResult:
        """Take the mail, or say in the result that it did not, or that nobody knows."""
        ...


def send_mail_tool(post: Post, now: Callable[[], datetime]) -> Tool:
    """The tool `send_mail` over a post; `now` is UTC."""

    @tool(idempotent=False, needs_decision=True)
    async def send_mail(
        call: Call,
        to: Annotated[str, Field(max_length=LONGEST_ADDRESS)],
        subject: Annotated[str, Field(min_length=1, max_length=LONGEST_SUBJECT)],
        text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)],
    ) -> ToolResult:
        """Send a mail to one person. The user is asked first.

        to: the address alone, such as ann@example.org
        subject: one line
        text: plain text, as it will be read
        """
        if not _ADDRESS.fullmatch(to) or ".." in to:
            raise ToolFailed("`to` must be one mail address alone, such as ann@example.org.")
        if _CONTROL.search(subject):
            raise ToolFailed("`subject` must be one line without control characters.")
        mail = EmailMessage(policy=SMTP)
        mail["Message-ID"] = message_id(call.call_id, post.sender)
        mail["Date"] = now()
        mail["From"] = post.sender
        mail["To"] = to
        mail["Subject"] = subject
        mail.set_content(text)
        return await post.hand_in(mail)

    return send_mail


def message_id(call_id: str, sender: str) -> str:
    """The Message-ID of a call: the same for the same call, so that a mail sent twice is seen as one."""
    return f"<{hashlib.sha256(call_id.encode()).hexdigest()[:40]}@{sender.rpartition('@')[2]}>"
