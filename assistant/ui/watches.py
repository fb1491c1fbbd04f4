"""Watches that are open, by tab: whether a tab takes text from the server may change at any time.

A follow and the handlers of its tab run in the process that holds the tab's socket, so this needs no server.
"""

from collections.abc import Generator
from contextlib import contextmanager

from assistant.services.watching import Watch

_open: dict[str, tuple[str, Watch]] = {}


@contextmanager
def open_for(token: str, sid: str, watch: Watch) -> Generator[None]:
    """The watch of the tab with this client token over a session; a newer one takes its place."""
    ours = (sid, watch)
    _open[token] = ours
    try:
        yield
    finally:
        if _open.get(token) is ours:
            del _open[token]


def of(token: str, sid: str) -> Watch | None:
    """The watch of the tab, if it is one over this session."""
    found = _open.get(token)
    return found[1] if found and found[0] == sid else None
