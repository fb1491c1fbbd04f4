"""The quiet line that says when the link to the server is down; never a modal, never a banner."""

import reflex as rx
from reflex_components_core.core.banner import has_connection_errors


def connection() -> rx.Component:
    """One line of small text; it appears two seconds after the link went."""
    return rx.el.p(
        rx.cond(has_connection_errors, "Reconnecting. What you see is kept.", ""),
        class_name=rx.cond(has_connection_errors, "connection connection-down", "connection"),
        role="status",
        custom_attrs={
            "data-testid": "connection",
            "data-state": rx.cond(has_connection_errors, "reconnecting", "connected"),
        },
    )
