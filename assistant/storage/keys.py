"""The idempotency keys repository (DESIGN 8)."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, literal, literal_column, null, select, update

from assistant.domain.records import KeyRecord, KeyState, WishKind
from assistant.storage.columns import UtcTime
from assistant.storage.inserting import insert_from, insert_unless_there
from assistant.storage.schema import keys, messages, tasks
from assistant.storage.transaction import Transaction

FOR_EVER = datetime(9999, 12, 31, tzinfo=UTC)


class Keys:
    """`store_ports.Keys` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def insert(self, record: KeyRecord) -> bool:
        """Insert, unless the owner already has this key: then False. Waits for a rival's commit, so
        after a False the key can be read."""
        inserted = await self._in.changed(
            insert_unless_there(self._in, keys, keys.c.owner_id, keys.c.key),
            {
                "owner_id": record.owner_id,
                "key": record.key,
                "kind": record.kind,
                "fingerprint": record.fingerprint,
                "state": record.state,
                "result": record.result,
                "expires_at": record.expires_at,
            },
        )
        return inserted == 1

    async def get(self, owner_id: str, key: str) -> KeyRecord | None:
        """What is known of the key, expired or not, until it is swept."""
        row = await self._in.row(select(keys).where(keys.c.owner_id == owner_id, keys.c.key == key))
        return row and KeyRecord(
            owner_id=row.owner_id,
            key=row.key,
            kind=row.kind and WishKind(row.kind),
            fingerprint=row.fingerprint,
            state=KeyState(row.state),
            result=row.result,
            expires_at=row.expires_at,
        )

    async def settle(
        self,
        owner_id: str,
        key: str,
        result: dict[str, Any] | None,
        *,
        state: KeyState = KeyState.ACCEPTED,
    ) -> None:
        """Set the result reference and the state of a key inserted in this transaction, or of a queued one
        whose session was bumped in it: that puts those who settle it in one order."""
        await self._in.changed(
            update(keys)
            .where(keys.c.owner_id == owner_id, keys.c.key == key)
            .values(result=result, state=state)
        )

    async def sweep(self, *, now: datetime) -> int:
        """Delete the accepted keys that expired at or before `now`; returns how many. A withdrawal is for
        ever, and a queued send is not over."""
        return await self._in.changed(
            delete(keys).where(keys.c.expires_at <= now, keys.c.state == KeyState.ACCEPTED)
        )

    async def keep_sends(self, session_id: str) -> None:
        """Have the keys of all sends of a session last for ever, those that were swept anew and without a
        fingerprint: its messages, which remember them else, are about to go."""
        kept = {
            keys.c.owner_id: messages.c.owner_id,
            keys.c.key: messages.c.client_id,
            keys.c.kind: literal(WishKind.SEND.value),
            keys.c.fingerprint: null(),
            keys.c.state: literal(KeyState.ACCEPTED.value),
            keys.c.result: self._sent(),
            keys.c.expires_at: literal(FOR_EVER, UtcTime()),
        }
        sends = select(*kept.values()).where(
            messages.c.session_id == session_id, messages.c.client_id.is_not(None)
        )
        await self._in.changed(
            insert_from(
                self._in, keys, list(kept), sends, keys.c.owner_id, keys.c.key, set_={"expires_at": FOR_EVER}
            )
        )

    def _sent(self) -> ColumnElement[Any]:
        """The result reference of the send of a message, as JSON that the database makes."""
        named = {
            "session_id": messages.c.session_id,
            "message_id": messages.c.id,
            "answer_id": _of_first_task(tasks.c.answer_id),
            "task_id": _of_first_task(tasks.c.id),
        }
        pairs = [each for name, value in named.items() for each in (literal_column(f"'{name}'"), value)]
        return func.json_build_object(*pairs) if self._in.locks_rows else func.json_object(*pairs)


def _of_first_task(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return (
        select(column)
        .where(tasks.c.question_id == messages.c.id)
        .order_by(tasks.c.created_at, tasks.c.id)
        .limit(1)
        .correlate(messages)
        .scalar_subquery()
    )
