"""Shares: the link of a session, for its owner; and what it shows, for whoever has it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from assistant.api import wire_shares
from assistant.api.asked import AnId, InJson, Key, TheServices, known
from assistant.api.owner import AnOwner
from assistant.api.peers import is_https
from assistant.api.sessions import MAX_MESSAGES, PAGE_MESSAGES
from assistant.bootstrap import Services
from assistant.domain.records import WishKind
from assistant.domain.share import Share
from assistant.services.sharing import wish_to_share
from assistant.services.wishes import wish_about

SHARED = "/shared/"

router = APIRouter(tags=["shares"])


async def a_token(token: Annotated[str, Path(description="The token of a link.")]) -> str:
    """The `{token}` of the path."""
    return known(token)


AToken = Annotated[str, Depends(a_token)]


@router.post("/api/sessions/{id}/share", summary="Share a session by a link")
async def share(
    request: Request,
    owner: AnOwner,
    id: AnId,
    _: InJson,
    sharing: wire_shares.Sharing,
    services: TheServices,
    key: Key = None,
) -> wire_shares.Share:
    """The link that it has, else a new one; `with_arguments` holds for it from now on."""
    allowed = sharing.with_arguments
    wish = wish_to_share(key, id, with_arguments=allowed)
    made = await services.sharing.share(owner.id, id, with_arguments=allowed, wish=wish)
    return _told(request, services, made)


@router.get("/api/sessions/{id}/share", summary="The link of a session")
async def shared(request: Request, owner: AnOwner, id: AnId, services: TheServices) -> wire_shares.Share:
    """404 when it is not shared."""
    return _told(request, services, await services.sharing.of_session(owner.id, id))


@router.delete("/api/sessions/{id}/share", summary="Stop sharing a session")
async def unshare(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire_shares.Unshared:
    """The link is as if it never was, for open pages too; sharing again gives another."""
    await services.sharing.revoke(owner.id, id, wish_about(WishKind.UNSHARE, id, key))
    return wire_shares.Unshared(session_id=id)


@router.get("/api/shared/{token}", summary="A shared session, for whoever has its link")
async def snapshot(
    token: AToken,
    services: TheServices,
    limit: Annotated[int, Query(ge=1, le=MAX_MESSAGES)] = PAGE_MESSAGES,
    before: Annotated[str | None, Query(description="A message id: the page before it.")] = None,
) -> wire_shares.SharedSnapshot:
    """The last messages of the chosen branch, oldest first, and the tasks of its answers.

    No owner is asked for, and none is made. 404 for a link that does not work any more, as for one that
    never did.
    """
    found = await services.sharing.snapshot(
        token, limit=limit, before=None if before is None else known(before)
    )
    return wire_shares.snapshot_of(found)


def _told(request: Request, services: Services, share: Share) -> wire_shares.Share:
    token = services.sharing.token(share)
    # As the caller called the server: who stands before the routes has asked a trusted proxy for the scheme.
    scheme = "https" if is_https(request.scope) else "http"
    return wire_shares.Share(
        url=f"{scheme}://{request.url.netloc}{SHARED}{token}",
        token=token,
        with_arguments=share.with_arguments,
        created_at=share.created_at,
    )
