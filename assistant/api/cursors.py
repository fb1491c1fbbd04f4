"""Where a reader says it stands: `offset`, `attempt` and `crc` of the query, or `Last-Event-ID`."""

import re
from typing import Annotated

from fastapi import Header, Query
from pydantic import Field

from assistant.api.asked import MAX_NUMBER
from assistant.domain.errors import InvalidInput
from assistant.domain.frames import Cursor

MAX_CRC = 2**32 - 1

AnEventId = Annotated[str, Field(json_schema_extra={"pattern": r"^([0-9]{1,16}\.[0-9]{1,16})?$"})]

_EVENT_ID = re.compile(r"([0-9]{1,16})\.([0-9]{1,16})")


async def cursor(
    offset: Annotated[int, Query(ge=0, le=MAX_NUMBER, description="Code points that the reader shows.")] = 0,
    attempt: Annotated[
        int | None, Query(ge=0, le=MAX_NUMBER, description="The attempt whose text it shows.")
    ] = None,
    crc: Annotated[
        int | None, Query(ge=0, le=MAX_CRC, description="Unsigned CRC-32 of the UTF-8 of that text.")
    ] = None,
    last_event_id: Annotated[
        AnEventId | None, Header(description="`<attempt>.<offset>`, as in the `id:` of an event.")
    ] = None,
) -> Cursor:
    """The place of the reader.

    `Last-Event-ID` wins: a browser that reconnects repeats the query of its first request with it.
    The CRC is then proof of nothing, unless both name the same place. Raises InvalidInput.
    """
    asked = Cursor(offset, attempt, crc)
    if not last_event_id:
        return asked
    found = _EVENT_ID.fullmatch(last_event_id.strip())
    if found is None:
        raise InvalidInput(
            "The request is not as it should be.",
            errors=[{"field": "Last-Event-ID", "message": "This is not `<attempt>.<offset>`."}],
        )
    last = Cursor(int(found[2]), int(found[1]))
    same = (last.offset, last.attempt) == (asked.offset, asked.attempt)
    return asked if same else last
