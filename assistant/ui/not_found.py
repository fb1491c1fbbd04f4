"""What stands at an address that is none of ours."""

import reflex as rx


def not_found() -> rx.Component:
    """One sentence and the way home."""
    return rx.el.main(
        rx.el.h1("There is nothing here."),
        rx.el.p(rx.el.a("To the assistant", href="/")),
        class_name="not-found",
    )
