"""What tests ask of the queue of a session."""

from assistant.domain.records import KeyState
from assistant.services.queueing import Queued
from assistant.services.turns import Sent
from tests.support.eventually import eventually
from tests.support.opened import OWNER, Assistant


async def queue_of(assistant: Assistant, session_id: str) -> tuple[Queued, ...]:
    return (await assistant.services.restoring.snapshot(OWNER, session_id)).queued


async def waiting(assistant: Assistant, session_id: str) -> list[tuple[str, bool]]:
    """The texts that wait, each with whether it is paused."""
    return [(each.text, each.paused) for each in await queue_of(assistant, session_id)]


async def accepted(assistant: Assistant, key: str) -> Sent:
    """What the send under a queued key made, once it was its turn."""

    async def sent() -> Sent | None:
        record = await assistant.services.wishes.ask(OWNER, key)
        return Sent(**record.result or {}) if record.state is KeyState.ACCEPTED else None

    found = await eventually(sent)
    assert found is not None
    return found
