"""The shapes of what a search found."""

from pydantic import Field

from assistant.api.wire import Shape, Time
from assistant.domain import message, session
from assistant.services.searching import Results

_SESSION = "01932f5a-0000-7000-8000-000000000001"
_QUESTION = "01932f5a-0000-7000-8000-000000000002"


class Snippet(Shape):
    """Plain text around the first hit; `ranges` are `[start, end)` of it in code points."""

    text: str
    ranges: list[tuple[int, int]] = Field(examples=[[[4, 6]]])


class SearchResult(Shape):
    """A message that was found, or a title: then `message_id` and `role` are null.

    `updated_at` is the session's last activity, `created_at` when it was said.
    """

    session_id: str = Field(examples=[_SESSION])
    title: str
    state: session.SessionState
    message_id: str | None = Field(examples=[_QUESTION])
    role: message.Role | None
    snippet: Snippet
    updated_at: Time
    created_at: Time


class SearchResults(Shape):
    """A page of results; `next` goes into `after`, null at the end."""

    results: list[SearchResult]
    next: int | None


def results_of(results: Results) -> SearchResults:
    return SearchResults.model_validate(results)
