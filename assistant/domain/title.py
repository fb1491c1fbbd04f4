"""Where a session's title is from, and its own small machine: a model is asked for one once at most.

first_line ──ask──▶ asked ──entitle──▶ settled ⟲ rename
    │                 └─────rename───────▲
    └───────────────────────rename───────┘

A session that was brought from a file begins settled, as do those of before there were titles by models.
"""

from enum import StrEnum

from assistant.domain.machine import Machine


class TitleFrom(StrEnum):
    FIRST_LINE = "first_line"
    """Cut from the first message: a model may make a better one, once."""

    ASKED = "asked"
    """A model was asked, and is never asked again, whatever came of it."""

    SETTLED = "settled"
    """By the user, a model or a file: only the user changes it."""


class TitleEvent(StrEnum):
    ASK = "ask"
    """The one try is taken, before the model is asked."""

    ENTITLE = "entitle"
    """The model made one."""

    RENAME = "rename"
    """The user gives one, at any time."""


_T, _E = TitleFrom, TitleEvent

TITLE = Machine(
    {
        (_T.FIRST_LINE, _E.ASK): _T.ASKED,
        (_T.FIRST_LINE, _E.RENAME): _T.SETTLED,
        (_T.ASKED, _E.ENTITLE): _T.SETTLED,
        (_T.ASKED, _E.RENAME): _T.SETTLED,
        (_T.SETTLED, _E.RENAME): _T.SETTLED,
    },
    terminal=frozenset(),
)
