"""What the user wants done: each handler parses, calls one use case and assigns the reply (DESIGN 8).

A wish comes with the key that the browser minted for it; the reply names the key. Handlers are
`temporal`: Reflex drops them while the link is down instead of keeping a second outbox.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, TypedDict

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound, RequestAccepted
from assistant.domain.records import KeyState, WishKind
from assistant.services.arranging import Arrangement, wish_to_arrange
from assistant.services.queueing import Waiting
from assistant.services.sending import Draft, wish_to_send
from assistant.services.wishes import wish_about
from assistant.ui import bells
from assistant.ui.caller import owner_of, services, services_for_work, sid_of
from assistant.ui.states.page import Page
from assistant.ui.states.restore import Restore
from assistant.ui.words import said

MOST_REPLIES = 8
"""Kept on the page; whoever missed one asks again."""

MOST_KEYS = 50
"""Asked about at once; a browser holds a few."""


class Reply(TypedDict):
    """What became of a key."""

    key: str
    state: str
    code: str
    words: str
    session_id: str
    message_id: str
    task_id: str
    number: int
    """Higher than those before: Reflex keeps from the page a list that equals the last one."""


class Wishes(rx.State):
    """The replies that the browser waits for; newest last."""

    replies: rx.Field[list[Reply]] = rx.field(default_factory=list)

    @rx.event(temporal=True)
    async def send(self, key: str, text: str, sid: str, edits: str, queue: bool) -> None:
        """Send a message under its key: into a new session when `sid` is empty, as a sibling when it `edits`
        one, and while an answer is written to wait for its turn, if it may `queue`."""
        try:
            draft = Draft(text, session_id=sid or None, edits=edits or None, queue=queue)
            sent = await services_for_work().sending.send(owner_of(self), wish_to_send(key, draft), draft)
        except AssistantError as refusal:
            self._reply(key, "refused", refusal)
            return
        if isinstance(sent, Waiting):
            self._reply(key, "queued", result=asdict(sent))
            return
        self._accepted(key, asdict(sent))
        await self._stand_in_new_session(asdict(sent))

    @rx.event(temporal=True)
    async def ask(self, keys: list[str]) -> None:
        """Say what became of keys that the browser still holds; asking sends nothing."""
        for key in keys[:MOST_KEYS]:
            try:
                found = await services().wishes.ask(owner_of(self), key)
            except NotFound:
                self._reply(key, "unknown")
            except AssistantError:
                return  # nothing is known now; the browser asks again by itself
            else:
                if found.state is KeyState.WITHDRAWN:
                    self._reply(key, "withdrawn")
                elif found.state is KeyState.QUEUED:
                    self._reply(key, "queued", result=found.result)
                else:
                    self._accepted(key, found.result or {})
                    await self._stand_in_new_session(found.result or {})

    @rx.event(temporal=True)
    async def withdraw(self, key: str) -> Any:
        """Take a wish back before it is carried out; of the two one wins."""
        try:
            await services().wishes.withdraw(owner_of(self), key)
        except RequestAccepted as accepted:
            result = accepted.details["result"] or {}
            self._accepted(key, result)
            if "undo_until" in result and result["session_id"] == sid_of(self):
                return Restore.new_session  # the session shown was deleted
        except AssistantError:
            return None  # the browser asks again by itself
        else:
            self._reply(key, "withdrawn")
        return None

    @rx.event(temporal=True)
    async def stop(self, task_id: str, key: str) -> None:
        """End an answer with the text that it has."""
        wish = wish_about(WishKind.STOP, task_id, key)
        await self._once(key, lambda owner: services().stopping.stop(owner, task_id, wish))

    @rx.event(temporal=True)
    async def retry(self, task_id: str, key: str) -> None:
        """Answer the same question again."""
        wish = wish_about(WishKind.RETRY, task_id, key)
        await self._once(key, lambda owner: services_for_work().retrying.retry(owner, task_id, wish))

    @rx.event(temporal=True)
    async def carry_on(self, task_id: str, key: str) -> None:
        """Go on where an answer broke off."""
        wish = wish_about(WishKind.CONTINUE, task_id, key)
        await self._once(key, lambda owner: services_for_work().retrying.carry_on(owner, task_id, wish))

    @rx.event(temporal=True)
    async def release(self, key: str) -> None:
        """Send the oldest message that waits, though the answer before it did not end well."""
        sid = sid_of(self)
        wish = wish_about(WishKind.RELEASE, sid, key)
        await self._once(key, lambda owner: services_for_work().queueing.release(owner, sid, wish))

    @rx.event(temporal=True)
    async def choose(self, message_id: str, key: str) -> None:
        """Show the branch that goes through another version of a message."""
        await self._arrange(sid_of(self), Arrangement(leaf_id=message_id), key)

    @rx.event(temporal=True)
    async def rename(self, sid: str, title: str, key: str) -> None:
        """Give a session another title."""
        await self._arrange(sid, Arrangement(title=title), key)

    @rx.event(temporal=True)
    async def delete(self, sid: str, key: str) -> Any:
        """Delete a session, and leave it if it is shown; it can be taken back for a while."""
        wish = wish_about(WishKind.DELETE, sid, key)
        done = await self._once(key, lambda owner: services().deleting.delete(owner, sid, wish))
        return Restore.new_session if done and sid == sid_of(self) else None

    @rx.event(temporal=True)
    async def undo_delete(self, sid: str, key: str) -> Any:
        """Bring a deleted session back, and onto a page that shows none."""
        wish = wish_about(WishKind.UNDO_DELETE, sid, key)
        done = await self._once(key, lambda owner: services().deleting.undo(owner, sid, wish))
        page = await self.get_state(Page)
        return Restore.open_session(sid) if done and not page.sid else None

    async def _arrange(self, sid: str, wanted: Arrangement, key: str) -> None:
        wish = wish_to_arrange(key, sid, wanted)
        await self._once(key, lambda owner: services().arranging.arrange(owner, sid, wanted, wish))

    async def _once(self, key: str, carry_out: Callable[[str], Awaitable[object]]) -> bool:
        """Carry a wish out for the owner who asks, and reply; says whether it was done."""
        try:
            await carry_out(owner_of(self))
        except AssistantError as refusal:
            self._reply(key, "refused", refusal)
            return False
        self._reply(key, "accepted")
        return True

    async def _stand_in_new_session(self, result: dict[str, Any]) -> None:
        """A new page stands in the session that its first send made, in one update with the reply.

        Its follow begins at nothing then, so that it also tells of a task that has ended since.
        """
        page = await self.get_state(Page)
        if not page.sid and result.get("session_id"):
            page.sid = page.ready = page._begun = str(result["session_id"])
            page.busy_task = str(result.get("task_id", ""))
            page.notice = ""
        bells.ring(self.router.session.client_token)

    def _accepted(self, key: str, result: dict[str, Any]) -> None:
        self._reply(key, "accepted", result=result)

    def _reply(
        self, key: str, state: str, why: AssistantError | None = None, result: dict[str, Any] | None = None
    ) -> None:
        reply: Reply = {
            "key": key,
            "state": state,
            "code": why.code if why else "",
            "words": said(why) if why else "",
            "session_id": str((result or {}).get("session_id", "")),
            "message_id": str((result or {}).get("message_id", "")),
            "task_id": str((result or {}).get("task_id", "")),
            "number": max((other["number"] for other in self.replies), default=0) + 1,
        }
        kept = [other for other in self.replies if other["key"] != key]
        self.replies = [*kept, reply][-MOST_REPLIES:]
