"""Parts that can be folded open, and are open again after a reload."""

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import FunctionStringVar, VarData

from assistant.ui.files_beside import files_beside

_MODULE = files_beside(__name__, __file__, "open_parts.js")["open_parts.js"]

_WAS_OPEN = FunctionStringVar.create(
    "wasOpen",
    _var_data=VarData(imports={_MODULE.importable_path: [ImportVar(tag="wasOpen")]}),
)


def folded(label: rx.Var[str], content: rx.Component, *, name: rx.Var[str]) -> rx.Component:
    """`content` behind a label; `name` tells this part from all others of the page."""
    return rx.el.details(
        rx.el.summary(label),
        content,
        open=_WAS_OPEN.call(name).to(bool),
        custom_attrs={"data-open-name": name},
    )
