"""A mail to send, and the way to read what was sent."""

import email
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MAIL = {"to": "ann@example.org", "subject": "Grüße 你好", "text": "One.\n.\nTwo é\n"}


def read(raw: bytes) -> EmailMessage:
    """A mail as whoever receives it reads it."""
    parsed = email.message_from_bytes(raw, policy=default)
    assert isinstance(parsed, EmailMessage)
    return parsed
