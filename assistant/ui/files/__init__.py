"""A session as a file, on the page: saved by plain links, and imported at the foot of the list.

Both ask the API (`api/files.py`): a file is no matter for a socket.
"""

import reflex as rx
from reflex_base.event import passthrough_event_spec

from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "files.js", "importing.js", "files.css")

STYLESHEET = _FILES["files.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, after those whose colours it uses."""


class ImportButton(rx.Component):
    """Chooses a file, says how far it is, and opens what was made of it."""

    library = _FILES["files.js"].importable_path
    tag = "ImportButton"

    on_open: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]


import_button = ImportButton.create
