"""A defect is noted with the address that met it, but for the token of a shared link."""

import pytest

from assistant.api.errors import unexpected


@pytest.mark.parametrize(
    ("path", "noted"), [("/api/tasks/1", "/api/tasks/1"), ("/api/shared/secret", "/api/shared/")]
)
def test_the_token_of_a_link_is_not_noted(path: str, noted: str, caplog: pytest.LogCaptureFixture) -> None:
    assert unexpected(RuntimeError("a defect"), path).status_code == 500
    assert caplog.messages == [f"a request failed unexpectedly: {noted}"]
