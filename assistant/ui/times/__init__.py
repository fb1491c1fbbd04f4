"""Times on the page: told relatively, exact on hover and focus, in the reader's zone and language."""

import reflex as rx

from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "times.js", "telling.js")


class MessageTime(rx.Component):
    """When a message was written."""

    library = _FILES["times.js"].importable_path
    tag = "MessageTime"

    at: rx.Var[str]
    """ISO 8601."""


message_time = MessageTime.create
