"""What happens when a handler fails for a reason of ours: it is logged, and the page keeps what it shows."""

import structlog
from reflex_base.event import EventSpec

_log = structlog.get_logger(__name__)


def logged(exception: Exception) -> EventSpec | None:
    """Log a handler's failure; the next restore brings the page back to the truth."""
    _log.error("a handler failed", exc_info=exception)
    return None
