"""Search in the titles and texts of an owner's sessions."""

from dataclasses import dataclass
from datetime import datetime

from assistant.domain.errors import InvalidInput
from assistant.domain.message import Role
from assistant.domain.records import Found
from assistant.domain.search_snippets import Snippet, snippet_of
from assistant.domain.search_tokens import Term, terms_of
from assistant.domain.session import SessionState
from assistant.domain.store_ports import Store

MAX_QUERY_CHARACTERS = 500
PAGE_RESULTS = 20


@dataclass(frozen=True, slots=True)
class Result:
    """A title or a message that was found; `message_id` and `role` are None for a title.

    `updated_at` is the session's last activity, `created_at` when it was said, or the session began.
    """

    session_id: str
    title: str
    state: SessionState
    updated_at: datetime
    message_id: str | None
    role: Role | None
    snippet: Snippet
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Results:
    """A page of results; `next` is the place to go on after, None at the end."""

    results: tuple[Result, ...]
    next: int | None


class Searching:
    """The search use case."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def search(
        self, owner_id: str, query: str, *, limit: int = PAGE_RESULTS, after: int | None = None
    ) -> Results:
        """What holds every word of the query, the last of which may have been begun only; titles first,
        then messages, each the newest first.

        No sign in a query is an operator, and one without a word finds nothing. Archived sessions are
        found, deleted ones never. Raises InvalidInput for a query that is too long.
        """
        if len(query) > MAX_QUERY_CHARACTERS:
            raise InvalidInput(
                f"A search has up to {MAX_QUERY_CHARACTERS} characters.",
                rule="search_too_long",
                most=MAX_QUERY_CHARACTERS,
            )
        terms = terms_of(query)
        async with self._store.read() as unit:
            found = await unit.search.find(owner_id, terms, limit=limit + 1, before=after)
        page = found[:limit]
        return Results(
            tuple(_result(each, terms) for each in page), page[-1].place if len(found) > limit else None
        )


def _result(found: Found, terms: tuple[Term, ...]) -> Result:
    return Result(
        session_id=found.session_id,
        title=found.title,
        state=found.state,
        updated_at=found.updated_at,
        message_id=found.message_id,
        role=found.role,
        snippet=snippet_of(found.text, terms),
        created_at=found.created_at,
    )
