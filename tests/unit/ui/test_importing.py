"""The import of a file in the page's own words: sent once, and what became of it found out or withdrawn."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.ui import files

MODULE = json.dumps(str(Path(files.__file__).with_name("importing.js")))
KEPT = {"key": "earlier", "name": "kept.json"}

_TAB = """
    const store = new Map(Object.entries(%(stored)s));
    const keeps = %(keeps)s;
    globalThis.sessionStorage = {
      getItem: (name) => (keeps ? store.get(name) ?? null : null),
      setItem(name, value) { if (!keeps) throw new Error("full"); store.set(name, value); },
      removeItem: (name) => store.delete(name),
    };
    const location = { origin: "http://app" };
    globalThis.window = Object.assign(new EventTarget(), { documentName: "this", location });
    globalThis.document = new EventTarget();
    const requests = [], calls = [], timers = [], opened = [];
    globalThis.XMLHttpRequest = class {
      upload = {};
      constructor() { requests.push(this); }
      open() {}
      setRequestHeader(name, value) { if (name === "Idempotency-Key") this.key = value; }
      send(file) { this.file = file.name; }
      abort() { this.isAborted = true; }
    };
    globalThis.setTimeout = (tell, _ms, ...given) => timers.push(() => tell(...given));
    // Each call waits for its answer: a status and a body, or null for a server that is away.
    globalThis.fetch = (url, { method }) => new Promise((resolve, reject) => calls.push({
      asks: `${method} ${url.pathname}`,
      answer(status, told = {}) {
        if (status === null) reject(new Error("away"));
        else resolve({ status, ok: status < 300, json: async () => told });
      },
    }));
    Bun.plugin({ name: "state", setup(build) {
      build.module("$/utils/state", () => ({ exports: { getBackendURL: () => "" }, loader: "object" }));
    } });
    const importing = await import(%(module)s);
    importing.openBy((session) => opened.push(session));
    const soon = async () => { for (let turn = 0; turn < 50; turn += 1) await null; };
    const answered = async (...given) => { calls.shift().answer(...given); await soon(); };
    const kept = () => JSON.parse(store.get("importing") ?? "null");
    const said = () => ["state", "fate", "name"].map((each) => importing.current()[each] ?? "");
    const file = { name: "new.json", size: 3 };
    const made = { code: "request_accepted", result: { session_id: "s-1" } };
    const told = [];
