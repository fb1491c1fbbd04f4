"""Measure the figures that the design promises: `python -m tests.bench [row ...]`, or `make bench`.

Exit code 1 when a bound is missed or a row broke off. Slow rows run only when they are named.
"""

import argparse
import asyncio
import os
import sys
import time
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench import (
    browser,
    deaths,
    delivery,
    first_text,
    histories,
    long_answers,
    long_sessions,
    memory,
    refreshes,
    searching,
)
from tests.bench.figures import Figure, Say, keep, table

ROOT = Path(__file__).parents[2]
KEPT_IN = ROOT / ".data" / "bench"


class Row(NamedTuple):
    """One thing to measure; a slow one runs only when it is named."""

    measure: Callable[[Say], Coroutine[Any, Any, list[Figure]]]
    slow: bool = False


ROWS = {
    "resume": Row(first_text.resume),
    "send": Row(first_text.send),
    "send-cluster": Row(first_text.send_cluster),
    "refresh": Row(refreshes.refresh),
    "restore": Row(long_sessions.restore),
    "search": Row(searching.search, slow=True),
    "long-answer": Row(long_answers.long_answer),
    "delivery-30": Row(delivery.in_one_process(30, 150)),
    "delivery-cluster-60": Row(delivery.on_the_cluster(60, 150)),
    "delivery-100": Row(delivery.in_one_process(100, None), slow=True),
    "delivery-300": Row(delivery.in_one_process(300, None), slow=True),
    "history": Row(histories.history),
    "page-open": Row(browser.page_open),
    "page-answer": Row(browser.page_answer),
    "kill-worker": Row(deaths.kill_worker),
    "kill-server": Row(deaths.kill_server),
    "memory": Row(memory.memory),
}


def main() -> int:
    """Run the rows that were asked for, print and keep the table; 1 when one missed its bound or broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=main.__doc__)
    parser.add_argument("rows", nargs="*", metavar="row", help=", ".join(ROWS))
    asked = parser.parse_args().rows
    for name in asked:
        if name not in ROWS:
            parser.error(f"there is no row {name}: {', '.join(ROWS)}")
    names = asked or [name for name, row in ROWS.items() if not row.slow]
    figures: list[Figure] = []
    broken: list[str] = []
    for name in names:
        began = time.monotonic()
        _say(f"{name} ...")
        try:
            figures += asyncio.run(ROWS[name].measure(_say))
        except Exception:
            traceback.print_exc()
            broken.append(name)
        _say(f"{name}: {time.monotonic() - began:.0f} s")
    print(f"\n{table(figures)}\n")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"kept in {keep(figures, KEPT_IN).relative_to(ROOT)}")
    if broken:
        print(f"broke off: {', '.join(broken)}")
    return int(bool(broken) or any(figure.missed for figure in figures))


def _say(line: str) -> None:
    print(f"  {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
