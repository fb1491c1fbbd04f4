"""Times and ids: UTC with milliseconds, and UUIDv7 minted in order within a process (DESIGN 4)."""

import os
import threading
import time
import uuid
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock; its ids rise within one process even when the clock goes back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def now(self) -> datetime:
        """UTC with milliseconds."""
        now = datetime.now(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def id(self) -> str:
        """A UUIDv7 (RFC 9562): 48 bits of milliseconds, then 12 + 62 bits, random but for their order."""
        with self._lock:
            tick = time.time_ns() // 1_000_000 << 12 | int.from_bytes(os.urandom(2)) & 0x3FF
            self._last = tick = max(tick, self._last + 1)
        high = (tick >> 12) << 16 | 0x7 << 12 | tick & 0xFFF
        low = 0b10 << 62 | int.from_bytes(os.urandom(8)) & (1 << 62) - 1
        return str(uuid.UUID(int=high << 64 | low))
