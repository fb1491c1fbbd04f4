"""Arrange a session: its title, its model and parameters, the archive, and which branch is shown.

Nothing here is activity: the session keeps its place in the list, and an answer that is being written
goes on undisturbed, since a runner takes its context from the question's own ancestors.
"""

from dataclasses import asdict, dataclass
from typing import Any

from assistant.domain.errors import InvalidInput, NotFound
from assistant.domain.ports import Clock
from assistant.domain.records import Wish, WishKind
from assistant.domain.session import Session, SessionEvent, SessionState
from assistant.domain.store_ports import Store, Unit
from assistant.domain.transcript import well_formed
from assistant.services.choices import ANYTHING, Choices
from assistant.services.turns import can_be_seen
from assistant.services.wishes import Wishes, fingerprint

MAX_TITLE_CHARACTERS = 200

_EVENTS = {SessionState.ACTIVE: SessionEvent.RESTORE, SessionState.ARCHIVED: SessionEvent.ARCHIVE}
"""The event that leads to a wanted state from the other one."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What is to be changed; what is None stays as it is.

    `leaf_id` names any message of the session: the branch through it is shown. `parameters` take the
    place of all that there were.
    """

    title: str | None = None
    state: SessionState | None = None
    model: str | None = None
    parameters: dict[str, Any] | None = None
    leaf_id: str | None = None


def wish_to_arrange(key: str | None, session_id: str, arrangement: Arrangement) -> Wish | None:
    """The wish to arrange a session, the same from page and API; None without a key."""
    if key is None:
        return None
    given = {name: value for name, value in asdict(arrangement).items() if value is not None}
    kind = WishKind.ARRANGE
    return Wish(kind, key, fingerprint(kind.value, {"id": session_id, **given}))


class Arranging:
    """The use cases of a session's row, but for its end."""

    def __init__(
        self,
        store: Store,
        wishes: Wishes,
        clock: Clock,
        *,
        choices: Choices = ANYTHING,
    ) -> None:
        self._store = store
        self._wishes = wishes
        self._clock = clock
        self._choices = choices

    async def arrange(
        self, owner_id: str, session_id: str, arrangement: Arrangement, wish: Wish | None = None
    ) -> Session:
        """Change all that is named, or nothing; returns the session as it stands then.

        The branch shown goes through `leaf_id` and ends at the message below it that was the chosen end
        last, else at the newest one. Raises NotFound for a session or a message that is not the owner's
        or not of the session, InvalidInput for what cannot be, and what `Wishes.accept` raises.
        """
        title = None if arrangement.title is None else _checked_title(arrangement.title)
        if arrangement.state is SessionState.DELETED:
            raise InvalidInput("A session is deleted by a wish of its own.")
        self._choices.check(arrangement.model, arrangement.parameters)
        async with self._store.write() as unit:
            if await self._wishes.accept(unit, owner_id, wish) is None:
                await unit.sessions.bump(session_id, owner_id=owner_id)
                session = await _session(unit, owner_id, session_id)
                await self._carry_out(unit, session, arrangement, title)
                await self._wishes.settle(unit, owner_id, wish, {"session_id": session_id})
            return await _session(unit, owner_id, session_id)

    async def _carry_out(
        self, unit: Unit, session: Session, arrangement: Arrangement, title: str | None
    ) -> None:
        if title is not None:
            await unit.sessions.rename(session.id, title)
        if arrangement.model is not None or arrangement.parameters is not None:
            named, parameters = arrangement.model, arrangement.parameters
            await unit.sessions.configure(
                session.id,
                model=session.model if named is None else named,
                parameters=session.parameters if parameters is None else parameters,
            )
        state = arrangement.state
        if state is not None and state is not session.state:
            await unit.sessions.move(session.id, _EVENTS[state], at=self._clock.now())
        if arrangement.leaf_id is not None:
            leaf_id = await unit.messages.last_below(session.id, arrangement.leaf_id)
            if leaf_id is None:
                raise NotFound()
            await unit.sessions.choose_leaf(session.id, leaf_id)


async def _session(unit: Unit, owner_id: str, session_id: str) -> Session:
    session = await unit.sessions.get(owner_id, session_id)
    if session is None:
        raise NotFound()
    return session


def _checked_title(given: str) -> str:
    """The title on one line, fit for any database."""
    title = " ".join(well_formed(given).split())
    if not can_be_seen(title) or len(title) > MAX_TITLE_CHARACTERS:
        raise InvalidInput(
            f"A title has 1 to {MAX_TITLE_CHARACTERS} characters.",
            rule="title_length",
            most=MAX_TITLE_CHARACTERS,
        )
    return title
