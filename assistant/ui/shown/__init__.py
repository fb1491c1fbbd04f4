"""What the page shows: what was restored for this document, and before that what it showed last.

Reflex hands a new document of the same tab what the last one was told, before the restore begins: rows
without their texts, and `ready` although nothing is. A server that was started anew hands out an empty state.
The page takes neither: it draws what the browser kept (sessionStorage `page`) until its own restore has run,
so a reload and a reconnect draw the same page again (DESIGN 7, step 5).

Every component reads what it draws from here and not from the states.
"""

from typing import Any

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside
from assistant.ui.rows import MessageRow, QueuedRow, SessionRow, TaskRow
from assistant.ui.states.page import Page
from assistant.ui.states.promised import Unheld
from assistant.ui.states.queue import Queue
from assistant.ui.states.settings import Choices, Parameters, ToolRow
from assistant.ui.states.thread import Live, Running, Sessions, Settled, Thread
from assistant.ui.words import Told

_DOCUMENT = files_beside(__name__, __file__, "this_document.js")["this_document.js"]
_MODULE = files_beside(__name__, __file__, "shown.js")["shown.js"]

_NAME = rx.Var(
    "documentName",
    _var_type=str,
    _var_data=VarData(imports={_DOCUMENT.importable_path: [ImportVar(tag="documentName")]}),
)


def _kept(name: str, type_: Any) -> rx.Var[Any]:
    return rx.Var(
        f"kept.{name}",
        _var_type=type_,
        _var_data=VarData(
            imports={_MODULE.importable_path: [ImportVar(tag="useKept")]},
            hooks={"const kept = useKept();": None},
        ),
    )


def _shown(restored: Any, name: str, type_: Any) -> Any:
    return rx.cond(is_restored, restored, _kept(name, type_)).to(type_)


is_restored = Page.restored_for == _NAME
"""A restore has run for this document; it stays so while the link comes and goes."""

ready = rx.cond(is_restored, Page.ready, "")
"""`Page.ready`, never that of an earlier document."""

sid = _shown(Page.sid, "sid", str)
"""The session on the page; "" for a new one, and before anything is known."""

title = _shown(Page.title, "title", str)
"""The title of the session; "" for none."""

stands = rx.cond(is_restored & (Page.ready != ""), Page.ready, _kept("ready", str)).to(str)
"""The session, or "new", whose rows are on the page, restored or kept; "" before there are any."""

model = _shown(Page.model, "model", str)
parameters = _shown(Parameters.values, "parameters", dict[str, Any])
models = _shown(Choices.models, "models", list[str])
tools = _shown(Choices.tools, "tools", list[ToolRow])
busy_task = _shown(Page.busy_task, "busy_task", str)
notice: rx.vars.ObjectVar[Told] = rx.cond(
    is_restored | (Page.failed_for == _NAME), Page.notice, _kept("notice", Told)
).to(Told)
rows = _shown(Thread.rows, "rows", list[MessageRow])
has_older = _shown(Thread.has_older, "has_older", bool)
has_newer = _shown(Thread.has_newer, "has_newer", bool)
summary: rx.vars.ObjectVar[dict[str, str]] = _shown(Thread.summary, "summary", dict[str, str])
running: rx.vars.ObjectVar[dict[str, TaskRow]] = _shown(Running.tasks, "running", dict[str, TaskRow])
settled: rx.vars.ObjectVar[dict[str, TaskRow]] = _shown(Settled.tasks, "settled", dict[str, TaskRow])
queued = _shown(Queue.rows, "queued", list[QueuedRow])
has_more_sessions = _shown(Sessions.has_more, "has_more_sessions", bool)
sessions = _shown(Sessions.rows, "sessions", list[SessionRow])


class ShownKeeper(rx.Component):
    """Invisible, one a page, before whatever it keeps."""

    library = _MODULE.importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES
    tag = "ShownKeeper"

    is_restored: rx.Var[bool]
    sid: rx.Var[str]
    ready: rx.Var[str]
    title: rx.Var[str]
    model: rx.Var[str]
    parameters: rx.Var[dict[str, Any]]
    models: rx.Var[list[str]]
    tools: rx.Var[list[ToolRow]]
    busy_task: rx.Var[str]
    notice: rx.Var[Told]
    rows: rx.Var[list[MessageRow]]
    has_older: rx.Var[bool]
    has_newer: rx.Var[bool]
    summary: rx.Var[dict[str, str]]
    running: rx.Var[dict[str, TaskRow]]
    settled: rx.Var[dict[str, TaskRow]]
    queued: rx.Var[list[QueuedRow]]
    sessions: rx.Var[list[SessionRow]]
    has_more_sessions: rx.Var[bool]

    promised: rx.Var[str]
    """What the page should hold, as the server says with every beat."""

    holds: rx.Var[str]
    """What it holds."""

    on_unheld: rx.EventHandler[rx.event.no_args_event_spec]  # ty: ignore[invalid-type-form]
    """It holds something else: an update was lost."""


def shown_keeper() -> rx.Component:
    """Keeps what the states hold as soon as it is restored for this document."""
    return ShownKeeper.create(
        is_restored=is_restored,
        sid=Page.sid,
        ready=Page.ready,
        title=Page.title,
        model=Page.model,
        parameters=Parameters.values,
        models=Choices.models,
        tools=Choices.tools,
        busy_task=Page.busy_task,
        notice=Page.notice,
        rows=Thread.rows,
        has_older=Thread.has_older,
        has_newer=Thread.has_newer,
        summary=Thread.summary,
        running=Running.tasks,
        settled=Settled.tasks,
        queued=Queue.rows,
        sessions=Sessions.rows,
        has_more_sessions=Sessions.has_more,
        promised=Live.promised,
        holds=Thread.fingerprint + Settled.fingerprint + Running.fingerprint,
        on_unheld=Unheld.tell_all,
    )
