"""Composer and outbox in a browser without a server: the test is the server, and sees every event."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, Route
from reflex_base.constants.installer import PackageJson

from assistant.ui import composer, open_parts, session_settings, stream_text, times, tool_call, wish, words
from tests.support.text_page import ADDRESS

_HTML = """<!doctype html><html lang="{language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/stream_text.css"><link rel="stylesheet" href="/composer.css"><style>
* {{ box-sizing: border-box }}
body {{ margin: 0; background: var(--page-bg); color: var(--text); font: 16px/1.65 system-ui, sans-serif }}
main {{ min-height: 100dvh; max-width: 46rem; margin: auto; padding: 1.5rem 1rem 0;
  display: flex; flex-direction: column }}
.message {{ margin: 0 0 1.5rem }}
.message-user {{ display: flex; justify-content: flex-end }}
.message-user > .st-user {{ max-width: 85%; padding: .55rem .9rem; border-radius: 14px;
  background: var(--bubble-bg) }}
</style><div id="root"></div><script type="module" src="/composer_page.js"></script></html>"""

Event = list[Any]
"""The name of an event and what it brought: `["send", key, text, sid, edits, queue]`."""


def build(folder: Path) -> Path:
    """Bundle the components with a page for them; returns the folder of the files to serve."""
    for package in (composer, open_parts, session_settings, stream_text, times, tool_call, wish, words):
        home = Path(package.__file__).parent
        shutil.copytree(home, folder / home.name, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(Path(__file__).with_suffix(".js"), folder)
    react = {name: PackageJson.DEPENDENCIES[name] for name in ("react", "react-dom")}
    pins = dict(pin.rsplit("@", 1) for pin in stream_text.PACKAGES)
    (folder / "package.json").write_text(json.dumps({"dependencies": react | pins}))
    _bun(folder, "install", "--silent")
    production = ("--define", 'process.env.NODE_ENV="production"')
    _bun(
        folder,
        "build",
        "composer_page.js",
        "--outdir",
        "built",
        "--minify",
        "--target",
        "browser",
        *production,
    )
    for name in ("stream_text", "composer"):
        shutil.copy(folder / name / f"{name}.css", folder / "built")
    return folder / "built"


class ServedPage:
    """One tab. What it tells the server is in `events`; what the server says comes by `set` and `reply`."""

    def __init__(self, context: BrowserContext, built: Path, query: str = "", language: str = "en") -> None:
        self.events: list[Event] = []
        self.page: Page = context.new_page()
        self.page.route("**/*", lambda route: _answer(route, built, language))
        self.page.expose_binding("server", lambda _source, *event: self.events.append(list(event)))
        self.page.goto(ADDRESS + query)
        self.page.wait_for_function("window.page")

    @property
    def box(self) -> Locator:
        return self.page.get_by_test_id("composer")

    @property
    def send_button(self) -> Locator:
        return self.page.get_by_test_id("send")

    @property
    def items(self) -> Locator:
        return self.page.get_by_test_id("outbox-item")

    @property
    def hint(self) -> Locator:
        return self.page.get_by_test_id("composer-hint")

    def button(self, name: str) -> Locator:
        """`send`, `edit` or `discard` of the item that did not go."""
        return self.page.get_by_test_id(f"outbox-{name}")

    def set(self, **props: Any) -> None:
        """Give the page props, in one update."""
        self.page.evaluate("props => window.page.set(props)", props)

    def reply(self, key: str, state: str, **more: Any) -> None:
        """Answer about a key."""
        self.set(replies=[{"key": key, "state": state, **more}])

    def show_sent(self, key: str, text: str, message: str = "m-1", **props: Any) -> None:
        """Show the message that was sent under the key, with its text, in one update."""
        self.set(chunks=[sent_chunk(key, text, message)], rows=[user_row(message)], **props)

    def write(self, text: str) -> None:
        """Write into the composer as a user does."""
        self.box.click()
        self.page.keyboard.insert_text(text)

    def send(self, text: str) -> str:
        """Write and press Enter; returns the key."""
        self.write(text)
        self.page.keyboard.press("Enter")
        return self.told("send")[-1][0]

    def send_early(self, text: str) -> str:
        """Write and press Enter before anything can be told; returns the key."""
        self.write(text)
        self.page.keyboard.press("Enter")
        [name] = self.names("outbox:")
        return name.removeprefix("outbox:")

    def stop_clock(self) -> None:
        """From now on time goes only when `pass_time` says so."""
        self.page.clock.install(time=0)
        self.page.clock.pause_at(60_000)

    def pass_time(self, milliseconds: int) -> None:
        """Let the time of the page go on."""
        self.page.clock.run_for(milliseconds)

    def told(self, name: str) -> list[Event]:
        """What the events of this name brought, the oldest first."""
        self.page.evaluate("0")
        return [rest for called, *rest in self.events if called == name]

    def stored(self, name: str) -> Any:
        """What localStorage keeps under the name."""
        return self.page.evaluate("name => JSON.parse(localStorage.getItem(name))", name)

    def names(self, prefix: str) -> list[str]:
        """The names in localStorage that begin like this."""
        return self.page.evaluate(
            "p => Object.keys(localStorage).filter(n => n.startsWith(p)).sort()", prefix
        )

    def places(self, text: str) -> list[int]:
        """How often the text stands in composer, outbox and conversation."""
        return self.page.evaluate("text => window.page.places(text)", text)

    def watch(self, text: str) -> None:
        """Note from now on where the text stands at every frame, over reloads too."""
        self.page.evaluate("text => sessionStorage.setItem('watched', text)", text)

    def frames(self) -> list[str]:
        """The places at each frame, repeats left out: "100" is the composer alone."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return json.loads(self.page.evaluate("sessionStorage.getItem('frames')"))

    def reload(self) -> None:
        """Press F5; the server has said nothing yet."""
        self.page.reload()
        self.page.wait_for_function("window.page")


def sent_chunk(key: str, text: str, message: str = "m-1") -> dict[str, Any]:
    """The chunk that brings a user's message."""
    return {
        "m": message,
        "t": "",
        "op": "replace",
        "a": 0,
        "x": text,
        "p": [["text", 0, len(text)]],
        "c": key,
    }


def user_row(message: str = "m-1") -> dict[str, Any]:
    """The row of a user's message."""
    return {"messageId": message, "taskId": "", "state": "", "reason": "", "role": "user", "live": False}


def _answer(route: Route, built: Path, language: str) -> None:
    name = route.request.url.removeprefix(ADDRESS).split("?")[0]
    if name:
        route.fulfill(path=built / name)
    else:
        route.fulfill(body=_HTML.format(language=language), content_type="text/html")


def _bun(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["bun", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
