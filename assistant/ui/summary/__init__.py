"""The quiet line where a summary ends and messages are told whole; its text is asked of the API."""

import reflex as rx

from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "summary.js", "summary.css")

STYLESHEET = _FILES["summary.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, after that of `stream_text`, whose colours it uses."""


class SummaryLine(rx.Component):
    """After the message through which the summary goes."""

    library = _FILES["summary.js"].importable_path
    tag = "SummaryLine"

    sid: rx.Var[str]
    summary: rx.Var[str]
    """Its id."""


summary_line = SummaryLine.create
