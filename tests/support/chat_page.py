"""The page in a browser, in the product's words: what a person does there, and what a person sees.

    chat = ChatPage(context.new_page(), app.url).open()
    chat.say("Hello?")
    chat.shows("Hello, world")      # exactly this text is held and read, by offset and checksum
    chat.reload()                   # returns when the page is restored

Every wait is for something that the page shows; nothing here sleeps.
"""

import re
import zlib
from base64 import b64encode
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, Request, WebSocket, expect

from tests.support.page_waits import WITHIN_MS, until

MOST_PICTURES = 5

WELL = ("complete", "stopped", "length")
"""The reasons for which an answer is done; for the others it has failed."""

_WATCH = Path(__file__).with_suffix(".js")

_READ = """answer => {
  const pieces = document.createTreeWalker(answer, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node.nodeType === 3 ? 1 : node.hasAttribute("data-chrome") ? 2 : 3);
  let text = "";
  while (pieces.nextNode()) text += pieces.currentNode.data;
  return text;
}"""

_HOLDS = """([number, offset, crc]) => {
  const answer = [...document.querySelectorAll('[data-testid="answer"]')].at(number);
  return answer?.dataset.offset === offset && answer.dataset.crc === crc;
}"""

_KEPT = """() => {
  const {taskId, offset} = [...document.querySelectorAll('[data-testid="answer"]')].at(-1).dataset;
  const have = JSON.parse(sessionStorage.getItem("have") || "{}");
  return have[taskId]?.[1] === Number(offset);
}"""


class Shown(NamedTuple):
    """One message as the page shows it."""

    id: str
    role: str
    created_at: str


class Place(NamedTuple):
    """Where the window stands: scrolled pixels, how far the bottom is below, and the first message's edge."""

    top: float
    to_bottom: float
    message: str
    edge: float


