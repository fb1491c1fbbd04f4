"""The only reader of the environment: every ``ASSISTANT_*`` variable, once, into one frozen object.

Names and defaults are those of DESIGN 3. ``load`` is the way in for programs; a test may also
write ``Settings(data_dir=..., beat_seconds=0.1)``, which never looks at the environment.
"""

import difflib
import ipaddress
import os
import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

PREFIX = "ASSISTANT_"
MEMORY = "memory://"
SECRET_KEY_LENGTH = 16

_ASYNC_DRIVERS = {
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
    "sqlite": "sqlite+aiosqlite",
}
_DRIVERS = frozenset(_ASYNC_DRIVERS.values())
_STREAM_SCHEMES = ("memory", "local", "redis", "rediss", "unix")


class SettingsError(Exception):
    """One or more variables cannot be used; ``problems`` maps each variable to what is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        lines = [f"  {name}: {problem}" for name, problem in self.problems.items()]
        super().__init__("\n".join(["These settings cannot be used:", *lines]))


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _database_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    driver = _ASYNC_DRIVERS.get(scheme, scheme)
    if not separator or driver not in _DRIVERS:
        raise ValueError("must begin with sqlite:// or postgresql://")
    return f"{driver}://{rest}"


def _redis_url(url: str) -> str:
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in _STREAM_SCHEMES:
        raise ValueError("must be memory:// or local://, or begin with redis://, rediss:// or unix://")
    return MEMORY if scheme == "memory" else url


def _http_url(url: str) -> str:
    if url and not url.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    return url.rstrip("/")


def _smtp_url(url: SecretStr) -> SecretStr:
    if url.get_secret_value() and not _is_mail_server(url.get_secret_value()):
        raise ValueError("must be smtp:// or smtps://[user:password@]host[:port][?from=address]")
    return url


def _is_mail_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        sender = parse_qs(parts.query).get("from", ["an@address"])[0]
        named = parts.scheme in ("smtp", "smtps") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its words may quote the password
        return False
    return named and re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", sender) is not None


def _origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must be origins such as https://chat.example.org, with commas between")
    return tuple(origin.rstrip("/").lower() for origin in origins)


def _networks(proxies: tuple[str, ...]) -> tuple[str, ...]:
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy, strict=False)
        except ValueError:
            raise ValueError(
                "must be addresses or networks such as 10.0.0.0/8, with commas between"
            ) from None
    return proxies


def _secret(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value()) < SECRET_KEY_LENGTH:
        raise ValueError(f"must have at least {SECRET_KEY_LENGTH} characters")
    return value


def _database_in(values: dict[str, Any]) -> str:
    return f"sqlite+aiosqlite:///{values['data_dir'] / 'assistant.db'}"


def _files_in(values: dict[str, Any]) -> str:
    return (values["data_dir"] / "files").as_uri()


Items = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Seconds = Annotated[float, Field(gt=0)]


class Settings(BaseSettings):
    """What the operator decided. Secrets stay out of its ``repr``."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    data_dir: Annotated[Path, AfterValidator(_absolute)] = Field(default=Path(".data"), validate_default=True)
    """Where an embedded process keeps its database, files, key and lock."""

    database_url: Annotated[str, AfterValidator(_database_url)] = Field(
        default_factory=_database_in, repr=False
    )
    """SQLAlchemy URL with an async driver; ``sqlite://`` and ``postgresql://`` are accepted."""

    redis_url: Annotated[str, AfterValidator(_redis_url)] = Field(default=MEMORY, repr=False)
    """Queue and streams. ``memory://`` keeps both inside the one process; ``local://`` starts or adopts
    a Valkey server of this machine in ``data_dir``."""

    files_url: str = Field(default_factory=_files_in, repr=False)
    """Attachments: a ``file://`` folder, or an S3-compatible bucket."""

    given_secret_key: Annotated[SecretStr, AfterValidator(_secret)] | None = Field(
        default=None, alias="secret_key"
    )
    """The key as the operator gave it; read ``secret_key`` instead."""

    model_base_url: Annotated[str, AfterValidator(_http_url)] = ""
    """An OpenAI-shaped endpoint. Empty: the demo provider answers."""

    model_api_key: SecretStr = SecretStr("")
    model_name: str = ""
    model_continues_prefix: bool = False
    """The provider goes on from an assistant message that is left unfinished."""

    trusted_user_header: str = ""
    """Header in which a trusted proxy names the user. Empty: owners are anonymous."""

    trusted_proxies: Annotated[Items, AfterValidator(_networks)] = ()
    """Addresses or networks whose forwarded headers are believed."""

    allowed_origins: Annotated[Items, AfterValidator(_origins)] = ()
    """Origins, beside the page's own, whose scripts may use the API and the socket."""

    smtp_url: Annotated[SecretStr, AfterValidator(_smtp_url)] = SecretStr("")
    """Where mails are handed in. Empty: into the folder ``outbox`` of ``data_dir``, one file a mail."""

    debug_tools: bool = False
    log_json: bool = False
    """JSON lines instead of text for a terminal."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)

    owner_tasks: int = Field(default=4, ge=1)
    """Running tasks an owner may have at the same time."""

    runner_slots: int = Field(default=100, ge=1)
    """Tasks that one process runs at the same time."""

    beat_seconds: Seconds = 1
    lost_after_beats: int = Field(default=4, ge=2)
    tool_timeout_seconds: Seconds = 60
    """For a tool that names no deadline of its own."""

    decision_ttl_seconds: Seconds = 86_400
    key_ttl_seconds: Seconds = 86_400
    log_ttl_seconds: Seconds = 3_600
    log_closed_ttl_seconds: Seconds = 600
    model_connect_timeout_seconds: Seconds = 10
    model_first_token_timeout_seconds: Seconds = 600
    model_between_tokens_timeout_seconds: Seconds = 600
    drain_seconds: float = Field(default=75, ge=0)

    def make_data_dir(self) -> None:
        """Make ``data_dir``, for its user alone; raises SettingsError when it cannot be made."""
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as refusal:
            problem = f"{self.data_dir} cannot be made: {refusal.strerror}"
            raise SettingsError({"ASSISTANT_DATA_DIR": problem}) from None

    def doubts(self) -> list[str]:
        """What is set and has no effect as long as something else is not."""
        doubts = []
        if self.model_name and not self.model_base_url:
            doubts.append(
                "ASSISTANT_MODEL_NAME is set, but without ASSISTANT_MODEL_BASE_URL the demo answers"
            )
        if self.trusted_user_header and not self.trusted_proxies:
            doubts.append("ASSISTANT_TRUSTED_USER_HEADER means nothing without ASSISTANT_TRUSTED_PROXIES")
        return doubts

    @property
    def embedded(self) -> bool:
        """Queue and streams live in this process, so it must be the only one."""
        return self.redis_url == MEMORY

    @property
    def demo_tools(self) -> bool:
        """Tools that are there to be watched only are offered to the demo, and where one debugs."""
        return self.debug_tools or not self.model_base_url

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @cached_property
    def secret_key(self) -> SecretStr:
        """The key that signs owner cookies: as given, else made once and kept in ``data_dir``.

        The first use writes ``<data_dir>/secret_key``, readable by its user alone. Processes that
        start together all get the same key.
        """
        return self.given_secret_key or SecretStr(_kept_key(self.data_dir / "secret_key"))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from ``environ`` (the process environment when None).

    A variable that is set but empty counts as absent. Raises ``SettingsError``, which names every
    variable that is wrong and never shows the value of any.
    """
    source = EnvSettingsSource(Settings)
    source.env_vars = _ours(environ)
    try:
        return Settings(**source())
    except ValidationError as refusal:
        raise SettingsError(_problems(refusal)) from None


