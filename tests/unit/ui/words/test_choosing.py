"""In which language a document is read, before its page comes alive and when that is late."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from assistant import ui
from assistant.ui import words

ASSETS = Path(ui.__file__).parents[2] / "assets"
TABLES = json.dumps(str(Path(words.__file__).with_name("tables.js")))

_DOCUMENT = """
    const attributes = {};
    const root = {
      lang: "en",
      hasAttribute: (name) => name in attributes,
      setAttribute: (name, value) => { attributes[name] = value; },
      removeAttribute: (name) => { delete attributes[name]; },
    };
    globalThis.document = { documentElement: root };
    globalThis.localStorage = { getItem: () => null };
    Object.defineProperty(globalThis, "navigator", { value: { languages: ["%(language)s"] } });
    const later = [];
    globalThis.setTimeout = (tell) => later.push(tell);
    (0, eval)(%(script)s);
    const wait = () => later.forEach((tell) => tell());
    const says = () => [root.lang, attributes["data-wording"] ?? null];
    const alive = async () => (await import(%(tables)s)).language();
"""


def document(script: str, language: str = "zh-TW") -> list[Any]:
    """What the expressions of a list are, in a document for somebody who reads that language."""
    chooses = json.dumps((ASSETS / "language.js").read_text("utf-8"))
    begin = _DOCUMENT % {"language": language, "script": chooses, "tables": TABLES}
    bun = Path(sys.executable).with_name("bun")
    ran = subprocess.run(
        [bun, "-e", f"{begin}console.log(JSON.stringify([{script}]));"], capture_output=True, check=True
    )
    return json.loads(ran.stdout)


def test_a_document_in_another_language_is_seen_when_its_page_is_alive() -> None:
    assert document("says(), await alive(), (root.removeAttribute('data-wording'), wait(), says())") == [
        ["zh-CN", ""],
        "en",
        ["zh-CN", None],
    ]


def test_a_page_that_comes_alive_after_its_document_is_seen_begins_as_it_was_built() -> None:
    """Else what is drawn first is not what is there, and React throws it away."""
    assert document("(wait(), says()), await alive()") == [["zh-CN", "seen"], "en"]
    assert 'html[data-wording=""] body { opacity: 0; }' in (ASSETS / "theme.css").read_text("utf-8")


def test_a_document_in_english_is_seen_at_once() -> None:
    assert document("says(), later.length", "en-GB") == [["en", None], 0]
