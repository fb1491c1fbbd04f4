"""What routes ask of a request: the open services, ids, keys, and whether new work is taken."""

from typing import Annotated

from fastapi import Depends, Header, Path, Request
from pydantic import Field

from assistant.api.errors import KEY_HEADER, UnsupportedMediaType
from assistant.bootstrap import Services
from assistant.domain.errors import NotFound, NotReady
from assistant.services.wishes import MAX_KEY_CHARACTERS

MAX_ID_CHARACTERS = 64
MAX_NUMBER = 2**53
"""Offsets, attempts and versions beyond it cannot be told in JSON."""


async def services(request: Request) -> Services:
    """The open services; raises NotReady."""
    return request.app.state.held.get()


TheServices = Annotated[Services, Depends(services)]


async def taking_work(services: TheServices) -> None:
    """Raise NotReady while the server goes down: reads and streams go on, new work does not begin."""
    if not services.accepting:
        raise NotReady()


async def in_json(request: Request) -> None:
    """Raise UnsupportedMediaType unless the body says that it is JSON."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise UnsupportedMediaType()


InJson = Annotated[None, Depends(in_json)]


def known(given: str) -> str:
    """An id as the store may be asked for it; what cannot be one is simply not found."""
    if not 1 <= len(given) <= MAX_ID_CHARACTERS or not (given.isascii() and given.isprintable()):
        raise NotFound()
    return given


# Not a plain function: FastAPI would take every request through a thread for it.
async def an_id(id: Annotated[str, Path(description="An id as the server gave it.")]) -> str:
    """The `{id}` of the path."""
    return known(id)


AnId = Annotated[str, Depends(an_id)]
AKey = Annotated[str, Field(json_schema_extra={"pattern": f"^[ -~]{{1,{MAX_KEY_CHARACTERS}}}$"})]
"""Only documented: the wish itself refuses what cannot be a key, after it was seen whether there is one."""

_KEY = Header(
    alias=KEY_HEADER,
    description=f"Minted by the client for this wish; 1 to {MAX_KEY_CHARACTERS} printable ASCII characters.",
)
Key = Annotated[AKey | None, _KEY]
RequiredKey = Annotated[AKey, _KEY]
