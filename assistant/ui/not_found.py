"""What stands at an address that is none of ours."""

import reflex as rx

from assistant.ui.words import word, words_keeper


def not_found() -> rx.Component:
    """One sentence and the way home."""
    return rx.el.main(
        words_keeper(title="missing"),
        rx.el.h1(word("page.nothing")),
        rx.el.p(rx.el.a(word("page.home"), href="/")),
        class_name="not-found",
        custom_attrs={"data-testid": "not-found"},
    )