"""


def tab(script: str, kept: dict[str, Any] | None = None, *, keeps: bool = True) -> list[Any]:
    """What a script tells in a tab that keeps this of an earlier import."""
    stored = {"importing": json.dumps(kept)} if kept else {}
    begin = _TAB % {"stored": json.dumps(stored), "keeps": json.dumps(keeps), "module": MODULE}
    bun = Path(sys.executable).with_name("bun")
    ran = subprocess.run(
        [bun, "-e", f"{begin}{script}\nconsole.log(JSON.stringify(told));"], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_what_was_cancelled_is_not_asked_about_again() -> None:
    """It would be told to be read for ever."""
    assert tab(
        """
        importing.resume();
        await answered(404, { code: "not_found" });
        importing.cancel();
        await answered(200);
        told.push(said(), kept());
        timers.forEach((tell) => tell());
        await soon();
        told.push(said(), calls.length);
        """,
        {**KEPT, "sent": True},
    ) == [["over", "cancelled", "kept.json"], None, ["over", "cancelled", "kept.json"], 0]


def test_what_is_cancelled_while_it_is_asked_about_stays_so() -> None:
    assert tab(
        """
        importing.resume();
        importing.cancel();
        const [asked, takenBack] = calls.splice(0);
        takenBack.answer(200);
        await soon();
        asked.answer(200, { state: "accepted", result: { session_id: "s-1" } });
        await soon();
        told.push(said(), opened);
        """,
        {**KEPT, "sent": True},
    ) == [["over", "cancelled", "kept.json"], []]


@pytest.mark.parametrize(
    ("answer", "then"),
    [
        ("200", [["sending", "", "new.json"], [], 1]),
        ("409, made", [["over", "done", "kept.json"], ["s-1"], 0]),
        ("null", [["over", "failed", "new.json"], [], 0]),
    ],
    ids=["withdrawn", "made after all", "away still"],
)
def test_what_could_not_be_withdrawn_is_withdrawn_before_the_next_import(
    answer: str, then: list[Any]
) -> None:
    """Else it could arrive beside it."""
    [begins, asks, *told] = tab(
        f"""
        importing.resume();
        await answered(null);
        told.push(said()[1]);
        importing.begin(file);
        await soon();
        told.push(calls.map(({{ asks }}) => asks));
        await answered({answer});
        told.push(said(), opened, requests.length);
        if (requests.length === 1) told.push(kept().key === requests[0].key);
        """,
        {**KEPT, "sent": False},
    )
    assert (begins, asks) == ("failed", ["DELETE /api/requests/earlier"])
    assert told[:3] == then
    assert told[3:] == ([True] if then[2] else [])


def test_a_file_that_is_too_large_forgets_nothing_that_has_to_be_withdrawn() -> None:
    assert tab(
        """
        importing.resume();
        await answered(null);
        importing.begin({ name: "large.json", size: 2 ** 25 });
        told.push(said(), kept().key);
        """,
        {**KEPT, "sent": False},
    ) == [["over", "tooLarge", "large.json"], "earlier"]


def test_what_is_cancelled_before_it_is_sent_is_not_sent() -> None:
    assert tab(
        """
        importing.resume();
        await answered(null);
        importing.begin(file);
        importing.cancel();
        while (calls.length > 0) await answered(200);
        told.push(said()[1], requests.length, kept());
        """,
        {**KEPT, "sent": False},
    ) == ["cancelled", 0, None]


@pytest.mark.parametrize("sent", [False, True])
def test_a_copy_of_a_tab_leaves_alone_what_the_other_one_imports(sent: bool) -> None:
    assert tab(
        "importing.resume(); await soon(); told.push(said()[0], calls.length, kept());",
        {**KEPT, "sent": sent, "document": "another"},
    ) == ["rest", 0, None]


def test_the_document_after_the_one_that_was_left_goes_on() -> None:
    [at_it, left] = tab(
        """
        importing.begin(file);
        await soon();
        told.push(kept());
        window.dispatchEvent(new Event("pagehide"));
        told.push(kept());
        """
    )
    assert (at_it["document"], left["document"]) == ("this", "")
    assert tab(
        """
        importing.resume();
        await answered(200);
        told.push(said(), kept());
        """,
        left,
    ) == [["over", "cutOff", "new.json"], None]


def test_a_browser_that_keeps_nothing_can_cancel_too() -> None:
    assert tab(
        """
        importing.begin(file);
        await soon();
        importing.cancel();
        told.push(requests[0].isAborted, calls[0].asks === `DELETE /api/requests/${requests[0].key}`);
        await answered(200);
        told.push(said());
        """,
        keeps=False,
    ) == [True, True, ["over", "cancelled", "new.json"]]


@pytest.mark.parametrize("size", [3, 2**25])
def test_a_second_file_is_refused_in_words_and_the_first_goes_on(size: int) -> None:
    assert tab(
        f"""
        importing.begin(file);
        await soon();
        importing.begin({{ name: "second.json", size: {size} }});
        await soon();
        told.push(said(), importing.current().refused, requests.length, kept().key === requests[0].key);
        requests[0].upload.onload();
        importing.begin({{ name: "third.json", size: {size} }});
        told.push(said(), importing.current().refused, importing.isUnderWay());
        requests[0].onload({{ target: {{ status: 201, responseText: JSON.stringify({{ id: "s-1" }}) }} }});
        told.push(said(), importing.current().refused, opened, requests.length, importing.isUnderWay());
        importing.close();
        told.push(said(), importing.current().refused ?? "");
        """
    ) == [
        *(["sending", "", "new.json"], "second.json", 1, True),
        *(["building", "", "new.json"], "third.json", True),
        *(["over", "done", "new.json"], "third.json", ["s-1"], 1, False),
        *(["rest", "", ""], ""),
    ]


def test_nothing_is_begun_while_an_earlier_one_is_withdrawn() -> None:
    """Its end would be said in place of the new one."""
    assert tab(
        """
        importing.resume();
        importing.begin(file);
        await soon();
        told.push(importing.isUnderWay(), importing.current().refused, requests.length);
        await answered(200);
        told.push(said(), importing.current().refused, importing.isUnderWay(), kept());
        importing.begin(file);
        await soon();
        told.push(said(), importing.current().refused ?? "", requests.length);
        """,
        {**KEPT, "sent": False},
    ) == [
        *(True, "new.json", 0),
        *(["over", "cutOff", "kept.json"], "new.json", False, None),
        *(["sending", "", "new.json"], "", 1),
    ]


def test_what_is_being_cancelled_is_under_way_until_it_is() -> None:
    assert tab(
        """
        importing.begin(file);
        await soon();
        importing.cancel();
        importing.begin({ name: "second.json", size: 3 });
        await soon();
        told.push(importing.current().refused, requests.length);
        await answered(200);
        told.push(said(), importing.isUnderWay());
        """
    ) == ["second.json", 1, ["over", "cancelled", "new.json"], False]
