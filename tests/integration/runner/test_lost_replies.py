"""A commit around calls whose reply was lost: what was stored is found, and nothing happens twice."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from assistant.domain.errors import StoreUnavailable
from assistant.domain.store_ports import Unit
from assistant.domain.task import TaskReason, TaskState
from assistant.runner import patience
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.opened import Assistant, opened
from tests.support.tool_steps import one_step_of


class LosingReplies:
    """A store whose n-th write is stored and not confirmed."""

    def __init__(self, assistant: Assistant, lost: int) -> None:
        self._store = assistant.services.store
        self._lost = lost
        self.written = 0
        self.read = self._store.read

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[Unit]:
        self.written += 1
        lost = self.written == self._lost
        async with self._store.write() as unit:
            yield unit
        if lost:
            raise StoreUnavailable()


@pytest.mark.parametrize("lost", range(1, 9))
async def test_a_lost_reply_is_found_and_nothing_happens_twice(
    still: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    monkeypatch.setattr(patience, "RETRY_SECONDS", 0.01)
    provider = one_step_of("look", "mail", "read")
    tools = LedgerTools(
        ledger, look=Scripted(), mail=Scripted(needs_decision=True), read=Scripted(idempotent=True)
    )
    async with opened(still, providers=provider, tools=tools) as assistant:
        store = LosingReplies(assistant, lost)
        cast(Any, assistant.services.working)._driving._calling._store = store
        sent = await assistant.send()
        await _until(assistant, sent.task_id, TaskState.AWAITING_CONFIRM)
        await assistant.decide(await assistant.call(sent.task_id, "mail"))
        await _until(assistant, sent.task_id, TaskState.DONE)
        task = await assistant.task(sent.task_id)
        assert store.written >= lost, "nothing was lost"

    assert task.reason is TaskReason.COMPLETE
    assert len(task.tool_calls) == 3
    assert ledger.at_most_once()
    assert [ledger.times(name) for name in ("look", "mail", "read")] == [1, 1, 1]
    assert len(provider.requests) == 2


async def _until(assistant: Assistant, task_id: str, state: TaskState) -> None:
    """With beats and passes, as in life."""

    async def there() -> bool:
        await assistant.services.working.beat()
        await assistant.services.reconciling.run_pass()
        task = await assistant.task(task_id)
        running = task_id in cast(Any, assistant.services.working)._running
        return task.state is state and not running

    await eventually(there)
