"""Messages that another build, or a restored backup, wrote: each is read, and none of it is blank."""

from typing import Any

import pytest
from sqlalchemy import JSON, update

from assistant.domain.transcript import Part, PartKind, Transcript
from assistant.storage.schema import messages
from assistant.storage.store import SqlStore
from assistant.storage.transcripts import as_columns, from_columns
from tests.contract.storage.seeding import ANSWER, OWNER, SESSION, Seed, a_message
from tests.contract.storage.test_branches import behind_the_store

SAID = "I think. I say."
TEXT, REASONING, CALL = PartKind.TEXT, PartKind.REASONING, PartKind.TOOL_CALL
_CALLED = {"kind": "tool_call", "call_id": "c"}
WHOLE = (Part(TEXT, 0, 15),)
OLDER: dict[str, tuple[Any, tuple[Part, ...]]] = {
    "none": ([], WHOLE),
    "nothing at all": (JSON.NULL, WHOLE),
    "an object": ({"text": SAID}, WHOLE),
    "texts in them": ([{"type": "text", "text": SAID}, "I think.", None], WHOLE),
    "no ranges": ([{"kind": "reasoning"}], WHOLE),
    "ranges of nothing": ([{"kind": "reasoning", "start": None, "end": None}], WHOLE),
    "an unknown kind": ([{"kind": "thinking", "start": 0, "end": 9}], WHOLE),
    "a call without its id": ([{"kind": "tool_call", "start": 9, "end": 9}], WHOLE),
    "beyond the text": ([{"kind": "text", "start": 0, "end": 99}], WHOLE),
    "not all of it": (
        [{"kind": "reasoning", "start": 0, "end": 9}],
        (Part(REASONING, 0, 9), Part(TEXT, 9, 15)),
    ),
    "one over another": (
        [{"kind": "reasoning", "start": 0, "end": 9}, {"kind": "text", "start": 4, "end": 15}],
        (Part(REASONING, 0, 9), Part(TEXT, 9, 15)),
    ),
    "a hole": (
        [{"kind": "reasoning", "start": 2, "end": 9}, {**_CALLED, "start": 15, "end": 15}],
        (Part(TEXT, 0, 2), Part(REASONING, 2, 9), Part(TEXT, 9, 15), Part(CALL, 15, 15, "c")),
    ),
}


@pytest.mark.parametrize("form", OLDER)
async def test_a_row_of_an_older_form_is_read_and_so_are_its_neighbours(
    url: str, store: SqlStore, seed: Seed, form: str
) -> None:
    """Case B155: its reasoning is not blank, and the session that it stands in opens."""
    stored, parts = OLDER[form]
    await seed.session()
    async with store.write() as unit:
        await unit.messages.add(a_message("question-1", parts=(Part(TEXT, 0, 18),)))
        await unit.messages.add(a_message(ANSWER, parent_id="question-1", text=SAID))
    await behind_the_store(url, update(messages).where(messages.c.id == ANSWER).values(parts=stored))

    async with store.read() as unit:
        page, _ = await unit.messages.branch(SESSION, ANSWER, limit=50)
        alone = await unit.messages.get(OWNER, ANSWER)

    assert [message.id for message in page] == ["question-1", ANSWER]
    assert page[1] == alone
    assert (page[1].text, page[1].parts) == (SAID, parts)


async def test_a_row_that_names_no_attachments_is_read(url: str, store: SqlStore, seed: Seed) -> None:
    """Case B155."""
    await seed.session()
    async with store.write() as unit:
        await unit.messages.add(a_message("question-1"))
    await behind_the_store(url, update(messages).values(attachments=JSON.NULL))

    async with store.read() as unit:
        found = await unit.messages.get(OWNER, "question-1")

    assert found is not None
    assert found.attachments == ()


def test_what_is_written_today_is_read_as_it_was_written() -> None:
    whole = Transcript().append(REASONING, "I think. ").with_call("a").append(TEXT, "I say. ").with_call("b")
    columns = as_columns(whole.with_call("c").append(TEXT, "So."))
    assert from_columns(columns["text"], columns["parts"]) == whole.with_call("c").append(TEXT, "So.")
    assert from_columns("", []) == Transcript()
    assert from_columns(None, None) == Transcript()
