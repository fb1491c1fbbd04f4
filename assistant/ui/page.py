"""The page `/`: sessions at the side, the conversation, the composer under it."""

import reflex as rx

from assistant.ui import link, shown
from assistant.ui.components.debug_panel import debug_panel
from assistant.ui.components.empty_state import empty_state
from assistant.ui.components.sidebar import sidebar
from assistant.ui.components.thread import notice, thread
from assistant.ui.composer import composer, outbox
from assistant.ui.scroll_keeper import scroll_keeper, to_newest
from assistant.ui.states.draft import Drafts
from assistant.ui.states.missed import Missed
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Live
from assistant.ui.states.wishes import Wishes
from assistant.ui.stream_text import chunk_room, stream_feed
from assistant.ui.wish import wish_keeper


def page() -> rx.Component:
    """Everything that a person sees."""
    return rx.el.div(
        shown.shown_keeper(),
        chunk_room(Live, "chunks"),
        stream_feed(
            sid=rx.cond(shown.is_restored, Page.sid, ""), ready=shown.ready, on_missed=Missed.tell_again
        ),
        link.link_keeper(),
        wish_keeper(replies=Wishes.replies, ready=link.ready, on_withdraw=Wishes.withdraw),
        scroll_keeper(sid=shown.sid, ready=shown.stands),
        sidebar(),
        rx.el.main(
            empty_state(),
            thread(),
            outbox(sid=shown.sid, on_release=Wishes.release),
            notice(),
            rx.el.div(
                to_newest(label="To the newest"),
                composer(
                    sid=Page.sid,
                    ready=link.ready,
                    busy_task=shown.busy_task,
                    replies=Wishes.replies,
                    queued=shown.queued,
                    model=shown.model,
                    can_send=link.takes,
                    carries=link.carries,
                    on_send=Wishes.send,
                    on_stop=Wishes.stop,
                    on_ask=Wishes.ask,
                    on_withdraw=Wishes.withdraw,
                    on_draft=Drafts.save,
                    stored_draft=Drafts.stored,
                ),
                link.connection(),
                class_name="foot",
            ),
            class_name="conversation",
        ),
        debug_panel(),
        class_name="page",
    )
