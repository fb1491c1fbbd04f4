"""Two tests at a time, where pytest is told so (`make test` does): one of them from `e2e`."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

E2E = "tests/e2e"


class ByPackage(LoadScopeScheduling):
    """A package is a stage whose tests share what it has, so they are given to one process, in order.

    All of `e2e` counts as one, and the largest, so it is begun first: browsers and killed servers are judged
    by the clock, and two of them at once would take each other's.
    """

    def _split_scope(self, nodeid: str) -> str:
        folder = PurePosixPath(nodeid.split("::")[0]).parent
        return E2E if folder.is_relative_to(E2E) else folder.as_posix()


def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> ByPackage:
    """Called by xdist when there are several processes."""
    return ByPackage(config, log)
