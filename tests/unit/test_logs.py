"""Logs never show a secret."""

from assistant.commands.logs import without_secrets


def test_values_with_a_secret_name_are_masked() -> None:
    event = {"event": "x", "model_api_key": "abc", "Authorization": "Bearer abc", "cookie": "abc"}

    assert "abc" not in str(without_secrets(None, "info", event))


def test_a_password_in_a_url_is_masked_and_the_rest_stays() -> None:
    event = {"event": "cannot reach postgresql://user:hidden@db:5432/chat or redis://:hidden@r"}

    assert without_secrets(None, "info", event)["event"] == (
        "cannot reach postgresql://user:***@db:5432/chat or redis://:***@r"
    )
