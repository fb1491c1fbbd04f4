"""A process that is told to stop is gone in time, also when something in it hangs."""

import signal
import subprocess
import sys

import pytest

from tests.support.app_under_test import ROOT

HANGS_WHEN_ASKED = """
import asyncio
from assistant.commands.going_down import Asked, leave_within

async def main():
    asked = Asked()
    print("ready", flush=True)
    await asked.to_stop()
    leave_within({seconds})
    print("asked", flush=True)
    while True:
        pass

asyncio.run(main())
"""


def hanging(seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HANGS_WHEN_ASKED.format(seconds=seconds)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_process_whose_loop_hangs_leaves_at_its_deadline() -> None:
    with hanging(seconds=0.2) as process:
        process.send_signal(signal.SIGTERM)

        assert process.wait(5) == 0


@pytest.mark.parametrize(
    "refusal", ["RuntimeError('reentrant')", "ValueError('closed')", "BrokenPipeError()"]
)
def test_a_process_whose_output_cannot_be_flushed_leaves_all_the_same(refusal: str) -> None:
    """As in a signal that comes in the midst of a write."""
    script = f"""
import sys
from assistant.commands.going_down import leave

class Stuck:
    def flush(self):
        raise {refusal}

sys.stdout = Stuck()
leave(7)
"""
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=10).returncode == 7


def test_a_second_signal_ends_a_process_whose_loop_hangs_at_once() -> None:
    with hanging(seconds=60) as process:
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"

        process.send_signal(signal.SIGINT)

        assert process.wait(5) == 128 + signal.SIGINT
