"""Tasks: read one, follow its text, stop it, try it again, continue it."""

from contextlib import ExitStack
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from assistant.api import wire
from assistant.api.asked import AnId, Key, TheServices, taking_work
from assistant.api.cursors import cursor
from assistant.api.event_stream import open_stream
from assistant.api.owner import AnOwner
from assistant.domain.frames import Cursor, Replace
from assistant.domain.records import WishKind
from assistant.domain.transcript import checksum
from assistant.services.following import Reading
from assistant.services.wishes import wish_about

router = APIRouter(tags=["tasks"])

ACursor = Annotated[Cursor, Depends(cursor)]


@router.get("/api/tasks/{id}", summary="A task")
async def read(owner: AnOwner, id: AnId, services: TheServices) -> wire.Task:
    """Its state as stored; for its text see the stream."""
    return wire.task_of(await services.following.task(owner.id, id))


@router.get(
    "/api/tasks/{id}/stream",
    summary="The text of a task, from wherever a reader stands until it is closed",
    response_class=Response,
    responses={
        200: {
            "model": wire.CatchUp,
            "description": "Events until the task is closed, or one catch-up read as JSON.",
            "content": {"text/event-stream": {"itemSchema": wire.EVENT}},
        }
    },
)
async def stream(
    request: Request, owner: AnOwner, id: AnId, place: ACursor, services: TheServices
) -> Response:
    """`Accept: application/json` gives one catch-up read, anything else the events."""
    if _wants_json(request.headers.get("accept", "")):
        reading = await services.following.read(owner.id, id, place)
        return JSONResponse(_catch_up(reading, place).model_dump(mode="json"))
    with ExitStack() as counting:
        counting.enter_context(request.app.state.streams.one_more(owner.id))
        opened = await open_stream(services, request.app.state.metrics, owner.id, id, place)
        opened.closes(counting.pop_all())
        return opened


@router.post("/api/tasks/{id}/stop", summary="Stop a task")
async def stop(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.Task:
    """The task in its terminal state, with the text that it had; one that ended stays as it ended."""
    asked = wish_about(WishKind.STOP, id, key)
    return wire.task_of(await services.stopping.stop(owner.id, id, asked))


@router.post(
    "/api/tasks/{id}/retry",
    status_code=202,
    summary="Answer the same question again",
    dependencies=[Depends(taking_work)],
)
async def retry(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.NewAnswer:
    """A new task with a sibling answer; the old one is kept."""
    asked = wish_about(WishKind.RETRY, id, key)
    task = await services.retrying.retry(owner.id, id, asked)
    return wire.NewAnswer(task_id=task.id, answer_id=task.answer_id)


@router.post(
    "/api/tasks/{id}/continue",
    status_code=202,
    summary="Go on where an answer broke off",
    dependencies=[Depends(taking_work)],
)
async def carry_on(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.NewAnswer:
    """A new task with a sibling answer that begins with the kept text; 409 `not_retryable`."""
    asked = wish_about(WishKind.CONTINUE, id, key)
    task = await services.retrying.carry_on(owner.id, id, asked)
    return wire.NewAnswer(task_id=task.id, answer_id=task.answer_id)


def _wants_json(accept: str) -> bool:
    return "application/json" in accept and "text/event-stream" not in accept


def _catch_up(reading: Reading, place: Cursor) -> wire.CatchUp:
    whole = reading.folded.transcript
    offset = 0 if isinstance(reading.answer, Replace) else min(place.offset, len(whole))
    return wire.CatchUp(
        text=whole.text[offset:],
        offset=offset,
        next=len(whole),
        attempt=reading.folded.attempt,
        state=reading.task.state,
        reason=reading.task.reason,
        closed=reading.closed,
        parts=wire.parts_of(whole.parts),
        crc=checksum(whole.text),
    )
