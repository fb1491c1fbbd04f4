"""The permission walk over the socket: every handler of every state, called by another owner and by nobody.

With another owner's ids a tab is told what it is told with unknown ones, and no word of theirs. Nothing of
the owner's changes, nobody is rung, and a page that stands at a foreign address hears nothing of what is
written there.
"""

from typing import Any

import pytest

from tests.integration.api.walk_estate import FOREIGNER, OWNER, SECRET, Estate, Things
from tests.integration.api.walk_handlers import FORGED, HANDLERS, Call
from tests.integration.api.walk_mounted import handlers, named, state_classes, the_app
from tests.integration.api.walk_tab import Server, Tab, storage_vars, tabs

pytestmark = pytest.mark.timeout(300)
"""Hundreds of tabs, and the whole app with its pages before the first."""

SETTERS = {"is_hydrated"}
"""Vars that a browser may set by Reflex's own `setvar`: what they say is about the browser alone."""


def test_every_handler_of_every_state_is_walked() -> None:
    """Item 4 of the step: a handler that is added tomorrow is called by a foreigner, or this is red."""
    enumerated, walked = set(handlers()), set(HANDLERS)
    assert enumerated - walked == set(), (
        "New handlers (every public method of a state is one): add a row for each to HANDLERS in "
        f"walk_handlers.py, whose docstring says how: {sorted(enumerated - walked)}"
    )
    assert walked - enumerated == set(), "rows of handlers that are gone"


def test_a_row_gives_every_argument_that_its_handler_takes() -> None:
    for name, calls in HANDLERS.items():
        _, handler = handlers()[name]
        wanted = set(handler.fn.__code__.co_varnames[1 : handler.fn.__code__.co_argcount])
        optional = len(handler.fn.__defaults__ or ())
        for call in calls:
            assert set(call.payload) == wanted or (optional and set(call.payload) <= wanted), name


def test_every_var_that_a_browser_says_by_itself_is_forged() -> None:
    enumerated, forged = set(storage_vars()), set(FORGED)
    assert enumerated - forged == set(), (
        "New vars of client storage: add a row for each to FORGED in walk_handlers.py: "
        f"{sorted(enumerated - forged)}"
    )
    assert forged - enumerated == set(), "rows of vars that are gone"


def test_no_var_of_a_state_has_a_setter_that_a_browser_may_call() -> None:
    """`setvar` calls `set_<name>`: a method of such a name is a handler with whatever value comes."""
    settable = {
        (named(state), attribute.removeprefix("set_"))
        for state in state_classes()
        for attribute in dir(state)
        if attribute.startswith("set_")
    }
    assert {name for _, name in settable} == SETTERS


def test_every_page_loads_by_handlers_that_are_walked() -> None:
    names = {handler.fn.__qualname__ for _, handler in handlers().values()}
    for events in the_app()._load_events.values():
        assert {event.fn.__qualname__ for event in events} <= names


@pytest.mark.parametrize("who", ["foreigner", "nobody"])
async def test_a_tab_is_told_of_foreign_ids_what_it_is_told_of_unknown_ones(estate: Estate, who: str) -> None:
    """Cases B185, B186, B187, B189."""
    cookie = _cookie(estate, FOREIGNER if who == "foreigner" else "")
    nobodys, before, logs, ids = estate.nobodys(), estate.rows(), await estate.logs(), estate.ids()
    for name, calls in HANDLERS.items():
        async with tabs() as server:
            for call in calls:
                unknown, _ = await _told(server, cookie, name, call, nobodys)
                for kind, theirs in estate.things.items():
                    if "{call_id}" in call.payload.values() and not theirs.call_id:
                        continue
                    foreign, raw = await _told(server, cookie, name, call, theirs)

                    assert foreign == unknown, (kind, name, call)
                    assert SECRET not in raw, (kind, name, call)
                    assert {each for each in ids if each in raw} == set(), (kind, name, call)
    assert estate.rung() == []
    assert (estate.rows(), await estate.logs()) == (before, logs)
    assert estate.ledger.times("mail") == 0


async def test_the_walk_would_see_a_handler_that_forgets_the_owner(estate: Estate) -> None:
    """The owner's own tab is told what the walk looks for."""
    theirs, cookie = estate.things["parked"], _cookie(estate, OWNER)
    async with tabs() as server:
        load = Call()
        known, raw = await _told(server, cookie, "restore.Restore.on_load", load, theirs)
        unknown, _ = await _told(server, cookie, "restore.Restore.on_load", load, estate.nobodys())

        assert SECRET in raw
        assert known != unknown
        await _told(server, cookie, "wishes.Wishes.rename", HANDLERS["wishes.Wishes.rename"][0], theirs)
    assert estate.rung() == [theirs.session_id, OWNER]


async def test_a_page_at_a_foreign_address_hears_nothing_of_what_is_written_there(estate: Estate) -> None:
    """Case B186: a running answer goes on and ends, and a deleted session comes back, before its eyes."""
    theirs = estate.things["running"]
    address = theirs.filled("/?sid={session_id}")
    async with tabs() as server:
        owner, foreigner = Tab(server, _cookie(estate, OWNER), address), _tab(server, estate, address)
        for tab in (owner, foreigner):
            await tab.connect()
            await tab.beats()
        at_first = foreigner.told()

        estate.finish()
        await estate.assistant.ended(theirs.task_id)
        await owner.hears("And more of")
        await foreigner.beats()

        assert foreigner.told() == at_first
        assert SECRET not in "".join(at_first)


async def test_a_tabs_name_is_no_key_to_what_it_was_told(estate: Estate) -> None:
    """A tab's token stands in the socket's address: whoever learns it connects under it, as themselves."""
    theirs = estate.things["parked"]
    async with tabs() as server:
        owner = Tab(server, _cookie(estate, OWNER), theirs.filled("/?sid={session_id}"))
        await owner.connect()
        assert SECRET in "".join(owner.told())

        thief = Tab(server, _cookie(estate, FOREIGNER), "/", token=owner.token)
        await thief.connect()
        await thief.beats()

        told = "".join(thief.told())
        assert SECRET not in told
        assert {each for each in estate.ids() if each in told} == set()


def _tab(server: Server, estate: Estate, address: str) -> Tab:
    return Tab(server, _cookie(estate, FOREIGNER), address)


def _cookie(estate: Estate, owner: str) -> str:
    return f"assistant_owner={estate.cookie_of(owner)}" if owner else ""


async def _told(server: Server, cookie: str, name: str, call: Call, things: Things) -> tuple[set[str], str]:
    """What a new tab is told from its connection to the end of one call: with the caller's own ids as they
    stand in the table; and, as one text, all that the caller did not name."""
    full = storage_vars()
    forged: dict[str, Any] = {}
    if call.forged:
        forged = {full[var]: things.filled(value) for var, value in FORGED.items()}
    tab = Tab(server, cookie, things.filled(call.address))
    await tab.connect(forged)
    state, handler = handlers()[name]
    payload = things.filled(call.payload)
    if call.forged and "vars" in handler.fn.__code__.co_varnames:
        payload["vars"] = forged
    await tab.calls(state, name.rpartition(".")[2], payload)
    await tab.restored()
    await tab.beats()
    tab.leave()
    # A set: the restore, the follow and the list of sessions tell side by side.
    told = {things.unfilled(each) for each in tab.told()}
    return told, "".join(sorted(told))
