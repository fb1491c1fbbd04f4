"""Who calls a handler, and for which session: derived from the event itself, every time (DESIGN 10).

A handler can run before `on_load`, on a fresh state, so nothing here trusts what a state remembers.
"""

import reflex as rx

from assistant import bootstrap
from assistant.bootstrap import Services
from assistant.domain.errors import NotReady, OwnerMissing
from assistant.services.device_naming import device_name


def services() -> Services:
    """The open services; raises NotReady."""
    return bootstrap.held.get()


def services_for_work() -> Services:
    """The open services, while new work is taken; raises NotReady when the server goes down."""
    found = services()
    if not found.accepting:
        raise NotReady()
    return found


def owner_of(state: rx.State) -> str:
    """The id of the owner whose cookie came with the socket; raises OwnerMissing."""
    owner = services().seal.owner_of(state.router.headers.cookie)
    if owner is None:
        raise OwnerMissing()
    return owner.id


def sid_of(state: rx.State) -> str:
    """The session that the URL names; "" for none."""
    return state.router.url.query_parameters.get("sid", "")


def device_of(state: rx.State) -> str:
    """What the device calls itself, in words for people; its own word, which decides nothing."""
    return device_name(state.router.headers.user_agent)
