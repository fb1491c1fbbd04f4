"""Where a reader says it stands."""

import pytest

from assistant.api.cursors import cursor
from assistant.domain.errors import InvalidInput
from assistant.domain.frames import Cursor


async def test_without_anything_a_reader_begins_at_the_beginning() -> None:
    assert await cursor(0, None, None, None) == Cursor()


async def test_last_event_id_wins_over_the_query_that_a_browser_repeats() -> None:
    assert await cursor(0, None, None, "2.17") == Cursor(17, 2)
    assert await cursor(5, 1, 99, "2.17") == Cursor(17, 2, None)


async def test_the_crc_stays_proof_when_both_name_the_same_place() -> None:
    assert await cursor(17, 2, 99, "2.17") == Cursor(17, 2, 99)


async def test_an_empty_last_event_id_is_none() -> None:
    assert await cursor(5, 1, 99, "") == Cursor(5, 1, 99)


@pytest.mark.parametrize("id", ["17", "2.", ".17", "2.17.3", "-1.2", "2,17", "٢.٣", "1." + "9" * 17, "x"])
async def test_what_is_no_event_id_is_refused(id: str) -> None:
    with pytest.raises(InvalidInput):
        await cursor(0, None, None, id)
