"""The empty page: one sentence, and examples that show what is special here."""

import reflex as rx

from assistant.ui.components.this_document import ready
from assistant.ui.composer import example
from assistant.ui.states.thread import Thread

EXAMPLES = (
    ("Tell me something long", "A long answer, to reload in the middle of"),
    ("Show me some code", "Reload while it is being written"),
    ("Show me a table", "Close the tab, open it again"),
    ("Use some reasoning", "Thoughts first, then the answer"),
)


def empty_state() -> rx.Component:
    """Shown once a new page is ready; a click on an example sends it."""
    return rx.cond(
        (ready == "new") & (Thread.rows.length() == 0),
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
