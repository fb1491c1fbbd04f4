"""What was unfolded is drawn unfolded: in the very first drawing after a reload, and not by a second one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_DRAWN = """
import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";

const kept = %s;
globalThis.sessionStorage = { getItem: (name) => kept[name] ?? null };
Bun.plugin({ name: "state", setup(build) {
  build.module("$/utils/state", () => ({ exports: { getBackendURL: () => "" }, loader: "object" }));
} });
const { SummaryLine } = await import("./summary/summary.js");
console.log(renderToStaticMarkup(h(SummaryLine, { sid: "s-1", summary: "sum-1" })));
"""


def drawn(built: Path, kept: dict[str, str]) -> str:
    """The line of a summary as it is drawn first, in a tab that keeps this."""
    script = built.parent / "first_frame.js"
    script.write_text(_DRAWN % json.dumps(kept), "utf-8")
    ran = subprocess.run(
        [Path(sys.executable).with_name("bun"), script.name], cwd=built.parent, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize(("read", "shown"), [("sum-1", True), ("sum-0", False)])
def test_a_summary_that_was_open_is_open_with_its_text(built: Path, read: str, shown: bool) -> None:
    text = json.dumps({"id": read, "text": "They said."})
    markup = drawn(built, {"open:summary:sum-1": "1", "summary": text})
    assert ' open=""' in markup
    assert ("They said." in markup) is shown


def test_a_summary_that_was_folded_is_folded(built: Path) -> None:
    assert " open" not in drawn(built, {}).partition(">")[0]
