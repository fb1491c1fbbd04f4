"""Sessions: the list, the snapshot of one, what changed since a version, and what is done to one."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from assistant.api import wire
from assistant.api.asked import MAX_NUMBER, AnId, InJson, Key, TheServices, known, taking_work
from assistant.api.owner import AnOwner
from assistant.api.wire_requests import Arrangement
from assistant.domain.errors import InvalidInput
from assistant.domain.records import WishKind
from assistant.domain.session import Session, SessionState
from assistant.services.arranging import Arrangement as Wanted
from assistant.services.arranging import wish_to_arrange
from assistant.services.wishes import wish_about

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
    state: Annotated[
        Literal["active", "archived"], Query(description="Those in the list, or those put away.")
    ] = "active",
) -> wire.Sessions:
    """By last activity."""
    oldest = None if since is None else _moment(since, "since")
    place = None if after is None else _place(after)
    found = await services.restoring.sessions(
        owner.id, limit=limit + 1, before=place, state=SessionState(state)
    )
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


@router.patch("/api/sessions/{id}", summary="Rename, archive, configure a session, or show another branch")
async def arrange(
    owner: AnOwner,
    id: AnId,
    _: InJson,
    arrangement: Arrangement,
    services: TheServices,
    key: Key = None,
) -> wire.Session:
    """All that is named, or nothing; the session as it stands then.

    The branch through `leaf_id` ends at the message below it that was shown last, else at the newest.
    A running answer is not disturbed.
    """
    wanted = Wanted(
        title=arrangement.title,
        state=None if arrangement.state is None else SessionState(arrangement.state),
        model=arrangement.model,
        parameters=arrangement.parameters_given(),
        leaf_id=None if arrangement.leaf_id is None else known(arrangement.leaf_id),
    )
    asked = wish_to_arrange(key, id, wanted)
    return wire.session_of(await services.arranging.arrange(owner.id, id, wanted, asked))


@router.delete("/api/sessions/{id}", summary="Delete a session")
async def delete(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.Deleted:
    """What runs in it is stopped; from here on its ids are unknown, until an undo in time."""
    asked = wish_about(WishKind.DELETE, id, key)
    return wire.Deleted.model_validate(await services.deleting.delete(owner.id, id, asked))


@router.post("/api/sessions/{id}/undo-delete", summary="Take a deletion back")
async def undo_delete(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.Session:
    """The session, active; 404 when the time has passed. One that is not deleted stays as it is."""
    asked = wish_about(WishKind.UNDO_DELETE, id, key)
    return wire.session_of(await services.deleting.undo(owner.id, id, asked))


@router.delete("/api/sessions/{id}/summary", summary="Discard the summary of the chosen branch")
async def discard(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.Discarded:
    """The next message is answered from the original messages; where they do not fit, by a new summary."""
    await services.discarding.discard(owner.id, id, wish_about(WishKind.DELETE_SUMMARY, id, key))
    return wire.Discarded(session_id=id)


@router.post(
    "/api/sessions/{id}/queue/send",
    status_code=202,
    summary="Send the oldest queued message now",
    dependencies=[Depends(taking_work)],
)
async def release(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.Sent:
    """For a queue that is paused; the others follow it. 409 `session_busy`, 409 `nothing_queued`."""
    asked = wish_about(WishKind.RELEASE, id, key)
    return wire.Sent.model_validate(await services.queueing.release(owner.id, id, asked))


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
