"""Forget this browser: what it keeps of its owner goes, the cookie with it; the server keeps everything."""

import reflex as rx
from reflex.config import get_config
from reflex_base.constants import Env
from reflex_base.environment import environment

from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "forget.js", "forget.css")

STYLESHEET = _FILES["forget.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, before the theme."""


class ForgetBrowser(rx.Component):
    """A button that asks once more, in its own place, and then leads every tab of the browser away."""

    library = _FILES["forget.js"].importable_path
    tag = "ForgetBrowser"

    server: rx.Var[str]
    """Where the API is; "" for the origin of the page."""


def forget_browser() -> rx.Component:
    """For the foot of the list at the side."""
    two_ports = environment.REFLEX_ENV_MODE.get() == Env.DEV
    return ForgetBrowser.create(server=get_config().api_url if two_ports else "")
