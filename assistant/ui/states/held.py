"""What the page holds already is not sent to it again.

Reflex sends every state whole with each connection, and whatever is assigned. A held state is sent by `tell`
alone, when the page does not hold just that: beside the values goes their fingerprint, which the browser
keeps (sessionStorage `held:<name>`) and says with each connection. It is one of the document too, so that a
new document, which holds nothing, is told everything (decision 14).
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from reflex.state import _override_base_method
from reflex.utils.format import json_dumps

from assistant.ui.states.page import Page

FINGERPRINT_BYTES = 8


class Held:
    """A base of states of which a connection carries nothing."""

    @_override_base_method
    def dict(self, include_computed: bool = True, initial: bool = False, **more: Any) -> dict[str, Any]:
        """What the document is built with; nothing at a connection."""
        if not initial:
            return {}
        whole: Any = super()
        return whole.dict(include_computed=include_computed, initial=initial, **more)


class Unsent(Held):
    """A base of states that only the browser writes, and that are not echoed to it."""

    @_override_base_method
    def get_delta(self) -> dict[str, Any]:
        """Nothing."""
        return {}


async def tell(tab: Any, kind: Any, **wanted: Any) -> None:
    """Bring the page to these values of a held state with a `fingerprint`; only what it lacks is sent.

    `tab` is any state of the tab, locked. Whoever assigns such values does it here, or the fingerprint would
    lie.
    """
    held = await tab.get_state(kind)
    for name, value in wanted.items():
        setattr(held, name, value)
    values = {name: held.get_value(name) for name in kind.base_vars if name != "fingerprint"}
    document = (await tab.get_state(Page)).document
    now = _fingerprint(document, values) if document else ""
    if not now or held.fingerprint != now:
        # The whole state, since it is the whole that the fingerprint speaks of.
        for name, value in values.items():
            setattr(held, name, value)
        held.fingerprint = now
    elif "fingerprint" not in held.dirty_vars:  # else it was told just now, and is still to be sent
        held.dirty_vars.difference_update(wanted)


def _fingerprint(document: str, values: Mapping[str, Any]) -> str:
    """Always as long, so that a browser without room for more can still replace it."""
    told = json_dumps([document, values], sort_keys=True)
    return blake2b(told.encode(), digest_size=FINGERPRINT_BYTES).hexdigest()
