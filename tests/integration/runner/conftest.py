"""What these tests stand on: the product, open in this process, a scripted provider, and a ledger."""

import pytest

from assistant.settings import Settings
from tests.support.ledger_tools import Ledger
from tests.support.opened_fixtures import QUIET_SECONDS, assistant, provider, quiet, settings, sqlite

__all__ = ["assistant", "provider", "quiet", "settings", "sqlite"]


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def still(settings: Settings) -> Settings:
    """Beats and passes come only when the test calls them."""
    return settings.model_copy(update={"beat_seconds": QUIET_SECONDS})
