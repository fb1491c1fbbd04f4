"""What the page holds already is not sent again: by its fingerprint, which is one of the document too."""

from typing import Any

import pytest
import reflex as rx

from assistant.ui.rows import MessageRow
from assistant.ui.states.have import Have, held_at_connect
from assistant.ui.states.held import tell
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Live, Thread

ROWS: list[MessageRow] = [{"id": "q", "role": "user", "created_at": "2030-01-01T00:00:00.000Z"}]
THREAD = Thread.get_full_name()


async def a_tab(document: str = "document", told: str = "") -> Any:
    """The states of a tab as a connection leaves them: `told` is the fingerprint that the browser says."""
    tab = rx.State(_reflex_internal_init=True)  # ty: ignore[unknown-argument]
    (await tab.get_state(Page)).document = document
    (await tab.get_state(Thread)).fingerprint = told
    tab._clean()
    return tab


async def sent(tab: Any) -> dict[str, Any]:
    """What goes to the page of the thread at the end of an event."""
    delta = await tab._get_resolved_delta()
    tab._clean()
    return {name.removesuffix("_rx_state_"): value for name, value in delta.get(THREAD, {}).items()}


async def fingerprint_of(document: str = "document", **values: Any) -> str:
    tab = await a_tab(document)
    await tell(tab, Thread, **values)
    return (await sent(tab))["fingerprint"]


async def test_a_connection_carries_none_of_it_and_the_built_document_does() -> None:
    tab = await a_tab()
    await tell(tab, Thread, rows=ROWS)
    for state in (Thread, Live, Have):
        assert state.get_full_name() not in tab.dict()
        assert state.get_full_name() in tab.dict(initial=True)
    assert Page.get_full_name() in tab.dict()


async def test_what_is_not_held_is_sent_with_its_fingerprint() -> None:
    tab = await a_tab()
    await tell(tab, Thread, rows=ROWS)
    first = await sent(tab)
    assert (first["rows"], first["has_older"]) == (ROWS, False)

    await tell(tab, Thread, rows=ROWS)
    assert await sent(tab) == {}
    await tell(tab, Thread, rows=[])
    then = await sent(tab)
    assert then["rows"] == []
    assert then["fingerprint"] != first["fingerprint"]


async def test_what_the_browser_says_it_holds_is_not_sent_by_a_server_that_knew_nothing() -> None:
    tab = await a_tab(told=await fingerprint_of(rows=ROWS))
    await tell(tab, Thread, rows=ROWS, has_older=False)
    assert await sent(tab) == {}
    assert (await tab.get_state(Thread)).rows == ROWS


@pytest.mark.parametrize("document", ["another document", ""])
async def test_a_new_document_or_one_without_a_name_is_told_everything(document: str) -> None:
    tab = await a_tab(document, told=await fingerprint_of(rows=ROWS))
    await tell(tab, Thread, rows=ROWS)
    assert (await sent(tab))["rows"] == ROWS


async def test_a_page_that_lacks_one_value_is_sent_all_that_the_fingerprint_speaks_of() -> None:
    tab = await a_tab()
    await tell(tab, Thread, rows=ROWS)
    await sent(tab)
    (await tab.get_state(Thread)).fingerprint = await fingerprint_of(rows=[])
    tab._clean()

    await tell(tab, Thread, has_older=True)
    assert {name: value for name, value in (await sent(tab)).items() if name != "fingerprint"} == {
        "rows": ROWS,
        "has_older": True,
        "has_newer": False,
        "summary": {},
    }


async def test_what_is_told_twice_before_it_is_sent_is_sent() -> None:
    tab = await a_tab()
    for _ in range(2):
        await tell(tab, Thread, rows=ROWS)
    assert (await sent(tab))["rows"] == ROWS


async def test_what_the_browser_holds_counts_for_the_first_restore_of_its_connection() -> None:
    """It may have said it before it forgot the texts of a session that it left."""
    tab = await a_tab()
    (await tab.get_state(Have)).have = '{"task": [1, 2, 3]}'
    connection = tab.router.session.session_id
    assert set(await held_at_connect(tab, "an earlier one")) == {"task"}
    assert await held_at_connect(tab, connection) == {}


async def test_what_the_browser_says_of_its_texts_is_not_echoed() -> None:
    tab = await a_tab()
    (await tab.get_state(Have)).have = '{"task": [1, 2, 3]}'
    assert Have.get_full_name() not in await tab._get_resolved_delta()
