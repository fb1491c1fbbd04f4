"""The foot of the sidebar: what concerns the owner and not one session."""

import reflex as rx

from assistant.ui.devices import device_button
from assistant.ui.files import import_button
from assistant.ui.forget import forget_browser
from assistant.ui.states.restore import Restore
from assistant.ui.words import language_button


def sidebar_foot() -> rx.Component:
    """A column of quiet buttons; in the sheet on phones."""
    return rx.el.div(
        import_button(on_open=Restore.open_session),
        device_button(),
        language_button(),
        forget_browser(),
        class_name="sidebar-foot",
    )
