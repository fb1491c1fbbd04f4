"""Whether the tab of a client token has its socket here.

Reflex ends what a page load began when the tab goes, and not what another handler began: a restore that the
page asked for itself follows too. So a follow looks here whether anybody is there to be told.
"""

from collections.abc import Callable, Container

_sockets: Callable[[], Container[str]] | None = None


def known_by(sockets: Callable[[], Container[str]]) -> None:
    """Where the tokens of this process's open sockets are found; before that every tab is there."""
    global _sockets
    _sockets = sockets


def is_here(token: str) -> bool:
    """Whether a tab of this name is connected to this process now."""
    return _sockets is None or token in _sockets()