class ChatPage:
    """One tab. `posts` and `wishes` are what it ever asked of the server beyond reading.

    `sockets` counts the sockets that it ever opened; `heard` is all that came over them.
    """

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.posts: list[str] = []
        self.wishes: list[str] = []
        self.sockets = 0
        self.heard: list[str] = []
        page.set_default_timeout(WITHIN_MS)
        page.add_init_script(path=_WATCH)
        page.on("request", self._note_request)
        page.on("websocket", lambda socket: self._note_socket(socket))

    def open(self, sid: str | None = None, *, wait: bool = True) -> "ChatPage":
        """Go to the bare address, or to a session's, and wait until it is restored."""
        self.page.goto(f"{self.url}/{f'?sid={sid}' if sid else ''}", wait_until="commit")
        return self.ready() if wait else self

    def reload(self, *, wait: bool = True) -> "ChatPage":
        """Press F5, and wait until the page is restored."""
        self.page.reload(wait_until="commit")
        return self.ready() if wait else self

    def ready(self, sid: str | None = None) -> "ChatPage":
        """Wait until the page is restored: to this session, when one is named."""
        expect(self.page.locator(f"html[data-ready{f'={sid!r}' if sid else ''}]")).to_have_count(
            1, timeout=WITHIN_MS
        )
        return self

    def in_front(self) -> None:
        """Turn to this tab: one in the background draws a frame a second."""
        self.page.bring_to_front()

    def say(self, text: str) -> None:
        """Type a message and press Enter."""
        composer = self.composer
        composer.fill(text)
        composer.press("Enter")

    def stop(self) -> None:
        """Press Stop."""
        self.element("stop").click()

    def simulate_refresh(self) -> str:
        """Press the debug button; returns what it says differed."""
        told = self.element("differences")
        count = told.get_attribute("data-count") if told.count() else "0"
        self.element("simulate-refresh").click()
        expect(told).to_have_attribute("data-count", str(int(count or 0) + 1))
        return told.inner_text()

    @property
    def sid(self) -> str:
        """The session that the URL names; "" for none."""
        return parse_qs(urlsplit(self.page.url).query).get("sid", [""])[0]

    def named(self) -> str:
        """Wait until the URL names a session, and return it."""
        self.page.wait_for_url("**/?sid=*")
        return self.sid

    @property
    def composer(self) -> Locator:
        return self.element("composer")

    @property
    def answers(self) -> Locator:
        return self.element("answer")

    @property
    def outbox(self) -> Locator:
        return self.element("outbox-item")

    def element(self, name: str) -> Locator:
        """What carries this `data-testid`."""
        return self.page.get_by_test_id(name)

    def shows(self, text: str, *, number: int = -1, within: float = WITHIN_MS / 1000) -> None:
        """Wait until an answer, the last one unless numbered, holds exactly this text; then read it.

        Reasoning, which the answer holds too, is named by `holds`.
        """
        self.holds(text, number=number, within=within)
        assert squeezed(self.text_of(self.answers.nth(number))) == squeezed(text)

    def holds(self, text: str, *, number: int = -1, within: float = WITHIN_MS / 1000) -> None:
        """Wait until an answer holds exactly this string of all its parts, by offset and checksum."""
        wanted = [number, str(len(text)), str(zlib.crc32(text.encode()))]
        try:
            until(self.page, _HOLDS, arg=wanted, timeout=within * 1000)
        except Exception as late:
            late.add_note(f"wanted offset and crc {wanted[1:]}, shown: {self.held()}")
            raise

    def kept(self) -> None:
        """Wait until the browser has kept what it shows of the last answer, as it does from time to time."""
        until(self.page, _KEPT)

    def holds_now(self, text: str, *, number: int = -1) -> bool:
        """Say whether the answer holds exactly this string at this moment."""
        return self.page.evaluate(_HOLDS, [number, str(len(text)), str(zlib.crc32(text.encode()))])

    def held(self) -> list[str]:
        """What every answer says of itself: state, reason, attempt, offset, crc."""
        return self.answers.evaluate_all(
            "all => all.map(({dataset: d}) => [d.state, d.reason, d.attempt, d.offset, d.crc].join(' '))"
        )

    def text_of(self, answer: Locator) -> str:
        """The rendered text of an answer, without what the page adds to it."""
        return answer.evaluate(_READ)

    def ended(self, reason: str, *, within: float = WITHIN_MS / 1000) -> None:
        """Wait until the last answer has ended for this reason."""
        last = self.answers.last
        expect(last).to_have_attribute("data-reason", reason, timeout=within * 1000)
        expect(last).to_have_attribute("data-state", "done" if reason in WELL else "failed")

    def busy(self) -> None:
        """An answer is being written: Stop is there and Send is not (Case B044)."""
        expect(self.element("stop")).to_be_visible()
        expect(self.element("send")).to_have_count(0)

    def idle(self) -> None:
        """Nothing is being written: the opposite (Case B039, B042)."""
        expect(self.element("send")).to_be_visible()
        expect(self.element("stop")).to_have_count(0)
        expect(self.composer).to_be_editable()

    def no_failure(self) -> None:
        """Nothing on the page says that anything went wrong (I7)."""
        for name in ("error", "notice", "gap-notice"):
            expect(self.element(name)).to_have_count(0)
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def messages(self) -> list[Shown]:
        """Every message shown, from the top."""
        rows = self.element("message").evaluate_all(
            "all => all.map(({dataset: d}) => [d.messageId, d.role, d.createdAt])"
        )
        return [Shown(*row) for row in rows]

    def layout_shifts(self) -> list[str]:
        """What was moved without the user's doing since the first message of this document was drawn."""
        self._drawn()
        return self.page.evaluate("window.watched.shiftsSinceShown()")

    def offsets_seen(self) -> list[int]:
        """Each offset of the last answer that was drawn in this document, in order, since it was ready."""
        self._drawn()
        return self.page.evaluate("window.watched.offsets")

    def failures_seen(self) -> list[str]:
        """Everything that looked like a failure in any frame of this document (Case B003)."""
        self._drawn()
        return self.page.evaluate("window.watched.failures")

    def busy_seen(self) -> list[bool]:
        """Whether the page looked busy (Stop, the wait for a first word, the caret), at each change."""
        self._drawn()
        return self.page.evaluate("window.watched.busy")

    def endings_seen(self) -> list[str]:
        """State and offset of the last answer whenever it was drawn as ended, at each change."""
        self._drawn()
        return self.page.evaluate("window.watched.endings")

    def most_sockets(self) -> int:
        """How many sockets of this document were opening or open at the same time, at most (Case B129)."""
        return self.page.evaluate("window.watched.most")

    def passes(self, seconds: float, hop: float = 1.5) -> None:
        """Let the page's clock run so far ahead, in hops too short to look like sleep."""
        for _ in range(round(seconds / hop)):
            self.page.clock.fast_forward(round(hop * 1000))

    def watch_for(self, text: str) -> None:
        """Count from now on, over reloads, in how many places a text of the user is (I6)."""
        self.page.evaluate("text => sessionStorage.setItem('watched-text', text)", text)

    def places_seen(self) -> list[int]:
        """Each number of places in which a restored document of this tab showed the watched text."""
        self._drawn()
        return self.page.evaluate("window.watched.places")

    def documents(self) -> int:
        """How many documents this tab has loaded."""
        return self.page.evaluate("Number(sessionStorage.getItem('documents'))")

    def scroll_place(self) -> Place:
        """Where the window stands, when two frames in a row agree."""
        return Place(*self.page.evaluate("window.watched.place()"))

    def scroll_up(self, pixels: int) -> None:
        """Turn the wheel, and wait until the page has moved."""
        before = self.scroll_place().top
        self.page.mouse.move(640, 300)
        self.page.mouse.wheel(0, -pixels)
        until(self.page, "before => window.scrollY < before", arg=before)

    def picture(self) -> bytes:
        """A picture of the window without focus, pointer, caret and motion, when two in a row agree."""
        if self.sid and self.element("message").count():  # the list of sessions comes by itself
            expect(self.page.locator(f"[data-session-id='{self.sid}']")).to_have_count(1)
        self.page.evaluate("document.activeElement?.blur()")
        self.page.mouse.move(1, 1)
        picture = self._photographed()
        for _ in range(MOST_PICTURES):
            picture, last = self._photographed(), picture
            if picture == last:
                break
        return picture

    def difference(self, before: bytes, after: bytes) -> float:
        """How unlike two pictures are in the worst square of 8 pixels, 0 to 255.

        A point of 8 pixels that is gone makes about 100; edges that are rounded another way stay below 32.
        """
        pictures = [b64encode(each).decode() for each in (before, after)]
        return self.page.evaluate("pictures => window.watched.difference(pictures)", pictures)

    def _photographed(self) -> bytes:
        # By a property: the page's own policy lets no style of ours in. Marks and times of the list change by
        # themselves.
        hide = """is => document
          .querySelectorAll('[data-testid=debug-panel], [data-testid=session-mark], time')
          .forEach((each) => { each.style.visibility = is; })"""
        self.page.evaluate(hide, "hidden")
        picture = self.page.screenshot(animations="disabled", caret="initial")
        self.page.evaluate(hide, "")
        return picture

    def _drawn(self) -> None:
        """Two more frames, so that what is shown now was watched."""
        self.page.evaluate(
            "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
        )

    def _note_request(self, request: Request) -> None:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            self.posts.append(f"{request.method} {request.url}")

    def _note_socket(self, socket: WebSocket) -> None:
        self.sockets += 1
        socket.on("framesent", lambda frame: self._note_frame(frame))
        socket.on("framereceived", lambda frame: self.heard.append(_as_text(frame)))

    def _note_frame(self, frame: str | bytes) -> None:
        self.wishes += re.findall(
            r"states___wishes_+wishes\.(send|stop|retry|carry_on|withdraw)\b", _as_text(frame)
        )


def squeezed(text: str) -> str:
    """The text without white space, which Markdown is free to change."""
    return "".join(text.split())


def _as_text(frame: str | bytes) -> str:
    return frame if isinstance(frame, str) else frame.decode(errors="replace")
