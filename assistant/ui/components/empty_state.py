"""The empty page: one sentence, and examples that show what is special here."""

import reflex as rx

from assistant.ui import shown
from assistant.ui.composer import example

EXAMPLES = (
    ("Tell me something long", "A long answer, to reload in the middle of"),
    ("Show me some code", "Reload while it is being written"),
    ("Show me a table", "Close the tab, open it again"),
    ("Use some reasoning", "Thoughts first, then the answer"),
)


def empty_state() -> rx.Component:
    """Shown on a new page; a click on an example sends it."""
    return rx.cond(
        (shown.stands == "new") & (shown.rows.length() == 0),
        rx.el.section(
            rx.el.h1("Ask, then reload the page whenever you like."),
            rx.el.ul(
                *(rx.el.li(example(text=text, about=about)) for text, about in EXAMPLES),
                class_name="examples",
            ),
            class_name="empty",
            custom_attrs={"data-testid": "empty-state"},
        ),
    )
