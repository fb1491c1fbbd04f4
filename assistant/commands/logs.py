"""Logs: lines to read on a terminal, JSON lines for a collector, never a secret."""

import logging
import re
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

log: Any = structlog.get_logger("assistant")

MASK = "***"

_SECRET_NAMES = ("secret", "api_key", "apikey", "password", "authorization", "cookie", "token")
_URL_PASSWORD = re.compile(r"(?<=://)([^/\s:@]*):[^/\s@]+(?=@)")


def configure(*, as_json: bool) -> None:
    """Send structlog's and the standard library's records to standard error in one form."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
        structlog.processors.StackInfoRenderer(),
    ]
    last: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if as_json:
        last += [structlog.processors.format_exc_info, without_secrets]
        last += [structlog.processors.JSONRenderer()]
    else:
        last += [without_secrets]
        # The renderer's own tracebacks would show local variables: what people wrote, and keys.
        plain = structlog.dev.plain_traceback
        last += [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]

    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=last, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("assistant").setLevel(logging.INFO)


def without_secrets(logger: Any, method: str, event: EventDict) -> EventDict:
    """Mask values whose name sounds secret, and passwords inside URLs (a structlog processor)."""
    for name, value in event.items():
        if any(part in name.lower() for part in _SECRET_NAMES):
            event[name] = MASK
        elif isinstance(value, str):
            event[name] = _URL_PASSWORD.sub(rf"\1:{MASK}", value)
    return event
