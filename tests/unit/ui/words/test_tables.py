"""The tables of words: the same in both languages, nothing said outside of them, nothing left unsaid."""

import ast
import re
from pathlib import Path

import pytest

from assistant import runner, services, ui
from assistant.domain import errors
from assistant.domain.tool_call import Decision
from assistant.models import failures
from assistant.runner.asking import CONTEXT_MESSAGES
from tests.support.word_tables import LANGUAGES, flat, table_of

HOME = Path(ui.__file__).parent
SERVICES = Path(services.__file__).parent
RUNNER = Path(runner.__file__).parent
FORGOTTEN = HOME.parents[1] / "assets" / "forgotten.html"

FILLED = re.compile(r"\{(\w+)\}")
LATIN = re.compile(r"[A-Za-z][A-Za-z@.]*")

NOT_TRANSLATED = {
    *(
        "ASSISTANT",
        "MODEL",
        "API",
        "KEY",
        "BASE",
        "URL",
        "NAME",
        "CONTEXT",
        "TOKENS",
    ),  # settings, as the operator writes them
    *("Ctrl", "Shift", "K", "O", "Enter", "Esc"),  # keys
    *("Markdown", "JSON", "WebSocket", "Cookie", "MB", "kB", "ada@example.org"),
}
UNSEEN = {"refused", "idempotency_key_missing", "unavailable", "fenced"}
"""Codes that no page of ours is told: roots of the tree, and what only a program can do wrong."""

CALLS = ("calls.told.", "calls.plain.", "calls.states.", "calls.reasons.")
HEARD = ("aria-label", "aria_label", "title", "placeholder", "alt")

KEYS = {"Enter", "Escape", "Home", "End", "Tab", "Content-Type", "Infinity", "XXXX-XXXX"}


def forms(words: object) -> list[str]:
    return list(words.values()) if isinstance(words, dict) else [str(words)]


def test_both_languages_say_the_same_things() -> None:
    english, chinese = (flat(table_of(language)) for language in LANGUAGES)

    assert list(english) == list(chinese)
    for place in english:
        named = [
            {name for form in forms(table[place]) for name in FILLED.findall(form)}
            for table in (english, chinese)
        ]
        assert named[0] - {"count"} == named[1] - {"count"}, place


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_empty_and_what_is_counted_has_the_forms_of_its_language(language: str) -> None:
    for place, words in flat(table_of(language)).items():
        assert all(form.strip() == form != "" for form in forms(words)), place
        if isinstance(words, dict):
            assert set(words) == ({"one", "other"} if language == "en" else {"other"}), place


def test_chinese_is_chinese() -> None:
    for place, words in flat(table_of("zh")).items():
        for form in forms(words):
            assert set(LATIN.findall(FILLED.sub("", form))) <= NOT_TRANSLATED, f"{place}: {form}"
            assert not re.search(r"[\u4e00-\u9fff][,;:?!]", form), f"{place}: signs of another script: {form}"
            assert "您" not in form, f"{place}: the reader is 你"


def test_every_refusal_of_the_domain_has_words() -> None:
    source = Path(errors.__file__).read_text("utf-8")
    codes = set(re.findall(r'^    code = "(\w+)"', source, re.MULTILINE)) - {"already_decided"}
    assert codes - UNSEEN <= set(table_of("en")["refusals"])
    assert set(table_of("en")["decided"]) == {f"{each}{on}" for each in Decision for on in ("", "On")}


def test_every_rule_that_is_named_has_words() -> None:
    named = {
        rule
        for file in (*SERVICES.glob("*.py"), *HOME.rglob("*.py"))
        for rule in re.findall(r'rule="(\w+)"', file.read_text("utf-8"))
    }
    assert named == set(table_of("en")["rules"])


def test_every_failure_of_an_answer_has_words() -> None:
    of_tasks = {
        code
        for file in RUNNER.glob("*.py")
        for code in re.findall(r'(?:TaskError|ProviderFailed)\(\s*"(\w+)"', file.read_text("utf-8"))
    }
    codes = of_tasks | set(failures._WORDS) | {"model_timeout", "model_unknown"}
    assert codes <= set(table_of("en")["failures"])
    for code, words in failures._WORDS.items():
        assert table_of("en")["failures"][code] == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_much_is_told_after_a_summary_is_deleted_is_what_is_read(language: str) -> None:
    assert f"{CONTEXT_MESSAGES:,}" in table_of(language)["summary"]["about"]


def scripts() -> list[Path]:
    return sorted(HOME.rglob("*.js"))


