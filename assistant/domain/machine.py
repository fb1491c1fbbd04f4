"""What every state machine here shares: a table from (state, event) to state, and the refusal of the rest.

The table alone decides whether a move is legal; it holds no conditions. A condition chooses the event.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

State = TypeVar("State", bound=StrEnum)
Event = TypeVar("Event", bound=StrEnum)


class IllegalMove(Exception):
    """The table has no arrow for this event from this state: a defect of the caller, never of a user."""


class Machine(Generic[State, Event]):
    """One transition table with its questions.

    `arrows` maps (state, event) to the next state; `terminal` are the states that never move again.
    """

    def __init__(self, arrows: Mapping[tuple[State, Event], State], terminal: frozenset[State]) -> None:
        self.arrows = dict(arrows)
        self.terminal = terminal

    def next(self, state: State, event: Event) -> State:
        """The state after `event`; raises IllegalMove when the table has no such arrow."""
        try:
            return self.arrows[state, event]
        except KeyError:
            raise IllegalMove(f"no arrow for {event} from {state}") from None

    def sources(self, event: Event) -> tuple[State, ...]:
        """The states from which `event` is legal, in table order: the WHERE of a conditional UPDATE."""
        return tuple(state for (state, moved_by) in self.arrows if moved_by == event)

    def target(self, event: Event) -> State:
        """The one state that `event` leads to; raises IllegalMove when it leads to several."""
        targets = {after for (_, moved_by), after in self.arrows.items() if moved_by == event}
        if len(targets) != 1:
            raise IllegalMove(f"{event} leads to {sorted(targets)}")
        return targets.pop()
