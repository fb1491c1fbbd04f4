"""``dev``: Reflex's own two-port server with hot reload, and the debug panel."""

import os
import sys

from assistant.commands import frontend, migrate
from assistant.engine import solitary
from assistant.settings import Settings


def run(settings: Settings) -> int:
    """Migrate, then become ``reflex run``. There is no handover: a stop counts as a kill.

    Raises ``NotAlone`` when another process has the data directory.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    # Said before the front end starts, which would go on without a back end.
    with solitary.hold(settings.data_dir, alone=settings.embedded):
        migrate.upgrade(settings)
    os.chdir(frontend.ROOT)
    environment = frontend.build_environment()
    environment.setdefault("ASSISTANT_DEBUG_TOOLS", "1")
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-m", "reflex", "run"], environment)
