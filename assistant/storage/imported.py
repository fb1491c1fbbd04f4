"""The rows of an imported session, many at once: what was said and done elsewhere."""

from collections.abc import Sequence

from sqlalchemy import insert

from assistant.domain.message import Message
from assistant.domain.search_tokens import searchable
from assistant.domain.task import Task
from assistant.domain.transcript import Transcript
from assistant.storage.schema import messages, tasks
from assistant.storage.search_index import index_messages
from assistant.storage.task_rows import task_values
from assistant.storage.tool_calls import add_calls
from assistant.storage.transaction import Transaction
from assistant.storage.transcripts import as_columns


class ImportedRows:
    """`store_ports.ImportedRows` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(
        self, owner_id: str, session_id: str, said: Sequence[Message], ended: Sequence[Task]
    ) -> None:
        """Store messages of one session with the positions that they carry, and the ended tasks of their
        answers with their calls; all of them are found by a search. The session was bumped before in this
        transaction."""
        if said:
            await self._in.changed(
                insert(messages),
                [
                    {
                        "id": message.id,
                        "session_id": session_id,
                        "owner_id": owner_id,
                        "parent_id": message.parent_id,
                        "role": message.role,
                        "attachments": [],
                        "position": message.position,
                        "chosen": None,
                        "client_id": None,
                        "version": message.version,
                        "created_at": message.created_at,
                        **as_columns(Transcript(message.text, message.parts)),
                    }
                    for message in said
                ],
            )
        if ended:
            snapshot = {**as_columns(Transcript()), "log_attempt": 0, "log_seq": 0}
            await self._in.changed(
                insert(tasks), [{**task_values(task), **snapshot, "offset": task.offset} for task in ended]
            )
            await add_calls(self._in, [call for task in ended for call in task.tool_calls])
        texts = [(message.id, searchable(Transcript(message.text, message.parts))) for message in said]
        await index_messages(self._in, session_id, texts)
