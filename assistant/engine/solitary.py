"""Who may share a data directory: one embedded process alone, or any number that share a queue."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

LOCK_NAME = "process.lock"


class NotAlone(Exception):
    """Another process already works embedded on this data directory."""


@contextmanager
def hold(data_dir: Path, *, alone: bool) -> Generator[None]:
    """Hold ``data_dir`` for this process until the block ends or the process dies.

    ``alone`` is for an embedded process, which keeps queue and streams to itself; others hold it
    together. The kernel releases the lock with the last descriptor, so a killed process leaves
    nothing behind, and whoever gets it alone knows that no other process runs. The descriptor is not
    inherited by programs that this process starts. Raises ``NotAlone`` when another process is in
    the way. DESIGN 9, "Lost".
    """
    descriptor = os.open(data_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotAlone(_refusal(data_dir, _holder(descriptor), alone=alone)) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    pid = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
    return f" (process {pid})" if pid else ""


def _refusal(data_dir: Path, holder: str, *, alone: bool) -> str:
    if not alone:
        return (
            f"another process{holder} works alone on {data_dir}, with ASSISTANT_REDIS_URL=memory://. "
            "Stop it, or choose another ASSISTANT_DATA_DIR"
        )
    return (
        f"another process{holder} already runs on {data_dir}. With ASSISTANT_REDIS_URL=memory:// "
        "there can be only one: stop it, choose another ASSISTANT_DATA_DIR, or give all of them "
        "a Redis or Valkey server in ASSISTANT_REDIS_URL"
    )
