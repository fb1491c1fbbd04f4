"""POST /api/messages and what became of a key: sending, exactly once (DESIGN 8)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from assistant.api import wire
from assistant.api.asked import AKey, InJson, Key, RequiredKey, TheServices, known, taking_work
from assistant.api.owner import AnOwner
from assistant.api.wire_requests import Draft, Rewriting
from assistant.domain.errors import InvalidInput, KeyMissing, NotFound
from assistant.services.queueing import Rewriting as Rewritable
from assistant.services.queueing import wish_to_rewrite
from assistant.services.sending import Draft as Sendable
from assistant.services.sending import wish_to_send
from assistant.services.wishes import check_key

router = APIRouter(tags=["messages"])


AskedKey = Annotated[AKey, Path(description="An idempotency key of yours.")]


@router.post(
    "/api/messages",
    status_code=202,
    summary="Send a message and have it answered",
    dependencies=[Depends(taking_work)],
    responses={202: {"content": {"application/json": {"examples": wire.SEND_EXAMPLES}}}},
)
async def send(
    owner: AnOwner,
    _: InJson,
    key: RequiredKey,
    draft: Draft,
    services: TheServices,
) -> wire.Sent | wire.Waiting:
    """Accepted once per key: a repeat with the same body gives the first result.

    With `queue`, in a busy session, it waits for its turn; a repeat then says what became of it so far.
    With `edits` it becomes a sibling of that message, in its session, and the branch through it is shown.
    """
    if not key:
        raise KeyMissing()
    wanted = Sendable(
        text=draft.text,
        session_id=None if draft.session_id is None else known(draft.session_id),
        model=draft.model,
        parameters=draft.parameters_given(),
        edits=None if draft.edits is None else known(draft.edits),
        queue=draft.queue,
    )
    return wire.sent_of(await services.sending.send(owner.id, wish_to_send(key, wanted), wanted))


@router.get("/api/requests/{key:path}", summary="What became of a key")
async def ask(owner: AnOwner, key: AskedKey, services: TheServices) -> wire.KeyedRequest:
    """Accepted with its result, queued, or withdrawn; 404 when nothing was carried out under it."""
    if not _can_be_a_key(key):
        raise NotFound()
    return wire.KeyedRequest.model_validate(await services.wishes.ask(owner.id, key))


@router.delete("/api/requests/{key:path}", summary="Withdraw a key")
async def withdraw(owner: AnOwner, key: AskedKey, services: TheServices) -> wire.KeyedRequest:
    """From here on a wish under it is refused, and a queued message is taken out of its queue; 409
    `request_accepted` when the wish came first, or its turn."""
    return wire.KeyedRequest.model_validate(await services.wishes.withdraw(owner.id, key))


@router.patch("/api/requests/{key:path}", summary="Give a queued message another text")
async def rewrite(
    owner: AnOwner, key: AskedKey, _: InJson, rewriting: Rewriting, services: TheServices, own_key: Key = None
) -> wire.KeyedRequest:
    """At its place, under its key; a repeat of its send is answered as before.

    409 `request_accepted` when its turn came first and another text was sent, 409 `request_withdrawn`, and
    409 `request_edited` with the `text` that waits when it is not the one that is to be replaced.
    """
    if not _can_be_a_key(key):
        raise NotFound()
    wanted = Rewritable(key, rewriting.text, rewriting.replaces)
    record = await services.queueing.rewrite(owner.id, wanted, wish_to_rewrite(own_key, wanted))
    return wire.KeyedRequest.model_validate(record)


def _can_be_a_key(key: str) -> bool:
    try:
        check_key(key)
    except InvalidInput:
        return False
    return True
