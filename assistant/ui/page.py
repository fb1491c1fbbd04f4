"""The page `/`: sessions at the side, the conversation, the composer under it."""

import reflex as rx

from assistant.services.restoring import MOST_FOLLOWED, MOST_MESSAGES
from assistant.ui import link, shown, tabs
from assistant.ui.components.debug_panel import debug_panel
from assistant.ui.components.empty_state import empty_state
from assistant.ui.components.sidebar import sidebar
from assistant.ui.components.thread import notice, thread
from assistant.ui.composer import composer, outbox
from assistant.ui.devices import owner_keeper
from assistant.ui.paging import paging_keeper
from assistant.ui.scroll_keeper import scroll_keeper, to_newest
from assistant.ui.session_settings import session_settings
from assistant.ui.share import share_button
from assistant.ui.states.draft import Drafts
from assistant.ui.states.missed import Missed
from assistant.ui.states.page import Page
from assistant.ui.states.paging import Paging
from assistant.ui.states.shares import Shares
from assistant.ui.states.tabs import Tabs
from assistant.ui.states.thread import Live
from assistant.ui.states.wishes import Wishes
from assistant.ui.stream_text import chunk_room, stream_feed
from assistant.ui.wish import wish_keeper
from assistant.ui.words import words_keeper


def page() -> rx.Component:
    """Everything that a person sees."""
    return rx.el.div(
        words_keeper(title="main"),
        shown.shown_keeper(),
        chunk_room(Live, "chunks"),
        stream_feed(
            sid=rx.cond(shown.is_restored, Page.sid, ""),
            ready=shown.ready,
            on_missed=Missed.tell_again,
            on_whole=Missed.tell_whole,
        ),
        link.link_keeper(),
        owner_keeper(),
        tabs.tabs_keeper(sid=Page.sid, ready=shown.ready, link=link.state, on_lead=Tabs.lead),
        wish_keeper(replies=Wishes.replies, ready=link.ready, on_withdraw=Wishes.withdraw),
        scroll_keeper(sid=shown.sid, ready=shown.stands),
        paging_keeper(
            stands=shown.stands,
            rows=shown.rows,
            has_older=shown.has_older,
            has_newer=shown.has_newer,
            most=MOST_MESSAGES,
            most_followed=MOST_FOLLOWED,
            carries=link.carries,
            on_older=Paging.older,
            on_newer=Paging.newer,
            on_newest=Paging.newest,
        ),
        sidebar(),
        share_button(
            sid=shown.sid,
            share=Shares.row,
            carries=link.carries,
            on_look=Shares.look,
            on_share=Shares.share,
            on_unshare=Shares.unshare,
        ),
        rx.el.main(
            empty_state(),
            thread(),
            outbox(sid=shown.sid, on_release=Wishes.release),
            notice(),
            rx.el.div(
                to_newest(),
                composer(
                    session_settings(
                        place=shown.stands,
                        model=shown.model,
                        parameters=shown.parameters,
                        models=shown.models,
                        tools=shown.tools,
                        carries=link.carries,
                        on_configure=Wishes.configure,
                    ),
                    sid=Page.sid,
                    ready=link.ready,
                    busy_task=shown.busy_task,
                    replies=Wishes.replies,
                    queued=shown.queued,
                    can_send=link.takes,
                    carries=link.carries,
                    on_send=Wishes.send,
                    on_stop=Wishes.stop,
                    on_ask=Wishes.ask,
                    on_withdraw=Wishes.withdraw,
                    on_rewrite=Wishes.rewrite,
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
