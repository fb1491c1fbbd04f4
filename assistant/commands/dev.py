"""``dev``: Reflex's own two-port server with hot reload, and the debug panel."""

import os
import sys

from assistant.commands import frontend, migrate
from assistant.settings import Settings


def run(settings: Settings) -> int:
    """Migrate, then become ``reflex run``. There is no handover: a stop counts as a kill."""
    migrate.upgrade(settings)
    os.chdir(frontend.ROOT)
    environment = frontend.build_environment()
    environment.setdefault("ASSISTANT_DEBUG_TOOLS", "1")
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-m", "reflex", "run"], environment)
