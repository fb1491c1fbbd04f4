"""How words are chosen and filled in, and how times are told, as the page does it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.domain.errors import AlreadyDecided, InvalidInput, NotFound
from assistant.domain.tool_call import Decision
from assistant.ui import times, words
from assistant.ui.words import told

TABLES = json.dumps(str(Path(words.__file__).with_name("tables.js")))
TELLING = json.dumps(str(Path(times.__file__).with_name("telling.js")))

NOON = "2026-12-01T12:00:00.000Z"


def run(script: str, language: str = "en", zone: str = "UTC") -> Any:
    """What the expressions of a list are, on a page in that language and that zone."""
    bun = Path(sys.executable).with_name("bun")
    lang = {"en": "en", "zh": "zh-CN"}[language]
    page = f"""
        globalThis.document = {{ documentElement: {{ lang: "{lang}", hasAttribute: () => false }} }};
        Object.defineProperty(globalThis, "navigator", {{ value: {{ languages: ["en-GB"] }} }});
        const {{ said, failed, wordAt, wordsOf, doneOn }} = await import({TABLES});
        const {{ relative, exact, elapsed }} = await import({TELLING});
        const noon = Date.parse("{NOON}");
        const ago = (ms, more) => relative(new Date(noon - ms).toISOString(), noon, more);
        console.log(JSON.stringify([{script}]));
    """
    ran = subprocess.run([bun, "-e", page], capture_output=True, check=True, env={**os.environ, "TZ": zone})
    return json.loads(ran.stdout)


def test_what_is_filled_in_is_never_read_for_names() -> None:
    assert run("""
        wordsOf("list")().deleted({ title: "{title} {x} <b>" }),
        wordsOf("calls")().told.send_mail({ to: "{subject}", subject: "hi" }),
        wordsOf("calls")().told.send_mail({ to: "ada" }),
        wordsOf("calls")().approved({ time: { an: "element" } }),
    """) == [
        "Deleted “{title} {x} <b>”.",
        "Send a mail to {subject}: hi",
        "Send a mail to ada: …",
        ["Approved ", {"an": "element"}, ""],
    ]


def test_what_is_counted_is_counted_as_the_language_does() -> None:
    script = """wordsOf("search")().results({ count: 1 }), wordsOf("search")().results({ count: 12345 })"""
    assert run(script) == ["1 result", "12,345 results"]
    assert run(script, "zh") == ["1 条结果", "12,345 条结果"]


def test_a_refusal_is_told_as_a_code_and_said_in_the_language_of_the_page() -> None:
    tells = [
        told(NotFound()),
        told(InvalidInput("in English", rule="title_length", most=200, secret="x")),
        told(AlreadyDecided(decision=Decision.DENY, decided_on="Firefox on Android")),
        told(AlreadyDecided(decision=Decision.APPROVE, decided_on=None)),
        told(InvalidInput("a rule of tomorrow", rule="constructor")),
        {"code": "toString"},
        {},
    ]
    assert "secret" not in tells[1]
    script = f"...{json.dumps(tells)}.map(said)"
    assert run(script) == [
        "This conversation does not exist, or it is not yours.",
        "A title has 1 to 200 characters.",
        "Already denied on Firefox on Android.",
        "Already approved.",
        "The server does not take it like this.",
        "This did not work. Try again in a moment.",
        "",
    ]
    assert run(script, "zh")[:4] == [
        "此会话不存在，或不属于你。",
        "标题为 1 到 200 个字符。",
        "已被拒绝（Android 上的 Firefox）。",
        "已被批准。",
    ]


@pytest.mark.parametrize(
    ("told", "english", "chinese"),
    [
        (
            "Firefox on Android",
            "Used on Firefox on Android.",
            "已在另一台设备（Android 上的 Firefox）上使用",
        ),
        ("curl", "Used on curl.", "已在另一台设备（curl）上使用"),
        ("another device", "Used on another device.", "已在另一台设备上使用"),
        (None, "Used on another device.", "已在另一台设备上使用"),
    ],
)
def test_where_a_code_was_used_is_said_if_it_is_known(told: str | None, english: str, chinese: str) -> None:
    script = f"doneOn('devices', 'used', {json.dumps(told)})"
    [said] = run(script)
    assert said == f"{english} It shows your conversations, too."
    [said] = run(script, "zh")
    assert said == f"{chinese}，那里也会显示你的会话。"


def test_a_failure_is_said_with_what_the_provider_said_itself() -> None:
    script = 'failed("model_error", "Overloaded"), failed("model_error"), failed("of tomorrow")'
    assert run(script, "zh") == [
        "模型服务在回答中途报告了错误。请继续或重试。 “Overloaded”",
        "模型服务在回答中途报告了错误。请继续或重试。",
        "出了问题，请重试。",
    ]


SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("ago", "english", "chinese"),
    [
        (0, "just now", "刚刚"),
        (59 * SECOND, "just now", "刚刚"),
        (61 * SECOND, "1 minute ago", "1分钟前"),
        (5 * MINUTE + 59 * SECOND, "5 minutes ago", "5分钟前"),
        (3 * HOUR, "3 hours ago", "3小时前"),
        (13 * HOUR, "yesterday", "昨天"),
        (3 * DAY, "3 days ago", "3天前"),
        (8 * DAY, "23 Nov", "11月23日"),
        (400 * DAY, "27 Oct 2025", "2025年10月27日"),
        (-30 * SECOND, "just now", "刚刚"),
        (-3 * DAY, "4 Dec", "12月4日"),
    ],
)
def test_a_time_is_told_relatively(ago: int, english: str, chinese: str) -> None:
    """Case B151: what a wrong clock of the reader takes for the future is told by its date."""
    assert run(f"ago({ago})") == [english]
    assert run(f"ago({ago})", "zh") == [chinese]


def test_what_is_to_come_is_told_so() -> None:
    assert run(
        f"...[-30000, {-90 * MINUTE}, {-20 * HOUR}, {-2 * DAY}].map((ms) => ago(ms, {{ isToCome: true }}))"
    ) == [
        "in 30 seconds",
        "in 1 hour",
        "in 20 hours",
        "in 2 days",
    ]


def test_the_exact_time_is_the_same_instant_in_every_zone() -> None:
    """Case B149: read the next day and elsewhere, a time is what it was."""
    script = f'exact("{NOON}"), ago({13 * HOUR})'
    [here, before] = run(script)
    assert here.endswith("1 December 2026 at 12:00:00 UTC")
    assert before == "yesterday"
    # There the day began after midnight in London.
    [there, before] = run(script, zone="Asia/Tokyo")
    assert there.endswith("1 December 2026 at 21:00:00 GMT+9")
    assert before == "13 hours ago"
    assert run(script, "zh", "Asia/Shanghai")[0] == "2026年12月1日星期二 GMT+8 20:00:00"


def test_nonsense_is_no_time() -> None:
    assert run('relative("", 0), relative("nonsense", 0), exact("")') == ["", "", ""]
