"""The page as a whole: which session it shows, whether it is restored, what is busy, what to say."""

import reflex as rx

from assistant.ui.words import Told


class Page(rx.State):
    """The frame around the thread; rebuilt by every restore."""

    sid: rx.Field[str] = rx.field("")
    """The session shown; "" for a new one."""

    ready: rx.Field[str] = rx.field("")
    """"" while a restore runs, then the session restored, or "new"."""

    title: rx.Field[str] = rx.field("")
    model: rx.Field[str] = rx.field("")

    busy_task: rx.Field[str] = rx.field("")
    """The unfinished task of the session, which Stop would end; "" for none."""

    notice: rx.Field[Told] = rx.field(default_factory=dict)
    """What the user must know and no answer says, as `ui/words` tells it; empty for nothing."""

    recent: str = rx.LocalStorage("", name="recent-session")
    """The session that the bare address opens; written by the browser."""

    document: str = rx.SessionStorage("", name="document")
    """The name of the document in this tab; written by the browser, another one with every load."""

    stood_new: str = rx.SessionStorage("", name="stood-new")
    """The document that stood on a new page, without a session; written by the browser. A reconnect leaves it
    there, whatever session another tab has made the recent one meanwhile."""

    restored_for: rx.Field[str] = rx.field("")
    """The document for which the last restore ran."""

    failed_for: rx.Field[str] = rx.field("")
    """The document for which a restore failed last; the notice says why."""

    restored_on: rx.Field[str] = rx.field("")
    """The connection on which it ran: its name in the browser too."""

    unknown_on: rx.Field[str] = rx.field("")
    """The connection on which this browser was not known: its cookie is gone, or not valid any more."""

    _begun: str = ""
    """The session that the first send of this tab's new page made, until the URL names a session.

    A reload can come before the reply: the browser knows nothing of that session then (Case B009).
    """

    debug_tools: rx.Field[bool] = rx.field(False)
