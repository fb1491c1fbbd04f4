"""A key for a wish, minted by the browser at the moment of the click (DESIGN 8)."""

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

_MODULE = rx.asset("keys.js", shared=True)


def minted() -> rx.Var[str]:
    """An expression that gives a new key each time an event is sent."""
    imported = {_MODULE.importable_path: [ImportVar(tag="mintKey")]}
    return rx.Var("mintKey()", _var_data=VarData(imports=imported), _var_type=str)
