"""What these tests stand on: the product, open in this process, and a scripted provider."""

from tests.support.opened_fixtures import assistant, provider, quiet, settings, sqlite

__all__ = ["assistant", "provider", "quiet", "settings", "sqlite"]
