"""Parts that can be folded open, and are open again after a reload."""

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import FunctionStringVar, VarData

_MODULE = rx.asset("open_parts.js", shared=True)

_WAS_OPEN = FunctionStringVar.create(
    "wasOpen",
    _var_data=VarData(imports={_MODULE.importable_path: [ImportVar(tag="wasOpen")]}),
)


def folded(label: str, content: rx.Component, *, name: rx.Var[str]) -> rx.Component:
    """`content` behind a label; `name` tells this part from all others of the page."""
    return rx.el.details(
        rx.el.summary(label),
        content,
        open=_WAS_OPEN.call(name).to(bool),
        custom_attrs={"data-open-name": name},
    )
