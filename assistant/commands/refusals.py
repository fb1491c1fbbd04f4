"""Reasons why a command cannot start, told in one line instead of a traceback."""

from assistant.domain.errors import NotReady
from assistant.engine.solitary import NotAlone
from assistant.settings import SettingsError


class CannotStart(Exception):
    """The command refuses to start; the message says what to change."""


REFUSED = (CannotStart, NotAlone, NotReady, SettingsError)


def explained(refusal: BaseException) -> str:
    """Return the line that a person at a terminal gets."""
    return str(refusal) if isinstance(refusal, SettingsError) else f"Cannot start: {refusal}"
