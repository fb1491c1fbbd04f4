"""Three tests at a time, where pytest is told so (`make test` does): two of them before a browser at most."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

REFRESH = "tests/e2e/page/refresh"
E2E = "tests/e2e"
LONGEST = (REFRESH, E2E)


class ByPackage(LoadScopeScheduling):
    """A package is a stage whose tests share what it has, so they are given to one process, in order.

    All of `e2e` but its largest package counts as one: browsers and killed servers are judged by the
    clock, and three of them at once would take each other's.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _scope(nodeid)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Called by pytest when all tests are known: what takes longest is begun first."""

    def place(item: pytest.Item) -> int:
        scope = _scope(item.nodeid)
        return LONGEST.index(scope) if scope in LONGEST else len(LONGEST)

    items.sort(key=place)


def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> ByPackage:
    """Called by xdist when there are several processes."""
    config.option.loadscopereorder = False  # it would begin with what has most tests
    return ByPackage(config, log)


def _scope(nodeid: str) -> str:
    folder = PurePosixPath(nodeid.split("::")[0]).parent
    return next((each for each in LONGEST if folder.is_relative_to(each)), folder.as_posix())
