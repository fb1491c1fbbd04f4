"""One embedded process, before a provider that goes on from a prefix."""

from collections.abc import Iterator

import pytest

from tests.e2e.http.stage import app_before
from tests.support.app_under_test import AppUnderTest


@pytest.fixture(scope="package")
def serving(provider_port: int) -> Iterator[AppUnderTest]:
    with app_before(provider_port, {"ASSISTANT_MODEL_CONTINUES_PREFIX": "true"}) as app:
        yield app
