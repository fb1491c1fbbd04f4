"""A session says which tools its model may ask for: no other is offered, and no other is run."""

from assistant.domain.models import CallAsked
from assistant.domain.tool_call import ToolCallReason, ToolCallState
from assistant.services.arranging import Arrangement
from assistant.settings import Settings
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.opened import OWNER, opened
from tests.support.tool_steps import one_step_of


async def test_a_tool_that_is_not_allowed_is_neither_offered_nor_run(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of(CallAsked("look", "{}"), CallAsked("note", "{}"))
    tools = LedgerTools(ledger, look=Scripted(), note=Scripted())
    async with opened(still, providers=provider, tools=tools) as assistant:
        first = await assistant.answered("First")
        allowed = Arrangement(parameters={"tools": ["look"]})
        await assistant.services.arranging.arrange(OWNER, first.session_id, allowed)
        ledger.effects.clear()
        sent = await assistant.send("Second", session_id=first.session_id)
        task = await assistant.ended(sent.task_id)

    look, note = task.tool_calls
    assert (look.state, note.state) == (ToolCallState.COMPLETED, ToolCallState.FAILED)
    assert note.reason is ToolCallReason.ERROR
    assert "does not allow the tool note" in (note.result or "")
    assert ledger.effects == [("look", look.id)]
    assert [tool.name for tool in provider.requests[-1].tools] == ["look"]


async def test_no_tool_at_all_is_a_choice_too(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of(CallAsked("look", "{}"))
    async with opened(still, providers=provider, tools=LedgerTools(ledger, look=Scripted())) as assistant:
        first = await assistant.answered("First")
        none = Arrangement(parameters={"tools": []})
        await assistant.services.arranging.arrange(OWNER, first.session_id, none)
        await assistant.ended((await assistant.send("Second", session_id=first.session_id)).task_id)

    assert provider.requests[-1].tools == ()
    assert len(ledger.effects) == 1
