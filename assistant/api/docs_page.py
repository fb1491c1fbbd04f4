"""The OpenAPI page at /api/docs, with scripts and styles of our own origin: it works offline."""

from pathlib import Path

import fastapi_offline
from fastapi import APIRouter
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from assistant.api.security_headers import policy_of

ASSETS_PATH = "/api/docs-assets"
ASSETS = StaticFiles(directory=Path(fastapi_offline.__file__).parent / "static")

router = APIRouter(include_in_schema=False)


@router.get("/api/docs")
async def docs_page() -> HTMLResponse:
    """The page; it reads /api/openapi.json."""
    page = get_swagger_ui_html(
        openapi_url="/api/openapi.json",
        title="Assistant API",
        swagger_js_url=f"{ASSETS_PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{ASSETS_PATH}/swagger-ui.css",
        swagger_favicon_url="/favicon.svg",
    )
    # Its viewer writes styles as it goes along, and brings pictures inside of them.
    page.headers["content-security-policy"] = policy_of([bytes(page.body).decode()], inline_styles=True)
    return page
