"""What counts as a send, and how many streams an owner may read."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from assistant.api import build_api
from assistant.api.rates import SENDS, StreamsOfOwners
from assistant.bootstrap import Held
from assistant.domain.errors import RateLimited
from assistant.settings import Settings


def test_every_send_is_a_route_that_there_is() -> None:
    api = build_api(Held(), Settings(data_dir=Path("unused"), secret_key="0123456789abcdef"))
    assert set(api.openapi()["paths"]) >= SENDS


def test_an_owner_reads_so_many_streams_and_another_one_when_one_ends() -> None:
    streams = StreamsOfOwners(2)
    with streams.one_more("ada"):
        with streams.one_more("ada"):
            with pytest.raises(RateLimited), streams.one_more("ada"):
                pass
            with streams.one_more("bob"):
                pass
        with streams.one_more("ada"):
            pass


def test_nought_is_any_number_of_streams() -> None:
    streams = StreamsOfOwners(0)
    with ExitStack() as many:
        for _ in range(100):
            many.enter_context(streams.one_more("ada"))
