"""The messages that wait at the server for their turn."""

import reflex as rx

from assistant.ui.rows import QueuedRow
from assistant.ui.states.held import Held


class Queue(Held, rx.State):
    """Those of the session on the page, the oldest first."""

    rows: rx.Field[list[QueuedRow]] = rx.field(default_factory=list)
    fingerprint: str = rx.SessionStorage("", name="held:queue")
