"""Two tests at a time, where pytest is told so (`make test` does): one of them before the whole page."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

PAGE = "tests/e2e/page"
PARTS_OF_THE_PAGE = {f"{PAGE}/composer", f"{PAGE}/stream_text"}
"""They stand on pages of their own, without the app."""


class ByPackage(LoadScopeScheduling):
    """A package is a stage whose tests share what it has, so they are given to one process, in order.

    All that opens the app in a browser counts as one package: it is judged by the clock, and two of them at
    once would take each other's. That is about half of all work, and is begun first.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _scope(nodeid)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Called by pytest when all tests are known."""
    items.sort(key=lambda item: _scope(item.nodeid) != PAGE)


def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> ByPackage:
    """Called by xdist when there are several processes."""
    config.option.loadscopereorder = False  # it would begin with what has most tests
    return ByPackage(config, log)


def _scope(nodeid: str) -> str:
    folder = PurePosixPath(nodeid.split("::")[0]).parent
    is_whole = folder.is_relative_to(PAGE) and folder.as_posix() not in PARTS_OF_THE_PAGE
    return PAGE if is_whole else folder.as_posix()
