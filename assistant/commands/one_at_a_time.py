"""A block that processes of one machine enter one after the other."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def one_at_a_time(file: Path) -> Generator[None]:
    """Wait until no other process is in a block on ``file``, which is made when absent.

    A process that dies inside leaves the block.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
