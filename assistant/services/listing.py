"""The list of an owner's sessions: by last activity, each with a mark that says what it is at."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.domain.session import Session, SessionState
from assistant.domain.store_ports import Store
from assistant.domain.task import TaskState


class Mark(StrEnum):
    RUNNING = "running"
    """An answer is being written, or its tools are at work."""

    WAITING = "waiting"
    """An answer waits for a decision of the user's."""

    FAILED = "failed"
    """The last answer of the chosen branch did not end well."""


MARKS = {
    TaskState.PENDING: Mark.RUNNING,
    TaskState.STREAMING: Mark.RUNNING,
    TaskState.TOOL_CALLING: Mark.RUNNING,
    TaskState.AWAITING_CONFIRM: Mark.WAITING,
    TaskState.FAILED: Mark.FAILED,
    TaskState.DONE: None,
}
"""What the state of a session's task says of the session."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry; `mark` is None where there is nothing to say."""

    session: Session
    mark: Mark | None


class Listing:
    """The list, for the page's sidebar; the API's own pages are `Restoring.sessions`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def newest(
        self, owner_id: str, limit: int, state: SessionState = SessionState.ACTIVE
    ) -> tuple[list[Listed], bool]:
        """The `limit` sessions in a state that were at work last, the newest first, and whether there are
        more."""
        async with self._store.read() as unit:
            found = await unit.sessions.recent(owner_id, limit=limit + 1, state=state)
            states = await unit.tasks.latest_states([session.id for session in found[:limit]])
        listed = [Listed(each, _mark(states.get(each.id))) for each in found[:limit]]
        return listed, len(found) > limit


def _mark(state: TaskState | None) -> Mark | None:
    return None if state is None else MARKS[state]
