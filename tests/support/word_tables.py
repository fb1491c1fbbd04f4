"""The tables of words as they are in the product."""

import json
from pathlib import Path
from typing import Any

from assistant.ui import words

HOME = Path(words.__file__).parent
LANGUAGES = ("en", "zh")


def table_of(language: str) -> dict[str, Any]:
    """The whole table of a language."""
    return json.loads((HOME / f"{language}.json").read_text("utf-8"))


def flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """The words by their places; what is counted is one place with its forms."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict) and "other" not in value:
            found |= flat(value, f"{before}{name}.")
        else:
            found[before + name] = value
    return found
