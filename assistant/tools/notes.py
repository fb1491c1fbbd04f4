"""The tools that write, list, read and delete an owner's notes."""

from typing import Annotated

from pydantic import Field

from assistant.domain.ports import Clock
from assistant.domain.records import Note
from assistant.domain.store_ports import Store
from assistant.tools.definitions import Call, Tool, ToolFailed, tool

MOST_NOTES = 200
LONGEST_TITLE = 200
LONGEST_TEXT = 20_000

NoteId = Annotated[str, Field(min_length=1, max_length=64)]


def notes_tools(store: Store, clock: Clock) -> list[Tool]:
    """`write_note`, `list_notes`, `read_note` and `delete_note`; each sees the notes of one owner only."""
    return [_write_note(store, clock), _list_notes(store), _read_note(store), _delete_note(store)]


def _write_note(store: Store, clock: Clock) -> Tool:
    @tool(idempotent=False)
    async def write_note(
        call: Call,
        title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)],
        text: Annotated[str, Field(max_length=LONGEST_TEXT)],
    ) -> str:
        """Write a note for the user, who can have it read again in any later conversation.

        title: one line that says what the note is about
        text: the note itself
        """
        note = Note(clock.id(), call.owner_id, call.call_id, title, text, clock.now())
        async with store.write() as unit:
            # The same call a second time: whatever it says now, its note is written.
            if written := await unit.notes.of_call(call.owner_id, call.call_id):
                return _written(written)
            if await unit.notes.count(call.owner_id) >= MOST_NOTES:
                raise ToolFailed(f"There are {MOST_NOTES} notes already; delete some of them first.")
            if await unit.notes.add(note):
                return _written(note)
            rival = await unit.notes.of_call(call.owner_id, call.call_id)
        return _written(rival or note)

    return write_note


def _list_notes(store: Store) -> Tool:
    @tool(idempotent=True)
    async def list_notes(call: Call) -> str:
        """List the user's notes, newest first: the id, the day and the title of each."""
        async with store.read() as unit:
            notes = await unit.notes.of_owner(call.owner_id, limit=MOST_NOTES)
        lines = [f"{note.id} ({note.created_at:%Y-%m-%d}): {note.title}" for note in notes]
        return "\n".join(lines) or "There are no notes."

    return list_notes


def _read_note(store: Store) -> Tool:
    @tool(idempotent=True)
    async def read_note(call: Call, note_id: NoteId) -> str:
        """Read one of the user's notes.

        note_id: the id that list_notes told
        """
        async with store.read() as unit:
            note = await unit.notes.get(call.owner_id, note_id)
        if note is None:
            raise ToolFailed("There is no note with this id; list_notes tells the ids.")
        return f"{note.title}\n({note.created_at:%Y-%m-%d %H:%M} UTC)\n\n{note.text}"

    return read_note


def _delete_note(store: Store) -> Tool:
    # An id is never used again, so deleting twice is as good as once. There is no undo: a person decides.
    @tool(idempotent=True, needs_decision=True)
    async def delete_note(call: Call, note_id: NoteId) -> str:
        """Delete one of the user's notes for ever.

        note_id: the id that list_notes told
        """
        async with store.write() as unit:
            was_there = await unit.notes.delete(call.owner_id, note_id)
        return "The note is deleted." if was_there else "There is no note with this id, or no longer."

    return delete_note


def _written(note: Note) -> str:
    return f"The note {note.title!r} is written; its id is {note.id}."
