"""The empty page: one sentence, and examples that show what is special here."""

import reflex as rx

from assistant.ui.components.keys import minted
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Thread
from assistant.ui.states.wishes import Wishes

EXAMPLES = (
    ("A long answer, to reload in the middle of", "Tell me something long"),
    ("Code, while it is being written", "Show me some code"),
    ("A table", "Show me a table"),
    ("Thinking first, then the answer", "Use some reasoning"),
)


def empty_state() -> rx.Component:
    """Shown once a new page is ready; a click on an example sends it."""
    return rx.cond(
        (Page.ready == "new") & (Thread.rows.length() == 0),
        rx.el.section(
            rx.el.h1("Ask, then reload the page whenever you like."),
            rx.el.ul(*(_example(words, text) for words, text in EXAMPLES), class_name="examples"),
            class_name="empty",
            custom_attrs={"data-testid": "empty-state"},
        ),
    )


def _example(words: str, text: str) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            rx.el.span(text, class_name="example-text"),
            rx.el.span(words, class_name="example-words"),
            on_click=Wishes.send(minted(), text, ""),
            type="button",
            class_name="example",
            custom_attrs={"data-testid": "example"},
        )
    )
