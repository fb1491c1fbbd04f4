"""Whether what the state holds was restored for the document that the browser shows now.

Reflex hands a new document of the same tab what the last one was told, before the restore begins: rows
without their texts, and `ready` although nothing is. The page waits for its own restore.
"""

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from assistant.ui.states.page import Page

_MODULE = rx.asset("this_document.js", shared=True)

_NAME = rx.Var(
    "documentName",
    _var_type=str,
    _var_data=VarData(imports={_MODULE.importable_path: [ImportVar(tag="documentName")]}),
)

is_restored = Page.restored_for == _NAME
"""A restore has run for this document; it stays so while the link comes and goes."""

ready = rx.cond(is_restored, Page.ready, "")
"""`Page.ready`, never that of an earlier document."""
