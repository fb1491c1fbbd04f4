"""Export and import: what goes out comes back, as history of whoever brings it."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from assistant.domain.errors import InvalidInput, KeyReused, NotFound, OutcomeKnown, RequestWithdrawn
from assistant.domain.session import Session, SessionState
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import ToolCallReason, ToolCallState
from assistant.services.exporting import ExportFormat
from assistant.services.importing import wish_to_import
from assistant.services.session_file import SessionFile
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant
from tests.support.session_files import session_files

NOON = "2025-05-05T12:00:00.123Z"


async def exported(assistant: Assistant, session_id: str, owner: str = OWNER, kind: str = "json") -> str:
    made = await assistant.services.exporting.export(owner, session_id, ExportFormat(kind))
    return "".join([piece async for piece in made.pieces])


async def import_(assistant: Assistant, file: Any, key: str | None = None, owner: str = OWNER) -> Session:
    read = SessionFile.model_validate(file)
    return await assistant.services.importing.import_file(owner, read, wish_to_import(key, read))


def a_call(state: str, reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "number": 1,
        "step": 1,
        "name": "save_note",
        "arguments": '{"title":"x"}',
        "offset": 5,
        "state": state,
        "reason": reason,
        "result": None,
        "needs_decision": True,
        "idempotent": False,
        "decision": None,
        "decision_reason": None,
        "decided_at": None,
        "started_at": None,
        "finished_at": None,
        "retry_of": None,
        **more,
    }


def a_file(call: dict[str, Any] | None = None, state: str = "done", reason: str | None = "complete") -> Any:
    """One question with its answer, which may have a call after its first five characters."""
    parts = [{"kind": "text", "start": 0, "end": 5}]
    if call is not None:
        parts.append({"kind": "tool_call", "start": 5, "end": 5, "call": 1})
    return {
        "format": "assistant-session",
        "version": 1,
        "session": {
            "title": "Old talk",
            "model": None,
            "parameters": {},
            "leaf": 2,
            "created_at": NOON,
            "updated_at": NOON,
        },
        "messages": [
            {"number": 1, "parent": None, "role": "user", "text": "Why?", "created_at": NOON},
            {
                "number": 2,
                "parent": 1,
                "role": "assistant",
                "text": "Since",
                "created_at": NOON,
                "parts": parts,
                "task": {
                    "state": state,
                    "reason": reason,
                    "error": None,
                    "created_at": NOON,
                    "finished_at": NOON,
                },
                "tool_calls": [] if call is None else [call],
            },
        ],
    }


@hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(file=session_files())
async def test_a_file_that_is_imported_is_exported_as_it_was(assistant: Assistant, file: Any) -> None:
    session = await import_(assistant, file)
    assert json.loads(await exported(assistant, session.id)) == file


async def test_a_talk_with_branches_comes_back_whole_under_new_ids(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2", "A2 edited", "```\nfence"):
        provider.say(text)
    first = await anywhere.answered("Q1")
    second = await anywhere.answered("Q2", session_id=first.session_id)
    await anywhere.answered("Q2 edited", edits=second.message_id)
    await anywhere.answered("Q3", session_id=first.session_id)
    await anywhere.show(first.session_id, second.message_id)
    file = json.loads(await exported(anywhere, first.session_id))

    session = await import_(anywhere, file, owner="grace")

    assert json.loads(await exported(anywhere, session.id, "grace")) == file
    assert [message["text"] for message in file["messages"]][:3] == ["Q1", "A1", "Q2"]
    snapshot = await anywhere.services.restoring.snapshot("grace", session.id)
    assert [message.text for message in snapshot.messages] == ["Q1", "A1", "Q2", "A2"]
    assert first.session_id not in json.dumps(file)
    assert OWNER not in json.dumps(file)
    found = await anywhere.services.searching.search("grace", "fence")
    assert [result.session_id for result in found.results] == [session.id]
    with pytest.raises(NotFound):
        await exported(anywhere, session.id)


async def test_an_imported_session_is_talked_on_in(assistant: Assistant, provider: ScriptedProvider) -> None:
    session = await import_(assistant, a_file())
    provider.say("More.")
    await assistant.answered("And?", session_id=session.id)
    assert [turn["content"] for turn in provider.calls[-1].body["messages"]] == ["Why?", "Since", "And?"]


async def test_what_ran_when_it_was_exported_has_ended(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Half an answer").hold()
    sent = await assistant.send("Why?")
    await assistant.follow(sent.task_id).shows("Half an answer")
    file = json.loads(await exported(assistant, sent.session_id))
    assert file["messages"][1]["task"]["state"] in ("pending", "streaming")

    session = await import_(assistant, file)
    snapshot = await assistant.services.restoring.snapshot(OWNER, session.id)
    script.release()

    assert snapshot.tasks == ()
    [task] = await assistant.services.restoring.ended(OWNER, [snapshot.messages[1].id])
    assert (task.state, task.reason) == (TaskState.FAILED, TaskReason.INTERRUPTED)
    assert "Half an answer".startswith(snapshot.messages[1].text)


@pytest.mark.parametrize(
    ("call", "becomes"),
    [
        (a_call("requested"), ToolCallReason.STOPPED),
        (a_call("requested", decision="approve", needs_decision=True), ToolCallReason.STOPPED),
        (a_call("requested", needs_decision=False), ToolCallReason.STOPPED),
        (a_call("executing"), ToolCallReason.LOST),
        (a_call("failed", "timeout"), ToolCallReason.TIMEOUT),
        (a_call("failed", "expired", needs_decision=False), ToolCallReason.EXPIRED),
    ],
)
async def test_an_imported_call_is_never_run_and_nobody_is_asked_about_it(
    assistant: Assistant, provider: ScriptedProvider, call: dict[str, Any], becomes: ToolCallReason
) -> None:
    """Whatever the file says, Continue takes it over as told."""
    session = await import_(assistant, a_file(call, "awaiting_confirm", None))
    answer = (await assistant.services.restoring.snapshot(OWNER, session.id)).messages[1]
    [task] = await assistant.services.restoring.ended(OWNER, [answer.id])
    [stored] = task.tool_calls
    assert (stored.state, stored.reason, stored.imported) == (ToolCallState.FAILED, becomes, True)
    assert not stored.outcome_unknown
    for settle in (assistant.services.retrying.run_again, assistant.services.retrying.mark_done):
        with pytest.raises(OutcomeKnown):
            await settle(OWNER, stored.id)

    provider.say(" so.")
    went_on = await assistant.ended((await assistant.services.retrying.carry_on(OWNER, task.id)).id)

    assert went_on.reason is TaskReason.COMPLETE
    assert [each.state for each in went_on.tool_calls] == [ToolCallState.FAILED]
    assert all(each.imported for each in went_on.tool_calls)


async def test_an_import_is_carried_out_once_under_its_key(anywhere: Assistant) -> None:
    first = await import_(anywhere, a_file(), "k")
    assert (await import_(anywhere, a_file(), "k")).id == first.id
    assert len(await anywhere.services.restoring.sessions(OWNER)) == 1
    other = a_file()
    other["session"]["title"] = "Another"
    with pytest.raises(KeyReused):
        await import_(anywhere, other, "k")
    await anywhere.services.wishes.withdraw(OWNER, "w")
    with pytest.raises(RequestWithdrawn):
        await import_(anywhere, other, "w")
    assert [each.title for each in await anywhere.services.restoring.sessions(OWNER)] == ["Old talk"]
    assert len((await anywhere.services.searching.search(OWNER, "Old talk")).results) == 1


async def test_an_unknown_model_is_left_out_and_an_import_is_active(assistant: Assistant) -> None:
    file = a_file()
    file["session"]["model"] = "unheard of"
    session = await import_(assistant, file)
    assert (session.model, session.state, session.title) == (None, SessionState.ACTIVE, "Old talk")


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (("session", "leaf"), 3, "session.leaf"),
        (("session", "leaf"), None, "session.leaf"),
        (("messages", 0, "number"), 2, "messages.0.number"),
        (("messages", 0, "parent"), 1, "messages.0.parent"),
        (("messages", 1, "parent"), 2, "messages.1.parent"),
        (("messages", 1, "task", "reason"), "error", "messages.1.task.reason"),
        (("messages", 1, "task", "reason"), None, "messages.1.task.reason"),
        (("messages", 1, "text"), "Since ever", "messages.1.parts"),
        (("messages", 1, "parts", 0, "start"), 1, "messages.1.parts.0.start"),
        (("messages", 1, "parts", 1, "call"), 2, "messages.1.parts.1.call"),
        (("messages", 1, "parts", 0, "call"), 1, "messages.1.parts.0.call"),
        (("messages", 1, "tool_calls", 0, "number"), 2, "messages.1.tool_calls.0.number"),
        (("messages", 1, "tool_calls", 0, "offset"), 6, "messages.1.tool_calls.0.offset"),
        (("messages", 1, "tool_calls", 0, "retry_of"), 1, "messages.1.tool_calls.0.retry_of"),
        (("messages", 1, "tool_calls", 0, "reason"), "error", "messages.1.tool_calls.0.reason"),
    ],
)
async def test_a_file_that_breaks_a_rule_is_refused_at_its_place(
    assistant: Assistant, place: tuple[str | int, ...], value: Any, field: str
) -> None:
    file = a_file(a_call("completed", result="done"))
    piece = file
    for step in place[:-1]:
        piece = piece[step]
    piece[place[-1]] = value
    with pytest.raises(InvalidInput) as refused:
        await import_(assistant, file)
    assert field in [error["field"] for error in refused.value.details["errors"]]
    assert await assistant.services.restoring.sessions(OWNER) == []


async def test_a_deleted_session_is_not_exported(assistant: Assistant) -> None:
    sent = await assistant.answered("Why?")
    made = await assistant.services.exporting.export(OWNER, sent.session_id, ExportFormat.JSON)
    await assistant.services.deleting.delete(OWNER, sent.session_id)
    with pytest.raises(NotFound):
        await exported(assistant, sent.session_id)
    with pytest.raises(NotFound):
        _ = [piece async for piece in made.pieces]


async def test_markdown_has_the_branch_that_is_shown(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "```py\nx = 1", "B2"):
        provider.say(text)
    first = await assistant.answered("What *is* it?\n# No heading")
    second = await assistant.answered("Q2", session_id=first.session_id)
    await assistant.answered("Q2 edited", edits=second.message_id)
    await assistant.show(first.session_id, second.message_id)

    text = await exported(assistant, first.session_id, kind="md")

    assert text.startswith("# What \\*is\\* it?\n")
    assert "Other branches are left out: 2 messages." in text
    assert "B2" not in text
    assert "What *is* it?\n# No heading" in text
    assert "> ```py\n> x = 1\n" in text
    assert text.index("A1") < text.index("Q2")
