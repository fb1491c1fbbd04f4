"""The pages beside a stretch: asked for as what stands there, and never of a branch that was left."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.domain.errors import NotFound
from assistant.domain.message import Message, Role
from assistant.domain.session import Session, SessionState
from assistant.services.restoring import Snapshot, Stretch
from assistant.ui.rows import MessageRow
from assistant.ui.states import paging
from assistant.ui.states.page import Page
from assistant.ui.states.paging import Paging
from assistant.ui.states.stretches import show_rows, stretch_of
from assistant.ui.states.thread import Thread
from tests.unit.ui.test_held_states import a_tab

NOW = datetime(2030, 1, 1, tzinfo=UTC)
STOOD = Stretch("b", "c", "leaf of before")


class Restores:
    """A session whose chosen branch is another one by now."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def snapshot(self, owner_id: str, session_id: str, **given: Any) -> Snapshot:
        self.asked.append(given)
        if given:
            raise NotFound()
        session = Session(session_id, owner_id, SessionState.ACTIVE, "Title", None, "new", 2, NOW, NOW)
        message = Message("new", session_id, None, Role.USER, "Other?", (), 9, NOW, 2)
        return Snapshot(session, (message,), (), {}, has_older=True)

    async def ended(self, owner_id: str, answer_ids: list[str]) -> list[Any]:
        return []


@pytest.mark.parametrize(("move", "at"), [("older", "b"), ("newer", "c")])
async def test_where_another_branch_was_chosen_the_newest_messages_are_shown(
    move: str, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    restores = Restores()
    monkeypatch.setattr(paging, "services", lambda: SimpleNamespace(restoring=restores))
    monkeypatch.setattr(paging, "owner_of", lambda _: "ada")
    tab = await a_tab()
    (await tab.get_state(Page)).sid = "s"
    rows: list[MessageRow] = [
        {"id": id, "role": "user", "created_at": "2030-01-01T00:00:00.000Z"} for id in "bc"
    ]
    await show_rows(tab, rows, STOOD.leaf, has_older=True, has_newer=True)

    state = await tab.get_state(Paging)
    await getattr(Paging, move).fn(state, at)

    assert [each.get("stretch") for each in restores.asked] == [STOOD, None]
    assert [row["id"] for row in (await tab.get_state(Thread)).rows] == ["new"]
    assert await stretch_of(tab, "s") == Stretch("new", "new", "new")
