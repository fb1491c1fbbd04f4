"""What stands in the place of a session's messages while they take their time (LOOK: restoring)."""

import reflex as rx

from assistant.ui import shown

_LINES = ("92%", "100%", "64%")


def skeleton() -> rx.Component:
    """Nothing for 300 ms, as `ui/document` counts them; then the outlines of a question and its answer."""
    return rx.cond(
        shown.stands == "",
        rx.el.div(
            rx.el.div(class_name="skeleton-question"),
            *(rx.el.div(class_name="skeleton-line", style={"width": width}) for width in _LINES),
            class_name="skeleton",
            aria_hidden="true",
            custom_attrs={"data-testid": "skeleton"},
        ),
    )