def unknown(environ: Mapping[str, str] | None = None) -> list[str]:
    """Say for each ``ASSISTANT_*`` variable that means nothing here what it may have meant."""
    known = [name.removeprefix("given_") for name in Settings.model_fields]
    warnings = []
    for name in sorted(_ours(environ).keys() - set(known)):
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {_variable(near[0])}?" if near else ""
        warnings.append(f"{_variable(name)} is set, but there is no such setting{hint}")
    return warnings


def _ours(environ: Mapping[str, str] | None) -> dict[str, str | None]:
    given = os.environ if environ is None else environ
    return {
        name.removeprefix(PREFIX).lower(): value
        for name, value in given.items()
        if name.startswith(PREFIX) and value
    }


def _variable(field: str) -> str:
    return PREFIX + field.removeprefix("given_").upper()


def _problems(refusal: ValidationError) -> dict[str, str]:
    return {
        _variable(str(error["loc"][0])): error["msg"].removeprefix("Value error, ")
        for error in refusal.errors(include_url=False, include_input=False)
        # A default that could not be derived because DATA_DIR itself is wrong.
        if error["type"] != "default_factory_not_called"
    }


def _kept_key(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(48))
                file.flush()
                os.fsync(file.fileno())
            # A link, unlike a rename, never replaces the key of a process that was faster.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = path.read_text().strip()
    if not key:
        raise SettingsError({f"{PREFIX}SECRET_KEY": f"the file {path} is empty"})
    return key
