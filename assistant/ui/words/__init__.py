"""What the page says: every word of it, in English and in Chinese, and in which of the two (decision 24).

`en.json` and `zh.json` hold the words, and nothing else does. The server tells codes; the page says them in
its own language, so a page that was kept, and two tabs in two languages, are right.
"""

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from assistant.domain.errors import AssistantError
from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "words.js", "tables.js", "en.json", "zh.json")
_MODULE = _FILES["words.js"].importable_path
_ENGLISH = json.loads(Path(__file__).with_name("en.json").read_text("utf-8"))

Told = dict[str, Any]
"""What became of something: `{code, ...}` with what its words are filled in with; empty for nothing."""

_TELLS = ("rule", "most", "name", "decision", "decided_on")
"""Of the details of an error: what its words name."""

_WORDED = VarData(
    imports={_MODULE: [ImportVar(tag=name) for name in ("useWords", "said", "failed")]},
    hooks={"const worded = useWords();": None},
)


def word(place: str) -> rx.Var[str]:
    """The words at a place of the tables, such as `message.retry`, in the language of the page.

    KeyError for a place that there is not, TypeError for words that have to be filled in.
    """
    found = _at(place)
    if not isinstance(found, str) or "{" in found:
        raise TypeError(f"{place} is filled in, or no words")
    return rx.Var(f"worded.{place}", _var_type=str, _var_data=_WORDED)


def english(place: str) -> str:
    """The English words at a place: those with which a document is built."""
    word(place)
    return str(_at(place))


def filled(place: str, **values: Any) -> rx.Var[str]:
    """The words at a place with these values in them."""
    given = rx.Var.create(values)
    return rx.Var(
        f"worded.{place}({given})", _var_type=str, _var_data=VarData.merge(_WORDED, given._get_all_var_data())
    )


def said(told: Any) -> rx.Var[str]:
    """The words for what became of something, a `Told`."""
    told = rx.Var.create(told)
    # Names the hook, so that it is said anew in another language.
    return rx.Var(
        f"(worded && said({told}))",
        _var_type=str,
        _var_data=VarData.merge(_WORDED, told._get_all_var_data()),
    )


def failed(code: Any, quoted: Any) -> rx.Var[str]:
    """Why an answer failed, with what its provider said itself."""
    code, quoted = rx.Var.create(code), rx.Var.create(quoted)
    return rx.Var(
        f"(worded && failed({code}, {quoted}))",
        _var_type=str,
        _var_data=VarData.merge(_WORDED, code._get_all_var_data(), quoted._get_all_var_data()),
    )


def _at(place: str) -> Any:
    found = _ENGLISH
    for name in place.split("."):
        found = found[name]
    return found


def told(error: AssistantError) -> Told:
    """An error as the page is told it."""
    return {
        "code": error.code,
        **{name: _plain(error.details[name]) for name in _TELLS if name in error.details},
    }


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, StrEnum) else value


class WordsKeeper(rx.Component):
    """Invisible, one a page: keeps document and page in one language."""

    library = _MODULE
    tag = "WordsKeeper"

    title: rx.Var[str]
    """The name of the page in `page.titles`, which is the title of the document."""


class LanguageButton(rx.Component):
    """Switches to the other language, for this browser."""

    library = _MODULE
    tag = "LanguageButton"


words_keeper = WordsKeeper.create
language_button = LanguageButton.create
