"""What a page asks for near its ends: once, and again when a hand scrolls on or it may be lost."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from assistant.ui import paging

MODULE = json.dumps(str(Path(paging.__file__).with_name("asked.js")))


def told(script: str) -> Any:
    bun = Path(sys.executable).with_name("bun")
    begin = f"const {{ Asked }} = await import({MODULE}); const asked = new Asked();"
    ran = subprocess.run(
        [bun, "-e", f"{begin} console.log(JSON.stringify([{script}]));"], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_it_is_asked_for_once_and_again_after_a_while() -> None:
    script = 'asked.begin("a", 0), asked.begin("a", 3999), asked.begin("b", 3999), asked.begin("a", 4000)'
    assert told(script) == [True, False, True, True]


def test_what_was_answered_is_asked_for_again_by_a_hand_alone() -> None:
    """By itself one end could bring the other for ever."""
    script = (
        'asked.begin("a", 0), (asked.answered(), asked.begin("a", 1)), (asked.pressed(), asked.begin("a", 2))'
    )
    assert told(script) == [True, False, True]


def test_what_is_on_its_way_is_not_asked_for_again_by_a_key_that_is_held_down() -> None:
    assert told('asked.begin("a", 0), (asked.pressed(), asked.begin("a", 1))') == [True, False]
