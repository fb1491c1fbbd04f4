"""What the user wants done: each handler parses, calls one use case and assigns the reply (DESIGN 8).

A wish comes with the key that the browser minted for it; the reply names the key. Handlers are
`temporal`: Reflex drops them while the link is down instead of keeping a second outbox.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, TypedDict

import reflex as rx

from assistant.bootstrap import Services
from assistant.domain.errors import AlreadyDecided, AssistantError, NotFound, RequestAccepted
from assistant.domain.records import KeyState, WishKind
from assistant.domain.session import SessionState
from assistant.services.arranging import Arrangement, wish_to_arrange
from assistant.services.deciding import MAX_REASON_CHARACTERS, Verdict, wish_to_decide
from assistant.services.queueing import Rewriting, Waiting, wish_to_rewrite
from assistant.services.sending import Draft, wish_to_send
from assistant.services.wishes import wish_about
from assistant.ui import bells
from assistant.ui.asked import a_decision, a_text, an_id, an_id_or_none, count_change, count_send, is_key
from assistant.ui.caller import device_of, owner_of, services, services_for_work, sid_of
from assistant.ui.rows import task_rows
from assistant.ui.states.held import tell
from assistant.ui.states.page import Page
from assistant.ui.states.paging import show_version
from assistant.ui.states.restore import Restore
from assistant.ui.states.settings import show_parameters
from assistant.ui.states.thread import Running, promise
from assistant.ui.words import told

MOST_REPLIES = 8
"""Kept on the page; whoever missed one asks again."""

MOST_KEYS = 50
"""Asked about at once; a browser holds a few."""


class Reply(TypedDict):
    """What became of a key."""

    key: str
    state: str
    code: str
    details: dict[str, Any]
    """With `code`, why it was refused, as `ui/words` tells it."""

    session_id: str
    message_id: str
    task_id: str
    number: int
    """Higher than those before: Reflex keeps from the page a list that equals the last one."""


class Wishes(rx.State):
    """The replies that the browser waits for; newest last."""

    replies: rx.Field[list[Reply]] = rx.field(default_factory=list)

    @rx.event(temporal=True)
    async def send(
        self, key: str, text: str, sid: str, edits: str, queue: bool, settings: dict[str, Any]
    ) -> None:
        """Send a message under its key: into a new session with these `settings` when `sid` is empty, as a
        sibling when it `edits` one, and while an answer is written to wait, if it may `queue`."""
        if not is_key(key):
            return
        try:
            owner_id = await count_send(self)
            chosen = settings if isinstance(settings, dict) else {}
            draft = Draft(
                a_text(text),
                session_id=an_id_or_none(sid),
                model=chosen.get("model") or None,
                parameters=chosen.get("parameters"),
                edits=an_id_or_none(edits),
                queue=queue is True,
            )
            sending = services_for_work().sending
            sent = await sending.send(owner_id, wish_to_send(key, draft), draft)
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
        for key in filter(is_key, keys[:MOST_KEYS] if isinstance(keys, list) else []):
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
        if not is_key(key):
            return None
        try:
            await services().wishes.withdraw(await count_change(self), key)
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
        await self._once(key, lambda owner: services().stopping.stop(owner, an_id(task_id), wish))

    @rx.event(temporal=True)
    async def retry(self, task_id: str, key: str) -> None:
        """Answer the same question again."""
        wish = wish_about(WishKind.RETRY, task_id, key)
        await self._work(key, lambda owner, work: work.retrying.retry(owner, an_id(task_id), wish))

    @rx.event(temporal=True)
    async def carry_on(self, task_id: str, key: str) -> None:
        """Go on where an answer broke off."""
        wish = wish_about(WishKind.CONTINUE, task_id, key)
        await self._work(key, lambda owner, work: work.retrying.carry_on(owner, an_id(task_id), wish))

    @rx.event(temporal=True)
    async def decide(self, call_id: str, decision: str, arguments_hash: str, reason: str, key: str) -> None:
        """Approve or deny a call with exactly the arguments that the page shows.

        Whoever wanted what another tab has decided already has it; else the words say what was decided.
        """
        if not is_key(key):
            return
        try:
            owner_id = await count_change(self)
            given = a_text(reason, MAX_REASON_CHARACTERS) or None
            seen, device = a_text(arguments_hash), device_of(self)
            verdict = Verdict(an_id(call_id), a_decision(decision), seen, given, device)
            task = await services().deciding.decide(owner_id, verdict, wish_to_decide(key, verdict))
        except AlreadyDecided as earlier:
            if earlier.details["decision"] == decision:
                self._reply(key, "accepted")
            else:
                self._reply(key, "refused", earlier)
        except AssistantError as refusal:
            self._reply(key, "refused", refusal)
        else:
            self._reply(key, "accepted")
            # Beside the reply, so that the buttons go before they could be pressed again.
            running = await self.get_state(Running)
            await tell(self, Running, tasks=running.tasks | task_rows([task]))
            await promise(self)

    @rx.event(temporal=True)
    async def mark_done(self, call_id: str, key: str) -> None:
        """Go on as if a call, whose outcome is unknown, was carried out."""
        wish = wish_about(WishKind.MARK_DONE, call_id, key)
        await self._work(key, lambda owner, work: work.retrying.mark_done(owner, an_id(call_id), wish))

    @rx.event(temporal=True)
    async def run_again(self, call_id: str, key: str) -> None:
        """Run a call, whose outcome is unknown, once more, and go on."""
        wish = wish_about(WishKind.RUN_AGAIN, call_id, key)
        await self._work(key, lambda owner, work: work.retrying.run_again(owner, an_id(call_id), wish))

    @rx.event(temporal=True)
    async def release(self, key: str) -> None:
        """Send the oldest message that waits, though the answer before it did not end well."""
        sid = sid_of(self)
        wish = wish_about(WishKind.RELEASE, sid, key)
        await self._work(key, lambda owner, work: work.queueing.release(owner, an_id(sid), wish))

    @rx.event(temporal=True)
    async def rewrite(self, message_key: str, text: str, replaces: str, key: str) -> None:
        """Give a message that waits another text, in the place of the one that the user saw."""

        async def rewritten(owner: str) -> None:
            if not is_key(message_key):
                raise NotFound()
            wanted = Rewriting(message_key, a_text(text), a_text(replaces))
            await services().queueing.rewrite(owner, wanted, wish_to_rewrite(key, wanted))

        await self._once(key, rewritten)

    @rx.event(temporal=True)
    async def choose(self, message_id: str, key: str) -> None:
        """Show the branch that goes through another version of a message, where that message stands."""
        if await self._arrange(sid_of(self), lambda: Arrangement(leaf_id=an_id(message_id)), key):
            # Beside the reply, so that this tab stands there before it hears of the branch as others do.
            await show_version(self, message_id)

    @rx.event(temporal=True)
    async def configure(self, sid: str, model: str, parameters: dict[str, Any], key: str) -> None:
        """Set a session's model and parameters, for its next turns."""
        wanted = Arrangement(model=model or None, parameters=parameters)
        if await self._arrange(sid, lambda: wanted, key) and sid == sid_of(self):
            # Beside the reply, so that what was set is never seen to go back.
            page = await self.get_state(Page)
            page.model = model or page.model
            await show_parameters(self, parameters)

    @rx.event(temporal=True)
    async def rename(self, sid: str, title: str, key: str) -> None:
        """Give a session another title."""
        await self._arrange(sid, lambda: Arrangement(title=a_text(title)), key)

    @rx.event(temporal=True)
    async def archive(self, sid: str, key: str) -> None:
        """Put a session away; it stays as it is, and readable."""
        await self._arrange(sid, lambda: Arrangement(state=SessionState.ARCHIVED), key)

    @rx.event(temporal=True)
    async def unarchive(self, sid: str, key: str) -> None:
        """Bring a session back from the archive."""
        await self._arrange(sid, lambda: Arrangement(state=SessionState.ACTIVE), key)

    @rx.event(temporal=True)
    async def delete(self, sid: str, key: str) -> Any:
        """Delete a session, and leave it if it is shown; it can be taken back for a while."""
        wish = wish_about(WishKind.DELETE, sid, key)
        done = await self._once(key, lambda owner: services().deleting.delete(owner, an_id(sid), wish))
        return Restore.new_session if done and sid == sid_of(self) else None

    @rx.event(temporal=True)
    async def undo_delete(self, sid: str, key: str) -> Any:
        """Bring a deleted session back, and onto a page that shows none."""
        wish = wish_about(WishKind.UNDO_DELETE, sid, key)
        done = await self._once(key, lambda owner: services().deleting.undo(owner, an_id(sid), wish))
        page = await self.get_state(Page)
        return Restore.open_session(sid) if done and not page.sid else None

    async def _arrange(self, sid: str, arrangement: Callable[[], Arrangement], key: str) -> bool:
        async def arranged(owner: str) -> None:
            wanted = arrangement()
            wish = wish_to_arrange(key, an_id(sid), wanted)
            await services().arranging.arrange(owner, sid, wanted, wish)

        return await self._once(key, arranged)

    async def _work(self, key: str, carry_out: Callable[[str, Services], Awaitable[object]]) -> bool:
        """As `_once`, for what asks a model for something."""
        return await self._once(key, lambda owner: carry_out(owner, services_for_work()), count=count_send)

    async def _once(
        self,
        key: str,
        carry_out: Callable[[str], Awaitable[object]],
        count: Callable[[Any], Awaitable[str]] = count_change,
    ) -> bool:
        """Carry a wish out for the owner who asks, and reply; says whether it was done."""
        if not is_key(key):
            return False
        try:
            await carry_out(await count(self))
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
            page.notice = {}
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
            "details": told(why) if why else {},
            "session_id": str((result or {}).get("session_id", "")),
            "message_id": str((result or {}).get("message_id", "")),
            "task_id": str((result or {}).get("task_id", "")),
            "number": max((other["number"] for other in self.replies), default=0) + 1,
        }
        kept = [other for other in self.replies if other["key"] != key]
        self.replies = [*kept, reply][-MOST_REPLIES:]
