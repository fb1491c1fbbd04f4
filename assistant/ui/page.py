"""The page `/`: sessions at the side, the conversation, the composer under it."""

import reflex as rx
from reflex_components_core.core.banner import has_connection_errors

from assistant.ui import shown
from assistant.ui.components.connection import connection
from assistant.ui.components.debug_panel import debug_panel
from assistant.ui.components.empty_state import empty_state
from assistant.ui.components.sidebar import sidebar
from assistant.ui.components.thread import notice, thread
from assistant.ui.composer import composer, outbox
from assistant.ui.scroll_keeper import scroll_keeper
from assistant.ui.states.draft import Drafts
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Live
from assistant.ui.states.wishes import Wishes
from assistant.ui.stream_text import stream_feed


def page() -> rx.Component:
    """Everything that a person sees."""
    return rx.el.div(
        shown.shown_keeper(),
        stream_feed(chunks=Live.chunks, sid=rx.cond(shown.is_restored, Page.sid, ""), ready=shown.ready),
        scroll_keeper(sid=shown.sid, ready=shown.stands),
        sidebar(),
        rx.el.main(
            empty_state(),
            thread(),
            outbox(),
            notice(),
            rx.el.div(
                composer(
                    sid=Page.sid,
                    ready=shown.ready,
                    busy_task=shown.busy_task,
                    replies=Wishes.replies,
                    model=shown.model,
                    can_send=~has_connection_errors,
                    on_send=Wishes.send,
                    on_stop=Wishes.stop,
                    on_ask=Wishes.ask,
                    on_withdraw=Wishes.withdraw,
                    on_draft=Drafts.save,
                    stored_draft=Drafts.stored,
                ),
                connection(),
                class_name="foot",
            ),
            class_name="conversation",
        ),
        debug_panel(),
        class_name="page",
    )
