"""Notes: one a call, seen by their owner alone; the repository, and the tools over it."""

import asyncio

import pytest

from assistant.domain.records import Note
from assistant.domain.times import SystemClock
from assistant.domain.tools import ToolOutcome, ToolResult
from assistant.storage.store import SqlStore
from assistant.tools import notes as note_tools
from assistant.tools.notes import notes_tools
from assistant.tools.registry import ToolRegistry
from tests.contract.storage.seeding import OWNER, Seed, an_owner, at

OTHER = "owner-2"
TEXT = "one\ntwo 你好 \U0001f44b"


def a_note(number: int, *, owner: str = OWNER) -> Note:
    return Note(f"note-{number}", owner, f"call-{number}", f"Title {number}", TEXT, at(number))


@pytest.fixture(autouse=True)
async def owners(seed: Seed, store: SqlStore) -> None:
    async with store.write() as unit:
        for owner in (OWNER, OTHER):
            await unit.owners.add(an_owner(owner))


async def add(store: SqlStore, *notes: Note) -> list[bool]:
    async with store.write() as unit:
        return [await unit.notes.add(note) for note in notes]


async def test_notes_are_kept_whole_and_listed_newest_first(store: SqlStore) -> None:
    await add(store, *(a_note(number) for number in (1, 3, 2)))
    async with store.read() as unit:
        assert await unit.notes.of_owner(OWNER, limit=2) == [a_note(3), a_note(2)]
        assert await unit.notes.get(OWNER, "note-1") == a_note(1)
        assert await unit.notes.of_call(OWNER, "call-2") == a_note(2)
        assert await unit.notes.count(OWNER) == 3


async def test_a_call_writes_one_note_whoever_comes_first(store: SqlStore) -> None:
    again = Note("note-9", OWNER, "call-1", "Other", "other", at(9))
    outcomes = await asyncio.gather(add(store, a_note(1)), add(store, again))
    async with store.read() as unit:
        kept = await unit.notes.of_owner(OWNER, limit=5)
    assert sorted(outcomes) == [[False], [True]]
    assert len(kept) == 1


async def test_a_note_is_its_owners_alone(store: SqlStore) -> None:
    await add(store, a_note(1))
    async with store.write() as unit:
        assert await unit.notes.get(OTHER, "note-1") is None
        assert await unit.notes.of_call(OTHER, "call-1") is None
        assert await unit.notes.of_owner(OTHER, limit=5) == []
        assert await unit.notes.count(OTHER) == 0
        assert not await unit.notes.delete(OTHER, "note-1")
        assert await unit.notes.delete(OWNER, "note-1")
        assert not await unit.notes.delete(OWNER, "note-1")


class Desk:
    """The tools, called one after the other as the runner calls them."""

    def __init__(self, store: SqlStore, owner: str = OWNER) -> None:
        self._registry = ToolRegistry(notes_tools(store, SystemClock()))
        self._owner = owner

    async def call(self, name: str, call_id: str = "call-1", **arguments: object) -> ToolResult:
        return await self._registry.run(name, arguments, call_id=call_id, owner_id=self._owner)

    async def write(self, call_id: str, title: str = "Title") -> str:
        """Write a note and return its id."""
        result = await self.call("write_note", call_id, title=title, text=TEXT)
        assert result.outcome is ToolOutcome.OK
        return result.text.removesuffix(".").rpartition(" ")[2]


async def test_a_note_is_written_listed_read_and_deleted(store: SqlStore) -> None:
    desk = Desk(store)
    note_id = await desk.write("call-1")

    assert f"{note_id} (" in (await desk.call("list_notes")).text
    assert (await desk.call("read_note", note_id=note_id)).text.endswith(f"\n\n{TEXT}")
    assert await desk.call("delete_note", note_id=note_id) == ToolResult("The note is deleted.")
    assert (await desk.call("delete_note", note_id=note_id)).outcome is ToolOutcome.OK
    assert (await desk.call("read_note", note_id=note_id)).outcome is ToolOutcome.FAILED
    assert await desk.call("list_notes") == ToolResult("There are no notes.")


async def test_the_same_call_writes_its_note_once_and_tells_the_same(store: SqlStore) -> None:
    """Case B062: a call that is repeated after its result was lost."""
    desk = Desk(store)
    first, again = await asyncio.gather(desk.write("call-1"), desk.write("call-1"))
    other = await desk.write("call-2")
    assert first == again != other
    async with store.read() as unit:
        assert await unit.notes.count(OWNER) == 2


async def test_another_owner_sees_nothing(store: SqlStore) -> None:
    note_id = await Desk(store).write("call-1")
    theirs = Desk(store, OTHER)
    assert await theirs.call("list_notes") == ToolResult("There are no notes.")
    assert (await theirs.call("read_note", note_id=note_id)).outcome is ToolOutcome.FAILED
    await theirs.call("delete_note", note_id=note_id)
    assert (await Desk(store).call("read_note", note_id=note_id)).outcome is ToolOutcome.OK


async def test_notes_are_bounded_but_a_call_repeated_finds_its_own(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_tools, "MOST_NOTES", 1)
    desk = Desk(store)
    first = await desk.write("call-1")
    assert (await desk.call("write_note", "call-2", title="T", text="")).outcome is ToolOutcome.FAILED
    assert await desk.write("call-1") == first


def test_only_a_deletion_asks_and_only_a_writing_is_not_repeated(store: SqlStore) -> None:
    specs = notes_tools(store, SystemClock())
    assert [tool.spec.name for tool in specs if tool.spec.needs_decision] == ["delete_note"]
    assert [tool.spec.name for tool in specs if not tool.spec.idempotent] == ["write_note"]
