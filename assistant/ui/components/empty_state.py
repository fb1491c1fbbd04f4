"""The empty page: one sentence, and examples that show what is special here."""

import reflex as rx

from assistant.ui import shown
from assistant.ui.composer import example
from assistant.ui.words import word

EXAMPLES = ("long", "clock", "count", "mail", "both", "fails")
"""Their places in the tables: `empty.long` is sent, `empty.longAbout` says what it shows."""


def empty_state() -> rx.Component:
    """Shown on a new page; a click on an example sends it."""
    return rx.cond(
        (shown.stands == "new") & (shown.rows.length() == 0),
        rx.el.section(
            rx.el.h1(word("empty.title")),
            rx.el.ul(
                *(rx.el.li(_example(name)) for name in EXAMPLES),
                class_name="examples",
            ),
            class_name="empty",
            custom_attrs={"data-testid": "empty-state"},
        ),
    )


def _example(name: str) -> rx.Component:
    return example(text=word(f"empty.{name}"), about=word(f"empty.{name}About"))
