"""Sessions as files: export, and import of what was exported."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from assistant.api import wire
from assistant.api.asked import AnId, InJson, Key, TheServices
from assistant.api.owner import AnOwner
from assistant.services.exporting import ExportFormat
from assistant.services.importing import wish_to_import
from assistant.services.session_file import SessionFile

router = APIRouter(tags=["sessions"])

_TYPES = {
    ExportFormat.JSON: "application/json",
    ExportFormat.MARKDOWN: "text/markdown; charset=utf-8",
}
_A_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, as an attachment.",
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/SessionFile"}},
            "text/markdown": {"schema": {"type": "string"}},
        },
    }
}


@router.get(
    "/api/sessions/{id}/export",
    summary="A session as a file",
    response_class=StreamingResponse,
    responses=_A_FILE,
)
async def export(
    owner: AnOwner,
    id: AnId,
    services: TheServices,
    format: Annotated[
        ExportFormat, Query(description="`json` has everything; `md` the branch that is shown.")
    ] = ExportFormat.JSON,
) -> StreamingResponse:
    """As it stands now; a running answer with the text that is stored."""
    made = await services.exporting.export(owner.id, id, format)
    headers = {"content-disposition": disposition(made.name)}
    return StreamingResponse(made.pieces, headers=headers, media_type=_TYPES[format])


@router.post("/api/sessions/import", status_code=201, summary="A session from an exported file")
async def import_(
    owner: AnOwner, _: InJson, file: SessionFile, services: TheServices, key: Key = None
) -> wire.Session:
    """A new session of yours with the original times, once per key. What ran has ended, and no call of it
    is ever run. 400 names the places that are not as they are exported."""
    wish = wish_to_import(key, file)
    return wire.session_of(await services.importing.import_file(owner.id, file, wish))


def disposition(name: str) -> str:
    """The header for a file of this name (RFC 6266): for everybody, and for those who know only ASCII."""
    plain = "".join(sign if sign.isascii() and sign not in '"\\%' else "_" for sign in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
