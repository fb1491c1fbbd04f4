"""The draft of the session on the page: kept by the server a second after the last input."""

from typing import Any, TypedDict

import reflex as rx

from assistant.domain.errors import AssistantError
from assistant.domain.records import StoredDraft
from assistant.ui.asked import a_number, a_text, an_id, count_change
from assistant.ui.caller import services
from assistant.ui.states.held import Held, tell
from assistant.ui.states.page import Page


class DraftRow(TypedDict):
    """What the server keeps; the composer takes it when its version is higher than its own."""

    sid: str
    text: str
    version: int


NO_DRAFT: DraftRow = {"sid": "", "text": "", "version": 0}


class Drafts(Held, rx.State):
    """The draft that the server keeps of the session on the page; of whichever device it is."""

    stored: rx.Field[DraftRow] = rx.field(default_factory=lambda: NO_DRAFT)
    fingerprint: str = rx.SessionStorage("", name="held:draft")

    @rx.event(temporal=True)
    async def save(self, sid: str, text: str, version: int) -> None:
        """Keep a draft; the browser has it too, so a refusal here loses nothing."""
        if not sid:
            return
        try:
            owner_id = await count_change(self)
            await services().drafting.save(owner_id, an_id(sid), a_text(text), a_number(version))
        except AssistantError:
            return


async def show_draft(tab: Any, owner_id: str) -> None:
    """Tell a tab the draft of the session that it shows, which another device may have written. The composer
    takes it unless somebody is typing there."""
    async with tab:
        sid = (await tab.get_state(Page)).sid
    kept = await services().drafting.get(owner_id, sid) if sid else None
    if kept is None:
        return
    async with tab:
        if (await tab.get_state(Page)).sid == sid:
            await tell(tab, Drafts, stored=draft_row(kept))


def draft_row(kept: StoredDraft) -> DraftRow:
    """The row of a draft."""
    return {"sid": kept.session_id, "text": kept.text, "version": kept.version}
