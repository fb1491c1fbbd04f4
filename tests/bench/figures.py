"""A measured figure, its bound, and how figures are printed and kept."""

import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

Say = Callable[[str], None]
"""Prints one line of progress."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a row. With a `bound` it must not be above it; without one it is only reported."""

    row: str
    what: str
    value: float
    unit: str
    bound: float | None = None
    note: str = ""

    @property
    def missed(self) -> bool:
        """The bound is not held."""
        return self.bound is not None and self.value > self.bound

    @property
    def verdict(self) -> str:
        """`ok`, `MISSED`, or a dash where nothing is asked."""
        if self.bound is None:
            return "-"
        return "MISSED" if self.missed else "ok"


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which `part` (0 to 1) of `values` lie, without interpolation."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def median(values: Sequence[float]) -> float:
    """The p50 of `values`."""
    return statistics.median(values)


def table(figures: Sequence[Figure]) -> str:
    """The figures in aligned columns."""
    rows = [("row", "what", "figure", "bound", "", "note")]
    for figure in figures:
        bound = "" if figure.bound is None else f"{figure.bound:g} {figure.unit}".strip()
        value = f"{_short(figure.value)} {figure.unit}".strip()
        rows.append((figure.row, figure.what, value, bound, figure.verdict, figure.note))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    right = {2, 3}
    lines = [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def keep(figures: Sequence[Figure], folder: Path) -> Path:
    """Write the figures as JSON, with the load of the machine; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    now = time.gmtime()
    file = folder / f"{time.strftime('%Y%m%d-%H%M%S', now)}.json"
    told = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
        "figures": [{**asdict(figure), "verdict": figure.verdict} for figure in figures],
    }
    file.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    return file


def _short(value: float) -> str:
    if value == int(value) and abs(value) < 1e9:
        return str(int(value))
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
