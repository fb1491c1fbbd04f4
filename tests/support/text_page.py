"""Texts and calls in a browser without a server: built once, served from memory, given chunks by tests."""

import json
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route
from reflex_base.constants.installer import PackageJson

from assistant.ui import (
    composer,
    devices,
    open_parts,
    session_settings,
    stream_text,
    summary,
    times,
    tool_call,
    wish,
    words,
)

ADDRESS = "http://localhost/"
"""Nothing listens there: every request is answered from the built files. A secure place to a browser."""

_PACKAGES = (
    composer,
    devices,
    open_parts,
    session_settings,
    stream_text,
    summary,
    times,
    tool_call,
    wish,
    words,
)

_HTML = """<!doctype html><html lang="{language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/text_page.css"><style>
body {{ margin: 0; background: #fff; font: 16px/1.65 system-ui, sans-serif }}
main {{ max-width: 46rem; margin: auto; padding: 1.5rem 1rem; display: grid; gap: 1.5rem;
  grid-template-columns: minmax(0, 1fr) }}
article.user {{ justify-self: end; max-width: 80%; padding: .6rem 1rem; border-radius: 1.2rem;
  background: var(--bubble-bg); color: var(--text) }}
@media (prefers-color-scheme: dark) {{ body {{ background: #12151b }} }}
</style><div id="root"></div><script type="module" src="/text_page.js"></script></html>"""


def build(folder: Path) -> Path:
    """Bundle the components with a page for them; returns the folder of the files to serve."""
    for package in _PACKAGES:
        home = Path(package.__file__).parent
        shutil.copytree(home, folder / home.name, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(Path(__file__).with_suffix(".js"), folder)
    react = {name: PackageJson.DEPENDENCIES[name] for name in ("react", "react-dom")}
    pins = dict(pin.rsplit("@", 1) for pin in stream_text.PACKAGES)
    (folder / "package.json").write_text(json.dumps({"dependencies": react | pins}))
    _bun(folder, "install", "--silent")
    production = ("--define", 'process.env.NODE_ENV="production"')
    _bun(folder, "build", "text_page.js", "--outdir", "built", "--minify", "--target", "browser", *production)
    styles = (folder / name / f"{name}.css" for name in ("stream_text", "composer", "tool_call"))
    (folder / "built" / "text_page.css").write_text("".join(style.read_text() for style in styles))
    return folder / "built"


def opened(context: BrowserContext, built: Path, language: str = "en") -> Page:
    """A page of that context that shows the component, with no rows yet."""

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ADDRESS).split("?")[0]
        if name:
            route.fulfill(path=built / name)
        else:
            route.fulfill(body=_HTML.format(language=language), content_type="text/html")

    context.route("**/*", answer)
    page = context.new_page()
    page.goto(ADDRESS)
    page.wait_for_function("window.page")
    return page


def give(page: Page, chunks: list[dict[str, Any]]) -> None:
    """Deliver one list of chunks, as one flush of the server does."""
    page.evaluate("chunks => window.page.set({chunks})", chunks)


def piece(message: str, text: str, offset: int, **more: Any) -> dict[str, Any]:
    """A chunk of text of the first attempt of the task `t-<message>`."""
    shape = {"m": message, "t": f"t-{message}", "op": "text", "a": 1, "o": offset, "x": text, "k": "text"}
    return shape | {"b": 0, "f": 0} | more


def whole(message: str, text: str, **more: Any) -> dict[str, Any]:
    """A chunk that brings a whole text."""
    return {"m": message, "t": f"t-{message}", "op": "replace", "a": 1, "x": text} | more


def show(
    page: Page, *messages: str, live: bool = True, role: str = "assistant", copied: bool = False
) -> None:
    """Show a row for each of these messages, `copied` with the button for that."""
    rows = [
        {
            "messageId": each,
            "taskId": f"t-{each}",
            "state": "streaming",
            "reason": "",
            "role": role,
            "live": live,
            "copied": copied,
        }
        for each in messages
    ]
    page.evaluate("rows => window.page.set({rows})", rows)


def checksum(text: str) -> int:
    """As the page states it in `data-crc`."""
    return zlib.crc32(text.encode())


def _bun(folder: Path, *arguments: str) -> None:
    bun = Path(sys.executable).with_name("bun")
    done = subprocess.run([bun, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
