"""The share of the session on the owner's page: asked about, made and taken back."""

from typing import Any, TypedDict

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound
from assistant.domain.records import WishKind
from assistant.services.sharing import wish_to_share
from assistant.services.wishes import wish_about
from assistant.ui.asked import an_id
from assistant.ui.caller import owner_of, services
from assistant.ui.states.held import Held
from assistant.ui.states.wishes import Wishes


class ShareRow(TypedDict):
    """What the page knows of the link of a session."""

    sid: str
    """The session that was asked about."""

    token: str
    """"" when it is not shared."""

    with_arguments: bool


NOT_ASKED: ShareRow = {"sid": "", "token": "", "with_arguments": False}


class Shares(Held, rx.State):
    """The link of the session that was asked about last; told when asked for, never with a connection."""

    row: rx.Field[ShareRow] = rx.field(default_factory=lambda: NOT_ASKED)

    @rx.event(temporal=True)
    async def look(self, sid: str) -> None:
        """Say whether a session is shared, and by which link."""
        await _tell(self, sid)

    @rx.event(temporal=True)
    async def share(self, sid: str, with_arguments: bool, key: str) -> None:
        """Share a session, or say anew what readers see of its tools."""
        allowed = with_arguments is True
        wish = wish_to_share(key, sid, with_arguments=allowed)
        wishes = await self.get_state(Wishes)
        await wishes._once(
            key,
            lambda owner: services().sharing.share(owner, an_id(sid), with_arguments=allowed, wish=wish),
        )
        await _tell(self, sid)

    @rx.event(temporal=True)
    async def unshare(self, sid: str, key: str) -> None:
        """Take the link back: whoever reads by it sees nothing any more."""
        wish = wish_about(WishKind.UNSHARE, sid, key)
        wishes = await self.get_state(Wishes)
        await wishes._once(key, lambda owner: services().sharing.revoke(owner, an_id(sid), wish))
        await _tell(self, sid)


async def _tell(state: Any, sid: str) -> None:
    """Tell how it stands in the store, for the owner who asks."""
    row: ShareRow = {"sid": str(sid), "token": "", "with_arguments": False}
    try:
        share = await services().sharing.of_session(owner_of(state), an_id(sid))
    except NotFound:
        pass
    except AssistantError:
        return  # the page asks again when it is opened the next time
    else:
        row = {**row, "token": services().sharing.token(share), "with_arguments": share.with_arguments}
    state.row = row
