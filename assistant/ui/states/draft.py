"""The draft of the session on the page: kept by the server a second after the last input."""

from typing import TypedDict

import reflex as rx

from assistant.domain.errors import AssistantError
from assistant.ui.caller import owner_of, services


class DraftRow(TypedDict):
    """What the server keeps; the composer takes it when its version is higher than its own."""

    sid: str
    text: str
    version: int


NO_DRAFT: DraftRow = {"sid": "", "text": "", "version": 0}


class Drafts(rx.State):
    """The stored draft that the page was restored with."""

    stored: rx.Field[DraftRow] = rx.field(default_factory=lambda: NO_DRAFT)

    @rx.event(temporal=True)
    async def save(self, sid: str, text: str, version: int) -> None:
        """Keep a draft; the browser has it too, so a refusal here loses nothing."""
        if not sid:
            return
        try:
            await services().drafting.save(owner_of(self), sid, text, version)
        except AssistantError:
            return
