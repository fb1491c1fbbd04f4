"""The page `/`."""

import reflex as rx


def page() -> rx.Component:
    """Say who we are, and whether the socket to the server stands."""
    return rx.el.main(
        rx.el.h1("Assistant"),
        rx.el.p(
            rx.cond(rx.State.is_hydrated, "connected", "connecting"),
            custom_attrs={"data-testid": "connection"},
        ),
    )
