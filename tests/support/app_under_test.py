"""The app, unmodified, as a process of its own, so that a test can kill, freeze and restart it.

    with AppUnderTest({"ASSISTANT_MODEL_BASE_URL": llm.url}) as app:
        httpx.get(f"{app.url}/api/owner")
        app.kill()
        app.restart()

The calls block. In an async test whose own loop must go on answering meanwhile, write
``await asyncio.to_thread(app.restart)``.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import httpx

from tests.support.eventually import eventually_sync
from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]

START_SECONDS = 120.0
"""The first start in a checkout also builds the page."""

EXIT_SECONDS = 10.0

UNLIMITED = (
    "ASSISTANT_SENDS_PER_MINUTE",
    "ASSISTANT_CHANGES_PER_MINUTE",
    "ASSISTANT_ADDRESS_CHANGES_PER_MINUTE",
    "ASSISTANT_OWNERS_PER_MINUTE",
    "ASSISTANT_OWNER_STREAMS",
)


class ProcessUnderTest:
    """``python -m assistant <arguments>`` in a process group of its own, its output in a file."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str], log: Path) -> None:
        self.arguments = arguments
        self.environment = environment
        self.log_file = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        return self._started().pid

    @property
    def log(self) -> str:
        """All output so far, of every start."""
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process without waiting until it is ready."""
        assert not self.running, "already running"
        with self.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "assistant", *self.arguments],
                cwd=ROOT,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self, within: float = EXIT_SECONDS) -> int:
        """Return the exit code, negative for the signal that ended it."""
        return self._started().wait(timeout=within)

    def kill(self) -> None:
        """End it with SIGKILL: nothing of ours runs any more, not even a finally."""
        self._signal(signal.SIGKILL)
        self.wait()

    def terminate(self, within: float = EXIT_SECONDS) -> int:
        """Ask it to stop with SIGTERM and return its exit code."""
        self._signal(signal.SIGTERM)
        return self.wait(within)

    def stop_signal(self) -> None:
        """Freeze it with SIGSTOP: it holds its connections, and answers nobody."""
        self._signal(signal.SIGSTOP)

    def continue_signal(self) -> None:
        """Let it go on after ``stop_signal``."""
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        """End it, frozen or not, and print its output, which pytest shows for a failed test."""
        if self.running:
            self.kill()
        if self._process is not None:
            print(f"--- output of {' '.join(self.arguments)} ---\n{self.log}")

    def _signal(self, number: signal.Signals) -> None:
        os.killpg(self.pid, number)

    def _started(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "not started"
        return self._process

    def _must_run(self) -> None:
        if not self.running:
            raise RuntimeError(f"exited with {self.wait()} before it was ready:\n{self.log}")


class WorkerUnderTest(ProcessUnderTest):
    """``python -m assistant worker``."""

    def start(self) -> None:
        """Start it and wait until it says that it works."""
        already = self.log.count("working")
        super().start()
        eventually_sync(lambda: self._says_working(already), within=START_SECONDS)

    def restart(self) -> None:
        """Start it again after it ended."""
        self.start()

    def _says_working(self, already: int) -> bool:
        self._must_run()
        return self.log.count("working") > already


class AppUnderTest(ProcessUnderTest):
    """``python -m assistant serve`` on a free port, with a data directory of its own."""

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        port: int | None = None,
        data_dir: Path | None = None,
    ) -> None:
        """Prepare, but start nothing. ``environment`` adds to and wins over what is set here."""
        self._folder = tempfile.TemporaryDirectory(prefix="assistant-test-")
        self.data_dir = data_dir or Path(self._folder.name, "data")
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._workers: list[WorkerUnderTest] = []
        super().__init__(
            ["serve", "--port", str(self.port)],
            _environment(self.data_dir, environment or {}),
            Path(self._folder.name, "serve.log"),
        )

    def start(self) -> None:
        """Start it and wait until ``/health`` says that it is ready."""
        super().start()
        eventually_sync(self._is_healthy, within=START_SECONDS)

    def restart(self) -> None:
        """Start it again on the same port and data; one that still runs is killed first."""
        if self.running:
            self.kill()
        self.start()

    def worker(self) -> WorkerUnderTest:
        """Start a worker beside it with the same environment, and wait until it works."""
        log = Path(self._folder.name, f"worker-{len(self._workers)}.log")
        worker = WorkerUnderTest(["worker"], self.environment, log)
        self._workers.append(worker)
        worker.start()
        return worker

    def close(self) -> None:
        """End it and its workers, and remove its data."""
        try:
            for each in self._workers:
                each.close()
            super().close()
        finally:
            self._folder.cleanup()

    def __enter__(self) -> "AppUnderTest":
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _is_healthy(self) -> bool:
        self._must_run()
        try:
            # Asked again and again: to read the certificates for each question would keep a core busy.
            return httpx.get(f"{self.url}/health", timeout=2, verify=False).status_code == 200
        except httpx.TransportError:
            return False


def _environment(data_dir: Path, more: Mapping[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
    return {
        **inherited,
        "PYTHONUNBUFFERED": "1",
        "ASSISTANT_DATA_DIR": str(data_dir),
        # Tests do in seconds, from one address, what many people do in minutes.
        **dict.fromkeys(UNLIMITED, "0"),
        # Tests count what a provider is asked; those of titles and summaries say otherwise.
        "ASSISTANT_MODEL_TITLES": "false",
        "ASSISTANT_MODEL_CONTEXT_TOKENS": "1000000",
        **more,
    }
