"""A server of our own: started once, adopted by everybody, ended on demand."""

import asyncio
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from assistant.domain.errors import NotReady
from assistant.domain.log import START
from assistant.streams.connection import connect, disconnect
from assistant.streams.local_server import ensure_valkey, local_url, stop_valkey
from assistant.streams.log import RedisLog

STARTER = """
import sys
from pathlib import Path
from assistant.streams.local_server import ensure_valkey
print(ensure_valkey(Path(sys.argv[1])))
"""


@pytest.fixture
def folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="valkey-") as name:
        yield Path(name)
        stop_valkey(Path(name))
        stop_valkey(Path(name) / "valkey")


async def test_a_second_start_adopts_the_first_with_all_that_it_holds(folder: Path) -> None:
    url = ensure_valkey(folder)
    client = connect(url)
    await RedisLog(client).fence("t", 1, 0)
    assert ensure_valkey(folder) == url
    assert len(await RedisLog(client).after("t", START)) == 1
    await disconnect(client)


def test_racing_processes_get_one_server_that_outlives_them(folder: Path) -> None:
    starters = [
        subprocess.Popen([sys.executable, "-c", STARTER, str(folder)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    urls = {starter.communicate(timeout=30)[0].strip() for starter in starters}
    assert urls == {f"unix://{folder}/valkey.sock"}
    assert (folder / "valkey.log").read_text().count("Ready to accept connections") == 1
    assert stop_valkey(folder)


async def test_what_was_written_is_there_after_an_end_and_a_new_start(folder: Path) -> None:
    client = connect(ensure_valkey(folder))
    await RedisLog(client).fence("t", 1, 0)
    assert await asyncio.to_thread(stop_valkey, folder)
    assert not await asyncio.to_thread(stop_valkey, folder)
    await asyncio.to_thread(ensure_valkey, folder)
    assert len(await RedisLog(client).after("t", START)) == 1
    await disconnect(client)


def test_only_the_owner_of_the_folder_may_connect(folder: Path) -> None:
    ensure_valkey(folder)
    mode = os.stat(folder / "valkey.sock").st_mode
    assert stat.S_IMODE(mode) == 0o700


def test_a_path_that_no_socket_can_have_is_refused_in_words(folder: Path) -> None:
    with pytest.raises(NotReady, match="DATA_DIR"):
        ensure_valkey(folder / ("long" * 30))


def test_local_names_a_server_in_the_data_folder_and_other_urls_stay(folder: Path) -> None:
    assert local_url("redis://there:1/0", folder) == "redis://there:1/0"
    assert local_url("local://", folder) == f"unix://{folder}/valkey/valkey.sock"
