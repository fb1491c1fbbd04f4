"""GET /api/search: what an owner wrote and was answered, found again."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.api import wire_search
from assistant.api.asked import MAX_NUMBER, TheServices
from assistant.api.owner import AnOwner
from assistant.services.searching import MAX_QUERY_CHARACTERS, PAGE_RESULTS

router = APIRouter(tags=["sessions"])

MAX_RESULTS = 100


@router.get("/api/search", summary="Search in titles and texts")
async def search(
    owner: AnOwner,
    services: TheServices,
    q: Annotated[
        str, Query(max_length=MAX_QUERY_CHARACTERS, description="Words that all have to be there.")
    ] = "",
    after: Annotated[int | None, Query(ge=0, le=MAX_NUMBER, description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_RESULTS)] = PAGE_RESULTS,
) -> wire_search.SearchResults:
    """Titles first, then messages, each the newest first. Case and accents do not count, the last word may
    have been begun only, and no sign is an operator. Archived sessions are found too."""
    return wire_search.results_of(await services.searching.search(owner.id, q, limit=limit, after=after))
