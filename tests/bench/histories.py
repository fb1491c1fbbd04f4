"""What a long session costs its page: reloads beside a short one, scrolling far up, typing under 8 MB."""

import asyncio
from typing import Any

from playwright.sync_api import Page

from tests.bench.browser import browsing
from tests.bench.figures import Figure, Say, median, quantile
from tests.support.databases import sqlite_url
from tests.support.long_sessions import long_session_beside
from tests.support.page_waits import until

LONG, SHORT = 50_000, 100
RELOADS = 15
SCROLLED = 1_000
EARLY = 250
WHEEL_PX = 500
WIDE, WIDE_MESSAGE = 2_000, 4_100
KEYS = 30

RATIO = 1.3
LONG_TASK_MS = 50
GROWTH = 1.3
LAST_MESSAGE_MS = 1_500
KEY_MS = 50

_WATCH = """
  window.measured = {longTasks: [], readyAt: null, lastAt: null};
  new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) window.measured.longTasks.push(duration);
  }).observe({type: "longtask"});
  const look = () => {
    const {measured} = window;
    if (measured.readyAt === null && document.documentElement?.hasAttribute("data-ready")) {
      measured.readyAt = performance.now();
    }
    const last = [...document.querySelectorAll("[data-testid=message]")].at(-1);
    if (measured.lastAt === null && last?.textContent.length > 100) measured.lastAt = performance.now();
    if (measured.readyAt === null || measured.lastAt === null) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
"""

_FIRST = "Number(document.querySelector('[data-message-id]').dataset.messageId.split('-').at(-1))"

_TWO_FRAMES = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"

_TIME_KEYS = """
  window.measured.keys = [];
  document.querySelector("[data-testid=composer]").addEventListener("keydown", () => {
    const pressed = performance.now();
    requestAnimationFrame(() => setTimeout(() => window.measured.keys.push(performance.now() - pressed)));
  });
"""


async def history(say: Say) -> list[Figure]:
    """In one browser: a session of 50,000 messages beside one of 100, and one of 2,000 messages and 8 MB."""
    return await asyncio.to_thread(_history, say)


def _history(say: Say) -> list[Figure]:
    with browsing() as (stand, _, browser):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        context.add_init_script(_WATCH)
        owner = context.request.get(f"{stand.app.url}/api/owner").json()["id"]
        url = sqlite_url(stand.app.data_dir / "assistant.db")
        pages: dict[int, Page] = {}
        for count in (SHORT, LONG):
            pages[count] = context.new_page()
            pages[count].goto(f"{stand.app.url}/?sid={long_session_beside(url, owner, count)}")
            until(pages[count], "window.measured.readyAt")
        say(f"history: {RELOADS} reloads of each")
        figures = _reloads(pages)
        say(f"history: up through {SCROLLED} of {LONG} messages")
        figures += _scrolling(pages[LONG])
        words = "word " * (WIDE_MESSAGE // 5)
        wide = long_session_beside(url, owner, WIDE, says=lambda number: f"{number} {words}")
        say(f"history: {WIDE} messages of {WIDE_MESSAGE} characters")
        figures += _typing(context.new_page(), f"{stand.app.url}/?sid={wide}")
    return figures


def _reloads(pages: dict[int, Page]) -> list[Figure]:
    frames: dict[int, list[str]] = {}
    for count, page in pages.items():
        frames[count] = heard = []
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        line.on(
            "Network.webSocketFrameReceived",
            lambda told, heard=heard: heard.append(told["response"]["payloadData"]),
        )
    times: dict[int, list[float]] = {count: [] for count in pages}
    sizes: dict[int, list[float]] = {count: [] for count in pages}
    for _ in range(RELOADS):
        for count, page in pages.items():
            page.bring_to_front()
            frames[count].clear()
            page.reload(wait_until="commit")
            until(page, "window.measured.readyAt")
            times[count].append(page.evaluate("window.measured.readyAt"))
            sizes[count].append(sum(len(frame.encode()) for frame in frames[count]))
    return [
        _ratio("time of a reload", times, RATIO, "ms"),
        _ratio("socket bytes of a reload", sizes, RATIO, "B"),
    ]


def _ratio(what: str, found: dict[int, list[float]], bound: float, unit: str) -> Figure:
    long, short = median(found[LONG]), median(found[SHORT])
    note = f"{long:.0f} and {short:.0f} {unit}"
    return Figure("history", f"{what}, {LONG} / {SHORT} messages, p50", long / short, "", bound, note)


def _scrolling(page: Page) -> list[Figure]:
    page.bring_to_front()
    line = page.context.new_cdp_session(page)
    line.send("Performance.enable")
    page.mouse.move(640, 300)
    tasks = _up(page, LONG - EARLY)
    early = _memory(line)
    tasks += _up(page, LONG - SCROLLED)
    late = _memory(line)
    places = f"{SCROLLED} messages up / {EARLY}"
    nodes, heap = (late[name] / early[name] for name in ("Nodes", "JSHeapUsedSize"))
    megabytes = f"{late['JSHeapUsedSize'] / 1e6:.1f} MB"
    return [
        Figure(
            "history",
            "longest task of scrolling",
            max(tasks, default=0),
            "ms",
            LONG_TASK_MS,
            "0: none above 50 ms",
        ),
        Figure("history", f"DOM nodes, {places}", nodes, "", GROWTH, f"{late['Nodes']:.0f}"),
        Figure("history", f"heap, {places}", heap, "", GROWTH, megabytes),
    ]


def _up(page: Page, number: int) -> list[float]:
    """Scroll until that message is loaded; the long tasks meanwhile."""
    page.evaluate("window.measured.longTasks = []")
    while page.evaluate(_FIRST) > number:
        page.mouse.wheel(0, -WHEEL_PX)
        page.evaluate(_TWO_FRAMES)
    return page.evaluate("window.measured.longTasks")


def _memory(line: Any) -> dict[str, float]:
    line.send("HeapProfiler.collectGarbage")
    return {each["name"]: each["value"] for each in line.send("Performance.getMetrics")["metrics"]}


def _typing(page: Page, url: str) -> list[Figure]:
    page.goto(url, wait_until="commit")
    until(page, "window.measured.readyAt && window.measured.lastAt")
    last = page.evaluate("window.measured.lastAt")
    page.evaluate(_TIME_KEYS)
    composer = page.get_by_test_id("composer")
    for _ in range(KEYS):
        composer.press("a")
        page.evaluate(_TWO_FRAMES)
    keys = page.evaluate("window.measured.keys")
    return [
        Figure("history", f"last of {WIDE} messages (8 MB) seen", last, "ms", LAST_MESSAGE_MS, "a new tab"),
        Figure("history", "a key to its frame there, p95", quantile(keys, 0.95), "ms", KEY_MS),
    ]
