"""What a browser sees: how soon an answer is read, what its socket carries, what its main thread does."""

import asyncio
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.bench.figures import Figure, Say, median, quantile
from tests.bench.stand import Stand, embedded
from tests.bench.texts import chunks
from tests.support.browsers import launched
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until

OPENINGS = 20
LENGTH = 20_000
CHUNK = 20
PACE_SECONDS = 0.01

NAVIGATION_MS = 700
PER_BYTE, PER_FLUSH = 1.25, 170
MAIN_THREAD_SECONDS = 1.5
LONG_TASK_MS = 50

_PARAGRAPH = (
    "A paragraph of an answer has some **bold words**, `a bit of code`, a [link](https://example.org) and "
    "你好世界 beside café and 👩‍👩‍👧. It is read while it is written.\n\n"
    "- one item of a list\n- another item\n\n```python\ndef add(one, other):\n    return one + other\n```\n\n"
)

_ENDED = """document.querySelector('[data-testid="answer"][data-reason="complete"]')"""

_WATCH = """
  window.measured = {firstText: null, longTasks: []};
  new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) window.measured.longTasks.push(duration);
  }).observe({type: "longtask"});
"""

_WATCH_FIRST_TEXT = """
  (() => {
    const look = () => {
      if (document.querySelector('[data-testid="answer"]')?.textContent) {
        window.firstTextAt = performance.now();
      } else {
        requestAnimationFrame(look);
      }
    };
    requestAnimationFrame(look);
  })();
"""


async def page_open(say: Say) -> list[Figure]:
    """From the navigation to the first frame with text of the answer: reloads, and with an empty cache."""
    return await asyncio.to_thread(_page_open, say)


async def page_answer(say: Say) -> list[Figure]:
    """One answer of 20,000 characters in 1,000 chunks, watched through the browser's own counters."""
    return await asyncio.to_thread(_page_answer, say)


def _page_open(say: Say) -> list[Figure]:
    with browsing() as (stand, provider, browser):
        url = stand.app.url
        context = browser.new_context()
        context.add_init_script(_WATCH_FIRST_TEXT)
        page = context.new_page()
        provider.say(*chunks(_markdown(2_000), CHUNK))
        _ask(page, url)
        _ended(page)
        say(f"page-open: {OPENINGS} reloads")
        warm = [_first_text(lambda: page.reload(wait_until="commit"), page) for _ in range(OPENINGS)]
        say(f"page-open: {OPENINGS} times with an empty cache")
        cold = [_opened_cold(browser, context, page.url) for _ in range(OPENINGS)]
    return [
        Figure(
            "page-open", "navigation to first answer text, p50", median(warm), "ms", NAVIGATION_MS, "reload"
        ),
        Figure("page-open", "navigation to first answer text, p95", quantile(warm, 0.95), "ms"),
        Figure("page-open", "the same, empty cache, p50", median(cold), "ms", NAVIGATION_MS),
        Figure("page-open", "the same, empty cache, p95", quantile(cold, 0.95), "ms"),
    ]


def _page_answer(say: Say) -> list[Figure]:
    text = _markdown(LENGTH)
    with browsing() as (stand, provider, browser):
        url = stand.app.url
        page = browser.new_page()
        page.add_init_script(_WATCH)
        provider.script(_paced(text))
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        line.send("Performance.enable")
        page.goto(url)
        page.wait_for_selector("html[data-ready]")
        frames: list[str] = []
        line.on("Network.webSocketFrameReceived", lambda told: frames.append(told["response"]["payloadData"]))
        page.evaluate("window.measured.longTasks = []")
        before = _seconds(line)
        say(f"page-answer: {LENGTH} characters in {len(text) // CHUNK} chunks")
        _write(page)
        _ended(page, within=120)
        took = {name: seconds - before[name] for name, seconds in _seconds(line).items()}
        longest = max(page.evaluate("window.measured.longTasks"), default=0)
    received = sum(len(frame.encode()) for frame in frames)
    flushes = sum(_carries_text(frame) for frame in frames)
    size = len(text.encode())
    parts = ", ".join(f"{name} {took[name]:.2f}" for name in ("Script", "RecalcStyle", "Layout"))
    parts += f"; {took['ThreadTime']:.2f} on the CPU"
    note = f"{size} B of text, {flushes} flushes"
    return [
        Figure("page-answer", "socket bytes", received, "B", PER_BYTE * size + PER_FLUSH * flushes, note),
        Figure("page-answer", "main thread", took["Task"], "s", MAIN_THREAD_SECONDS, parts),
        Figure("page-answer", "longest task", longest, "ms", LONG_TASK_MS, "0: none above 50 ms"),
    ]


@contextmanager
def browsing() -> Generator[tuple[Stand, ScriptedProvider, Browser]]:
    """One process, its provider, and a browser."""
    with ScriptedProvider() as provider, embedded(provider.url) as stand, sync_playwright() as playwright:
        browser = launched(playwright)
        yield stand, provider, browser
        browser.close()


def _ask(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    _write(page)


def _write(page: Page) -> None:
    composer = page.get_by_test_id("composer")
    composer.fill("A question")
    composer.press("Enter")


def _ended(page: Page, within: float = 30) -> None:
    """Looks seldom: each look is a task of the page's main thread, too."""
    until(page, _ENDED, timeout=within * 1000)


def _first_text(navigate: Callable[[], object], page: Page) -> float:
    navigate()
    until(page, "window.firstTextAt")
    return page.evaluate("window.firstTextAt")


def _opened_cold(browser: Browser, known: BrowserContext, url: str) -> float:
    context = browser.new_context(storage_state=known.storage_state())
    context.add_init_script(_WATCH_FIRST_TEXT)
    page = context.new_page()
    taken = _first_text(lambda: page.goto(url, wait_until="commit"), page)
    context.close()
    return taken


def _paced(text: str) -> Script:
    script = Script()
    for chunk in chunks(text, CHUNK):
        script.say(chunk).pause(PACE_SECONDS)
    return script


def _markdown(length: int) -> str:
    return (_PARAGRAPH * (length // len(_PARAGRAPH) + 1))[:length]


def _seconds(line: Any) -> dict[str, float]:
    """What the main thread did so far, by the browser's names without their ending `Duration`.

    Durations are times on the clock, waits for a core and for the compositor included; `ThreadTime` is not.
    """
    metrics = line.send("Performance.getMetrics")["metrics"]
    ending = "Duration"
    return {
        metric["name"].removesuffix(ending): metric["value"]
        for metric in metrics
        if metric["name"].endswith(ending) or metric["name"] == "ThreadTime"
    }


def _carries_text(frame: str) -> bool:
    """A flush: an update whose list of chunks is not empty."""
    begin = frame.find("[")
    if begin < 0 or "chunks" not in frame:
        return False
    delta = json.loads(frame[begin:])[1].get("delta", {})
    return any(value for substate in delta.values() for name, value in substate.items() if "chunks" in name)
