"""How a process is told to stop, and that it is gone in time whatever happens."""

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Asked:
    """The wish to stop, from outside: the first signal asks, a second one ends the process."""

    def __init__(self) -> None:
        """Take over the signals. Call it in the main thread, inside the event loop."""
        self._asked = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._first, number)

    async def to_stop(self) -> None:
        """Return when somebody asked."""
        await self._asked.wait()

    def now(self) -> None:
        """Ask from inside the process."""
        self._asked.set()

    def _first(self, number: int) -> None:
        loop = asyncio.get_running_loop()
        for each in SIGNALS:
            # Not through the loop: it may be busy or stuck when the second signal comes.
            loop.remove_signal_handler(each)
            signal.signal(each, lambda received, _: leave(128 + received))
        self._asked.set()


def leave_within(seconds: float, code: int = 0) -> None:
    """End the process with ``code`` after ``seconds``, should it still be there."""
    deadline = threading.Timer(seconds, leave, (code,))
    deadline.daemon = True
    deadline.start()


def leave(code: int = 0) -> NoReturn:
    """End the process now: open sockets and the threads of libraries do not hold it."""
    for stream in (sys.stdout, sys.stderr):
        # A signal may come in the midst of a write, which then cannot be flushed; or nobody reads any more.
        with suppress(RuntimeError, ValueError, OSError):
            stream.flush()
    os._exit(code)
