"""``migrate``: bring the database to the newest schema, or say which schema it has."""

import time
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from assistant.commands.logs import log
from assistant.commands.one_at_a_time import one_at_a_time
from assistant.commands.refusals import CannotStart
from assistant.domain.errors import StoreUnavailable
from assistant.settings import Settings
from assistant.storage.databases import away_is_unavailable

ROOT = Path(__file__).parents[2]
TRY_AGAIN_SECONDS = 1.0


def run(settings: Settings) -> int:
    """Upgrade and say so; CannotStart when the database is away."""
    try:
        upgrade(settings)
    except StoreUnavailable as error:
        raise CannotStart(error.message) from None
    print(f"The database is at revision {newest_revision(settings)}.")
    return 0


def upgrade(settings: Settings) -> None:
    """Apply every migration that the database does not have. Call it outside an event loop.

    Processes of one machine that start together do so one after the other. Raises StoreUnavailable.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(settings.data_dir / "migrate.lock"), away_is_unavailable():
        command.upgrade(_config(settings), "head")


def upgrade_patiently(settings: Settings) -> None:
    """`upgrade`, tried again until the database answers: a start must not fail because a database that
    starts beside it is slower (Case B147)."""
    told = False
    while True:
        try:
            upgrade(settings)
        except StoreUnavailable as error:
            if not told:
                log.warning("waiting for the database", error=error.message)
            told = True
            time.sleep(TRY_AGAIN_SECONDS)
        else:
            return


def newest_revision(settings: Settings) -> str | None:
    """Return the revision that this version of the code needs."""
    return ScriptDirectory.from_config(_config(settings)).get_current_head()


def _config(settings: Settings) -> Config:
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic").replace("%", "%%"))
    config.attributes["url"] = settings.database_url
    return config
