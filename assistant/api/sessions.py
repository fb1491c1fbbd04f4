"""Sessions: the list, the snapshot of one, and what changed since a version."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from assistant.api import wire
from assistant.api.asked import MAX_NUMBER, AnId, TheServices, known
from assistant.api.owner import AnOwner
from assistant.domain.errors import InvalidInput
from assistant.domain.session import Session

router = APIRouter(tags=["sessions"])

PAGE_SESSIONS = 50
MAX_SESSIONS = 200
PAGE_MESSAGES = 50
MAX_MESSAGES = 200


@router.get("/api/sessions", summary="My sessions, newest first")
async def listed(
    owner: AnOwner,
    services: TheServices,
    since: Annotated[str | None, Query(description="Only those active later than this time.")] = None,
    after: Annotated[str | None, Query(description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_SESSIONS)] = PAGE_SESSIONS,
) -> wire.Sessions:
    """By last activity."""
    oldest = None if since is None else _moment(since, "since")
    place = None if after is None else _place(after)
    found = await services.restoring.sessions(owner.id, limit=limit + 1, before=place)
    newer = [session for session in found if oldest is None or session.updated_at > oldest]
    page = newer[:limit]
    return wire.Sessions(
        sessions=[wire.session_of(session) for session in page],
        next=_cursor(page[-1]) if len(newer) > limit else None,
    )


@router.get("/api/sessions/{id}", summary="The snapshot of a session")
async def snapshot(
    owner: AnOwner,
    id: AnId,
    services: TheServices,
    limit: Annotated[int, Query(ge=1, le=MAX_MESSAGES)] = PAGE_MESSAGES,
    before: Annotated[str | None, Query(description="A message id: the page before it.")] = None,
) -> wire.Snapshot:
    """The last messages of the chosen branch, oldest first, and every unfinished task whole."""
    found = await services.restoring.snapshot(
        owner.id, id, limit=limit, before=None if before is None else known(before)
    )
    return wire.snapshot_of(found)


@router.get("/api/sessions/{id}/changes", summary="What changed since a version")
async def changes(
    owner: AnOwner,
    id: AnId,
    services: TheServices,
    since: Annotated[int, Query(ge=0, le=MAX_NUMBER)] = 0,
) -> wire.Changes:
    """The rows newer than the version `since`; `version` is the next `since`."""
    return wire.changes_of(await services.restoring.changes(owner.id, id, since))


def _cursor(session: Session) -> str:
    return f"{wire.iso(session.updated_at)}~{session.id}"


def _place(cursor: str) -> tuple[datetime, str]:
    moment, _, session_id = cursor.partition("~")
    return _moment(moment, "after"), known(session_id)


def _moment(text: str, field: str) -> datetime:
    """A time with its zone; a `+` that the query turned into a space is taken as one."""
    try:
        moment = datetime.fromisoformat(text.replace(" ", "+"))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        message = "This is not a time." if field == "since" else "This is not a place in the list."
        raise InvalidInput(
            "The request is not as it should be.", errors=[{"field": field, "message": message}]
        ) from None
