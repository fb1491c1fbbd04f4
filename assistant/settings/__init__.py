"""The only reader of the environment: every ``ASSISTANT_*`` variable, once, into one frozen object.

Names and defaults are those of DESIGN 3. ``load`` is the way in for programs; a test may also
write ``Settings(data_dir=..., beat_seconds=0.1)``, which never looks at the environment.
"""

import difflib
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.exceptions import SettingsError as UnreadableSetting

from assistant.settings.values import (
    MEMORY,
    AbsolutePath,
    DatabaseUrl,
    Endpoints,
    Hosts,
    HttpUrl,
    MailUrl,
    Networks,
    Origins,
    RedisUrl,
    Seconds,
    SecretKey,
    database_in,
    files_in,
    kept_key,
)

PREFIX = "ASSISTANT_"


class SettingsError(Exception):
    """One or more variables cannot be used; ``problems`` maps each variable to what is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        lines = [f"  {name}: {problem}" for name, problem in self.problems.items()]
        super().__init__("\n".join(["These settings cannot be used:", *lines]))


class Settings(BaseSettings):
    """What the operator decided. Secrets stay out of its ``repr``."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    data_dir: AbsolutePath = Field(default=Path(".data"), validate_default=True)
    """Where an embedded process keeps its database, files, key and lock."""

    database_url: DatabaseUrl = Field(default_factory=database_in, repr=False)
    """SQLAlchemy URL with an async driver; ``sqlite://`` and ``postgresql://`` are accepted."""

    redis_url: RedisUrl = Field(default=MEMORY, repr=False)
    """Queue and streams. ``memory://`` keeps both inside the one process; ``local://`` starts or adopts
    a Valkey server of this machine in ``data_dir``."""

    files_url: str = Field(default_factory=files_in, repr=False)
    """Attachments: a ``file://`` folder, or an S3-compatible bucket."""

    given_secret_key: SecretKey | None = Field(default=None, alias="secret_key")
    """The key as the operator gave it; read ``secret_key`` instead."""

    model_base_url: HttpUrl = ""
    """An OpenAI-shaped endpoint. Empty: the demo provider answers."""

    model_api_key: SecretStr = SecretStr("")
    model_name: str = ""
    model_continues_prefix: bool = False
    """The provider goes on from an assistant message that is left unfinished."""

    model_endpoints: Endpoints = ()
    """More endpoints, as a JSON list of `{base_url, models, api_key?, continues_prefix?, context_tokens?}`.
    The default model is the first at ``model_base_url``, or the first of these where that is empty."""

    model_context_tokens: int | None = Field(default=None, ge=2_048)
    """How many tokens a model reads and writes at once: what is older is summarised so that the rest fits. An
    endpoint of ``model_endpoints`` may say otherwise. None: nobody knows, and the model is believed."""

    model_titles: bool = True
    """Whether a model is asked, once a session, for a title in place of the first line."""

    trusted_user_header: str = ""
    """Header in which a trusted proxy names the user. Empty: owners are anonymous."""

    trusted_proxies: Networks = ()
    """Addresses or networks whose forwarded headers are believed."""

    allowed_origins: Origins = ()
    """Origins, beside the page's own, whose scripts may use the API and the socket."""

    allowed_hosts: Hosts = ()
    """Names under which the server answers, without ports. Empty: under any, as a proxy hands them on."""

    smtp_url: MailUrl = SecretStr("")
    """Where mails are handed in. Empty: into the folder ``outbox`` of ``data_dir``, one file a mail."""

    debug_tools: bool = False
    log_json: bool = False
    """JSON lines instead of text for a terminal."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)

    owner_tasks: int = Field(default=4, ge=1)
    """Running tasks an owner may have at the same time."""

    sends_per_minute: int = Field(default=60, ge=0)
    """What an owner may ask a model for: messages, retries and the like. 0 is no limit, for all of these."""

    changes_per_minute: int = Field(default=600, ge=0)
    """Whatever else an owner may change."""

    address_changes_per_minute: int = Field(default=1_200, ge=0)
    """Both together, and what needs no owner, of one address."""

    owners_per_minute: int = Field(default=120, ge=0)
    """New anonymous owners of one address."""

    owner_streams: int = Field(default=32, ge=0)
    """Streams that an owner may read in one process at the same time."""

    runner_slots: int = Field(default=100, ge=1)
    """Tasks that one process runs at the same time."""

    beat_seconds: Seconds = 1
    lost_after_beats: int = Field(default=4, ge=2)
    tool_timeout_seconds: Seconds = 60
    """For a tool that names no deadline of its own."""

    max_steps: int = Field(default=25, ge=1)
    """Model steps of an answer between two decisions; calls come between them."""

    max_answer_seconds: Seconds = 3_600
    """How long an answer may be worked on; waiting for a decision is not counted."""

    model_tools: bool = True
    """Whether the model is offered the tools; false for a server that refuses to be told of any."""

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
        return self.debug_tools or not self.has_model

    @property
    def has_model(self) -> bool:
        """Without any, the demo answers."""
        return bool(self.model_base_url or self.model_endpoints)

    @property
    def makes_titles(self) -> bool:
        """The demo is asked for none: it knows a few answers by heart."""
        return self.model_titles and self.has_model

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @cached_property
    def secret_key(self) -> SecretStr:
        """The key that signs owner cookies: as given, else made once and kept in ``data_dir``.

        The first use writes ``<data_dir>/secret_key``, readable by its user alone. Processes that
        start together all get the same key.
        """
        if self.given_secret_key is not None:
            return self.given_secret_key
        try:
            return SecretStr(kept_key(self.data_dir / "secret_key"))
        except ValueError as empty:
            raise SettingsError({f"{PREFIX}SECRET_KEY": str(empty)}) from None

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
    except UnreadableSetting as unreadable:
        raise SettingsError({_variable(_field_of(unreadable)): "must be JSON"}) from None
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


def _field_of(unreadable: UnreadableSetting) -> str:
    """Its words name the field in quotes, and show no value."""
    return str(unreadable).split('"')[1]


def _problems(refusal: ValidationError) -> dict[str, str]:
    return {
        _variable(str(error["loc"][0])): error["msg"].removeprefix("Value error, ")
        for error in refusal.errors(include_url=False, include_input=False)
        # A default that could not be derived because DATA_DIR itself is wrong.
        if error["type"] != "default_factory_not_called"
    }
