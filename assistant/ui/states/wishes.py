"""What the user wants done: each handler parses, calls one use case and assigns the reply (DESIGN 8).

A wish comes with the key that the browser minted for it; the reply names the key. Handlers are
`temporal`: Reflex drops them while the link is down instead of keeping a second outbox.
"""

from dataclasses import asdict
from typing import Any, TypedDict

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound, RequestAccepted
from assistant.domain.records import KeyState, WishKind
from assistant.services.sending import Draft, wish_to_send
from assistant.services.wishes import wish_about
from assistant.ui import bells
from assistant.ui.caller import owner_of, services, services_for_work
from assistant.ui.states.page import Page
from assistant.ui.words import said

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
    number: int
    """Higher than those before: Reflex keeps from the page a list that equals the last one."""


class Wishes(rx.State):
    """The replies that the browser waits for; newest last."""

    replies: rx.Field[list[Reply]] = rx.field(default_factory=list)

    @rx.event(temporal=True)
    async def send(self, key: str, text: str, sid: str) -> None:
        """Send a message under its key; a new session when `sid` is empty."""
        try:
            draft = Draft(text, session_id=sid or None)
            sent = await services_for_work().sending.send(owner_of(self), wish_to_send(key, draft), draft)
        except AssistantError as refusal:
            self._reply(key, "refused", refusal)
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
                else:
                    self._accepted(key, found.result or {})
                    await self._stand_in_new_session(found.result or {})

    @rx.event(temporal=True)
    async def withdraw(self, key: str) -> None:
        """Take a message back before it is sent; of the two one wins."""
        try:
            await services().wishes.withdraw(owner_of(self), key)
        except RequestAccepted as accepted:
            self._accepted(key, accepted.details["result"] or {})
        except AssistantError:
            return  # the browser asks again by itself
        else:
            self._reply(key, "withdrawn")

    @rx.event(temporal=True)
    async def stop(self, task_id: str, key: str) -> None:
        """End an answer with the text that it has."""
        await self._on_task("stop", task_id, key)

    @rx.event(temporal=True)
    async def retry(self, task_id: str, key: str) -> None:
        """Answer the same question again."""
        await self._on_task("retry", task_id, key)

    @rx.event(temporal=True)
    async def carry_on(self, task_id: str, key: str) -> None:
        """Go on where an answer broke off."""
        await self._on_task("continue", task_id, key)

    async def _on_task(self, verb: str, task_id: str, key: str) -> None:
        page = await self.get_state(Page)
        wish = wish_about(WishKind(verb), task_id, key)
        try:
            owner_id = owner_of(self)
            match verb:
                case "stop":
                    await services().stopping.stop(owner_id, task_id, wish)
                case "retry":
                    await services_for_work().retrying.retry(owner_id, task_id, wish)
                case _:
                    await services_for_work().retrying.carry_on(owner_id, task_id, wish)
            page.notice = ""
        except AssistantError as refusal:
            page.notice = said(refusal)

    async def _stand_in_new_session(self, result: dict[str, Any]) -> None:
        """A new page stands in the session that its first send made, in one update with the reply.

        Its follow begins at nothing then, so that it also tells of a task that has ended since.
        """
        page = await self.get_state(Page)
        if not page.sid and result.get("session_id"):
            page.sid = page.ready = page._begun = str(result["session_id"])
            page.busy_task = str(result.get("task_id", ""))
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
            "number": max((other["number"] for other in self.replies), default=0) + 1,
        }
        kept = [other for other in self.replies if other["key"] != key]
        self.replies = [*kept, reply][-20:]
