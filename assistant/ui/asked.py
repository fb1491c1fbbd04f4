"""What a browser hands to a handler: of the right kind and no longer than can be kept, or refused.

Any browser may call any handler with anything (docs/SECURITY.md). A text that is too long is refused by the
use case, in words; here it is seen that there is a text at all.
"""

from typing import Any

from assistant.domain.errors import InvalidInput, NotFound
from assistant.domain.tool_call import Decision
from assistant.services.wishes import MAX_KEY_CHARACTERS
from assistant.ui.caller import owner_of, services

MAX_ID_CHARACTERS = 64
MAX_TEXT_CHARACTERS = 1_000_000
"""No use case keeps more; the socket does not carry it either."""

MAX_NUMBER = 2**53


def an_id(given: object) -> str:
    """An id as the store may be asked for it; what cannot be one is simply not found."""
    if not isinstance(given, str) or not 1 <= len(given) <= MAX_ID_CHARACTERS:
        raise NotFound()
    if not (given.isascii() and given.isprintable()):
        raise NotFound()
    return given


def an_id_or_none(given: object) -> str | None:
    """The same; None for "" and for nothing."""
    return None if given is None or given == "" else an_id(given)


def is_key(given: object) -> bool:
    """Whether a reply can name it: what is no key was minted by no page of ours, and gets none."""
    if not isinstance(given, str) or not 1 <= len(given) <= MAX_KEY_CHARACTERS:
        return False
    return given.isascii() and given.isprintable()


def a_text(given: object, most: int = MAX_TEXT_CHARACTERS) -> str:
    """A text; raises InvalidInput for anything else, and for one longer than `most` characters."""
    if not isinstance(given, str):
        raise InvalidInput("This is not a text.")
    if len(given) > most:
        raise InvalidInput(
            f"This text is too long: at most {most:,} characters.", rule="text_too_long", most=most
        )
    return given


def a_number(given: object) -> int:
    """A count from 0 on; raises InvalidInput."""
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= MAX_NUMBER:
        raise InvalidInput("This is not a count.")
    return given


def a_decision(given: object) -> Decision:
    """Approve or deny; raises InvalidInput."""
    if given not in list(Decision):
        raise InvalidInput("This is no decision.")
    return Decision(given)


async def count_send(state: Any) -> str:
    """The owner, who asks a model for something; raises RateLimited and OwnerMissing."""
    owner_id = owner_of(state)
    await services().limiting.send(owner_id, state.router.session.client_ip)
    return owner_id


async def count_change(state: Any) -> str:
    """The owner, who changes something else; raises RateLimited and OwnerMissing."""
    owner_id = owner_of(state)
    await services().limiting.change(owner_id, state.router.session.client_ip)
    return owner_id
