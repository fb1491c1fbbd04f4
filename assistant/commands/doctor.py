"""``doctor``: what is configured, what can be reached, and what is missing."""

import asyncio
import platform

from pydantic import SecretStr

from assistant import bootstrap
from assistant.commands import frontend, migrate
from assistant.commands.logs import without_secrets
from assistant.settings import PREFIX, Settings

Finding = tuple[str, bool, str]


def run(settings: Settings) -> int:
    """Print the settings and every finding; return 1 when one of them is bad."""
    print(f"python {platform.python_version()}")
    for name, value in shown(settings).items():
        print(f"  {name} = {value}")
    findings = [_page_built(), _newest_revision(settings)]
    findings += asyncio.run(bootstrap.examine(settings))
    for subject, good, words in findings:
        print(f"{'ok  ' if good else 'FAIL'} {subject}: {words}")
    return 0 if all(good for _, good, _ in findings) else 1


def shown(settings: Settings) -> dict[str, str]:
    """Return every setting by the name of its variable, secrets and passwords masked."""
    return {
        PREFIX + name.removeprefix("given_").upper(): _masked(getattr(settings, name))
        for name in type(settings).model_fields
    }


def _masked(value: object) -> str:
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    if value is None or value in ("", ()):
        return "not set"
    return without_secrets(None, "", {"value": str(value)})["value"]


def _page_built() -> Finding:
    if frontend.is_fresh():
        return ("page", True, "built")
    return ("page", True, "not built from the present sources; `serve` builds it")


def _newest_revision(settings: Settings) -> Finding:
    revision = migrate.newest_revision(settings)
    return ("migrations", revision is not None, f"this version needs revision {revision}")
