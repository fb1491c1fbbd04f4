"""The messages that wait at the server for their turn."""

import reflex as rx

from assistant.ui.rows import QueuedRow


class Queue(rx.State):
    """Those of the session on the page, the oldest first."""

    rows: rx.Field[list[QueuedRow]] = rx.field(default_factory=list)
