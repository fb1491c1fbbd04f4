"""Settings: defaults, spellings, errors that name the variable, and secrets that stay secret."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import ValidationError

from assistant.settings import Settings, SettingsError, load, unknown

KEY = "a-key-long-enough-to-sign-with"


def test_nothing_set_means_one_embedded_process_on_sqlite(tmp_path: Path) -> None:
    settings = load({"ASSISTANT_DATA_DIR": str(tmp_path)})

    assert settings.embedded
    assert settings.is_sqlite
    assert settings.database_url == f"sqlite+aiosqlite:///{tmp_path}/assistant.db"
    assert settings.files_url == f"file://{tmp_path}/files"
    assert (settings.port, settings.beat_seconds, settings.lost_after_beats) == (8000, 1, 4)
    assert settings.drain_seconds == 75


def test_a_relative_data_directory_becomes_absolute_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert load({"ASSISTANT_DATA_DIR": "here"}).data_dir == tmp_path / "here"
    assert load({}).data_dir == tmp_path / ".data"


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("sqlite:////var/chat.db", "sqlite+aiosqlite:////var/chat.db"),
        ("sqlite+aiosqlite:///x.db", "sqlite+aiosqlite:///x.db"),
        ("postgresql://u:p@db/chat", "postgresql+asyncpg://u:p@db/chat"),
        ("postgres://u:p@db/chat", "postgresql+asyncpg://u:p@db/chat"),
        ("postgresql+asyncpg://db/chat", "postgresql+asyncpg://db/chat"),
    ],
)
def test_database_urls_without_a_driver_get_the_async_one(given: str, used: str) -> None:
    assert load({"ASSISTANT_DATABASE_URL": given}).database_url == used


def test_a_redis_url_ends_embedded_mode() -> None:
    assert not load({"ASSISTANT_REDIS_URL": "redis://127.0.0.1:6379/0"}).embedded


def test_lists_are_written_with_commas() -> None:
    settings = load({"ASSISTANT_ALLOWED_ORIGINS": "https://A.example, http://b.example:81/,"})

    assert settings.allowed_origins == ("https://a.example", "http://b.example:81")


def test_an_empty_variable_counts_as_absent() -> None:
    assert load({"ASSISTANT_PORT": "", "ASSISTANT_REDIS_URL": ""}).port == 8000


def test_variables_without_the_prefix_are_not_read() -> None:
    assert load({"PORT": "1", "SECRET_KEY": KEY}).given_secret_key is None


def test_settings_made_in_code_do_not_read_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_PORT", "9999")

    assert Settings().port == 8000
    assert load().port == 9999


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().port = 1  # ty: ignore[invalid-assignment]


def test_every_wrong_variable_is_named_with_what_is_wrong() -> None:
    with pytest.raises(SettingsError) as refusal:
        load(
            {
                "ASSISTANT_PORT": "many",
                "ASSISTANT_REDIS_URL": "http://x",
                "ASSISTANT_BEAT_SECONDS": "0",
                "ASSISTANT_DATABASE_URL": "mysql://x",
                "ASSISTANT_ALLOWED_ORIGINS": "*",
                "ASSISTANT_SECRET_KEY": "short",
                "ASSISTANT_TRUSTED_PROXIES": "10.0.0.0/8,nonsense",
                "ASSISTANT_SMTP_URL": "mail.example.org",
            }
        )

    assert set(refusal.value.problems) == {
        "ASSISTANT_PORT",
        "ASSISTANT_REDIS_URL",
        "ASSISTANT_BEAT_SECONDS",
        "ASSISTANT_DATABASE_URL",
        "ASSISTANT_ALLOWED_ORIGINS",
        "ASSISTANT_SECRET_KEY",
        "ASSISTANT_TRUSTED_PROXIES",
        "ASSISTANT_SMTP_URL",
    }
    assert "ASSISTANT_REDIS_URL: must be memory://" in str(refusal.value)
    assert "short" not in str(refusal.value)


def test_a_misspelt_variable_is_reported_with_what_was_likely_meant() -> None:
    said = unknown({"ASSISTANT_DATBASE_URL": "x", "ASSISTANT_PORT": "1", "ASSISTANT_QQQQ": "x"})

    assert said == [
        "ASSISTANT_DATBASE_URL is set, but there is no such setting; did you mean ASSISTANT_DATABASE_URL?",
        "ASSISTANT_QQQQ is set, but there is no such setting",
    ]


def test_no_secret_is_in_the_repr() -> None:
    settings = load(
        {
            "ASSISTANT_SECRET_KEY": KEY,
            "ASSISTANT_MODEL_API_KEY": "model-secret",
            "ASSISTANT_DATABASE_URL": "postgresql://u:db-secret@h/x",
            "ASSISTANT_REDIS_URL": "redis://:redis-secret@h",
            "ASSISTANT_SMTP_URL": "smtp://u:mail-secret@h",
        }
    )

    assert KEY not in repr(settings)
    assert "secret@" not in repr(settings)
    assert "model-secret" not in repr(settings)
    assert settings.secret_key.get_secret_value() == KEY


@pytest.mark.parametrize(
    "url", ["smtp://h", "smtps://u%40x.test:p@h:465", "smtp://h?from=bot@x.test", "smtp://[::1]:25"]
)
def test_a_mail_server_is_a_url(url: str) -> None:
    assert load({"ASSISTANT_SMTP_URL": url}).smtp_url.get_secret_value() == url


@pytest.mark.parametrize(
    "url",
    ["h", "http://h", "smtp://", "smtp://h:0", "smtp://h:x", "smtp://u:pw@[h", "smtp://h?from=bot%0A@x"],
)
def test_a_wrong_mail_server_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match="ASSISTANT_SMTP_URL: must be smtp") as refusal:
        load({"ASSISTANT_SMTP_URL": url})
    assert "pw" not in str(refusal.value)


def test_tools_for_watching_are_offered_to_the_demo_and_to_who_debugs() -> None:
    real = {"ASSISTANT_MODEL_BASE_URL": "http://model.test"}
    offered = [load(given).demo_tools for given in ({}, real, {**real, "ASSISTANT_DEBUG_TOOLS": "true"})]
    assert offered == [True, False, True]


def test_titles_are_made_by_a_model_unless_turned_off_and_never_by_the_demo() -> None:
    real = {"ASSISTANT_MODEL_BASE_URL": "http://model.test"}
    made = [load(given).makes_titles for given in ({}, real, {**real, "ASSISTANT_MODEL_TITLES": "false"})]
    assert made == [False, True, False]


def test_reading_settings_writes_nothing(tmp_path: Path) -> None:
    Settings(data_dir=tmp_path / "data")

    assert list(tmp_path.iterdir()) == []


def test_a_key_is_made_once_and_kept_for_its_user_alone(tmp_path: Path) -> None:
    first = Settings(data_dir=tmp_path).secret_key
    again = Settings(data_dir=tmp_path).secret_key

    assert first.get_secret_value() == again.get_secret_value()
    assert len(first.get_secret_value()) >= 43
    kept = tmp_path / "secret_key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [kept], "no draft is left behind"


def test_all_that_start_together_get_the_same_key(tmp_path: Path) -> None:
    several = [Settings(data_dir=tmp_path) for _ in range(16)]
    with ThreadPoolExecutor(16) as threads:
        keys = list(threads.map(lambda settings: settings.secret_key, several))

    assert len({key.get_secret_value() for key in keys}) == 1


def test_a_data_directory_that_cannot_be_made_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SettingsError, match="ASSISTANT_DATA_DIR"):
        Settings(data_dir=tmp_path / "file" / "below").make_data_dir()


def test_the_data_directory_is_for_its_user_alone(tmp_path: Path) -> None:
    Settings(data_dir=tmp_path / "new").make_data_dir()

    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_what_has_no_effect_by_itself_is_doubted() -> None:
    doubts = load({"ASSISTANT_MODEL_NAME": "m", "ASSISTANT_TRUSTED_USER_HEADER": "x-user"}).doubts()

    assert ["MODEL_BASE_URL" in doubts[0], "TRUSTED_PROXIES" in doubts[1]] == [True, True]
    assert load({}).doubts() == []