def test_every_place_that_is_named_is_in_the_tables() -> None:
    """What Python names is looked up when the page is built (`word`)."""
    table = table_of("en")
    for file in scripts():
        text = file.read_text("utf-8")
        named = set(re.findall(rf'"((?:{"|".join(table)})\.[a-z]\w+)"', text))
        for variable, part in re.findall(r'const (\w+) = wordsOf\("(\w+)"\)', text):
            named |= {f"{part}.{name}" for name in re.findall(rf"\b{variable}\(\)\.(\w+)", text)}
        places = set(flat(table)) | {f"{part}.{name}" for part in table for name in table[part]}
        assert {place for place in named if not place.endswith(".js")} <= places, file.name


TEXTS = re.compile(r"""(?<![\w$])(["'`])((?:\\.|(?!\1)[^\\\n])*)\1""")
COMMENTS = re.compile(r"/\*.*?\*/|(?<![:\"'`\\])//[^\n]*", re.DOTALL)


def test_no_word_is_left_that_nothing_says() -> None:
    """Codes and tools are told by the server; others are named, at least in part, where they belong."""
    table, sources = table_of("en"), code_by_folder()
    named = {part: names_beside(part, sources) for part in table}
    by_code = ("refusals.", "rules.", "failures.", "decided.", "settings.names.", "list.marks.", *CALLS)
    for place in flat(table):
        part, *_, name = place.split(".")
        parts = {name, *(name.removesuffix(end) for end in ("On", "About", "Kept"))}
        assert place.startswith(by_code) or named[part] & parts, place


def names_beside(part: str, sources: list[str]) -> set[str]:
    """All names in the sources that use this part of the tables."""
    uses = re.compile(rf"""["'`]{part}["'`.]""")
    return {name for source in sources if uses.search(source) for name in re.findall(r"\w+", source)}


def code_by_folder() -> list[str]:
    """What the files of each folder say to machines: scripts without comments, and the texts of modules."""
    folders: dict[Path, list[str]] = {}
    for file in scripts():
        folders.setdefault(file.parent, []).append(COMMENTS.sub("", file.read_text("utf-8")))
    for file in HOME.rglob("*.py"):
        folders.setdefault(file.parent, []).extend(repr(text) for text in texts_of(file))
    return ["\n".join(code) for code in folders.values()] + [FORGOTTEN.read_text("utf-8")]


def texts_of(file: Path) -> list[str]:
    """The texts in a module that are no docstrings."""
    tree = ast.parse(file.read_text("utf-8"))
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in said
    ]


SENTENCE = re.compile(r"^[A-Z][a-z]+(?:[ ,.?!].*)?$|[\u3400-\u9fff]")


@pytest.mark.parametrize("file", scripts(), ids=lambda file: file.name)
def test_no_script_says_a_word_of_its_own(file: Path) -> None:
    text = COMMENTS.sub("", file.read_text("utf-8"))
    said = {words for _, words in TEXTS.findall(text) if SENTENCE.search(words)}
    allowed = KEYS | {words for words in said if words.startswith(("Arrow", "Page", "Dedicated"))}
    assert said <= allowed | OWN.get(file.name, set())


OWN = {
    "telling.js": {"RelativeTimeFormat", "DateTimeFormat"},
}


def test_no_component_says_a_word_of_its_own() -> None:
    """No text with a letter in it stands where the words of an element stand."""
    for file in sorted(HOME.rglob("*.py")):
        calls = (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))
        words = [each for call in calls for each in words_of(call)]
        assert not [each for each in words if re.search(r"[^\W\d_]", each)], f"{file.name}: {words}"


def words_of(call: ast.Call) -> list[str]:
    """The texts that a call of Reflex gives an element to show or to be called by."""
    name = ast.unparse(call.func)
    given = list(call.args) if name.startswith("rx.el.") and not name.endswith("script") else []
    named = {key.arg: key.value for key in call.keywords if not name.endswith("words_keeper")}
    if isinstance(attributes := named.get("custom_attrs"), ast.Dict):
        keys = [str(key.value) if isinstance(key, ast.Constant) else None for key in attributes.keys]
        named |= dict(zip(keys, attributes.values, strict=True))
    given += [value for key, value in named.items() if key in HEARD]
    return [str(each.value) for each in given if isinstance(each, ast.Constant)]


def test_the_page_of_a_forgotten_browser_says_the_english_words() -> None:
    """It is no page of the app: it is drawn once everything is gone."""
    page = FORGOTTEN.read_text("utf-8")
    english = flat(table_of("en"))
    said = re.findall(r'data-words="([\w.]+)">([^<]+)<', page)
    assert len(said) == 5
    assert said == [(place, english[place]) for place, _ in said]
