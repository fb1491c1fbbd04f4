"""What a setting may be: each type checks and spells its value; an error never shows the value itself."""

import ipaddress
import os
import re
import secrets
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import NoDecode

MEMORY = "memory://"
SECRET_KEY_LENGTH = 16

_ASYNC_DRIVERS = {
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
    "sqlite": "sqlite+aiosqlite",
}
_DRIVERS = frozenset(_ASYNC_DRIVERS.values())
_STREAM_SCHEMES = ("memory", "local", "redis", "rediss", "unix")


def kept_key(path: Path) -> str:
    """The key in this file, made at its first use for its user alone; ValueError when the file is empty.

    Processes that start together all get the same key.
    """
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
        raise ValueError(f"the file {path} is empty")
    return key


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


def _hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    for host in hosts:
        if "/" in host or "*" in host or urlsplit(f"//{host}").port is not None:
            raise ValueError("must be names such as chat.example.org, without ports, with commas between")
    return tuple(host.strip("[]").lower() for host in hosts)


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


def database_in(values: dict[str, Any]) -> str:
    return f"sqlite+aiosqlite:///{values['data_dir'] / 'assistant.db'}"


def files_in(values: dict[str, Any]) -> str:
    return (values["data_dir"] / "files").as_uri()


def _models(endpoints: "tuple[ModelEndpoint, ...]") -> "tuple[ModelEndpoint, ...]":
    names = [name for endpoint in endpoints for name in endpoint.models]
    if len(set(names)) < len(names):
        raise ValueError("name each model at one endpoint only")
    return endpoints


Seconds = Annotated[float, Field(gt=0)]
AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
DatabaseUrl = Annotated[str, AfterValidator(_database_url)]
RedisUrl = Annotated[str, AfterValidator(_redis_url)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
MailUrl = Annotated[SecretStr, AfterValidator(_smtp_url)]
SecretKey = Annotated[SecretStr, AfterValidator(_secret)]
Items = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Origins = Annotated[Items, AfterValidator(_origins)]
Hosts = Annotated[Items, AfterValidator(_hosts)]
Networks = Annotated[Items, AfterValidator(_networks)]


class ModelEndpoint(BaseModel):
    """One more OpenAI-shaped endpoint, with the models that it serves."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: Annotated[HttpUrl, Field(min_length=1)]
    models: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]
    api_key: SecretStr = SecretStr("")
    continues_prefix: bool = False
    context_tokens: Annotated[int, Field(ge=2_048)] | None = None


Endpoints = Annotated[tuple[ModelEndpoint, ...], AfterValidator(_models)]
