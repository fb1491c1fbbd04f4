"""Tool calls: decide about one, and say what became of one whose outcome is unknown."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header

from assistant.api import wire
from assistant.api.asked import AnId, InJson, Key, TheServices, taking_work
from assistant.api.owner import AnOwner
from assistant.api.wire_requests import Decided
from assistant.domain.records import WishKind
from assistant.domain.tool_call import Decision
from assistant.services.deciding import Verdict, wish_to_decide
from assistant.services.device_naming import device_name
from assistant.services.wishes import wish_about

router = APIRouter(tags=["tool calls"])


@router.post("/api/tool-calls/{id}/decision", summary="Approve or deny a tool call")
async def decide(
    owner: AnOwner,
    id: AnId,
    _: InJson,
    decided: Decided,
    services: TheServices,
    key: Key = None,
    user_agent: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> wire.Task:
    """Once, and about exactly these arguments; the task as it is then.

    409 `already_decided` with `decision`, `decided_at`, `decided_by` and `decided_on`; 409
    `arguments_mismatch`; 409 `not_undecided` with the call's `state` and `reason`. The reason of a denial is
    told to the model.
    """
    device = device_name(user_agent)
    verdict = Verdict(id, Decision(decided.decision), decided.arguments_hash, decided.reason, device)
    return wire.task_of(await services.deciding.decide(owner.id, verdict, wish_to_decide(key, verdict)))


@router.post(
    "/api/tool-calls/{id}/mark-done",
    status_code=202,
    summary="Say that a call whose outcome is unknown was carried out",
    dependencies=[Depends(taking_work)],
)
async def mark_done(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.NewAnswer:
    """A sibling answer goes on with it. 409 `outcome_known`; 409 `already_settled` with its `task_id`."""
    asked = wish_about(WishKind.MARK_DONE, id, key)
    task = await services.retrying.mark_done(owner.id, id, asked)
    return wire.NewAnswer(task_id=task.id, answer_id=task.answer_id)


@router.post(
    "/api/tool-calls/{id}/run-again",
    status_code=202,
    summary="Run a call whose outcome is unknown once more",
    dependencies=[Depends(taking_work)],
)
async def run_again(owner: AnOwner, id: AnId, services: TheServices, key: Key = None) -> wire.NewAnswer:
    """A new call, with `retry_of`, in a sibling answer that goes on from there; refused as mark-done is."""
    asked = wish_about(WishKind.RUN_AGAIN, id, key)
    task = await services.retrying.run_again(owner.id, id, asked)
    return wire.NewAnswer(task_id=task.id, answer_id=task.answer_id)
