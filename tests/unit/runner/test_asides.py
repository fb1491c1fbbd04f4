"""What a model says aside is cut where it is too long, in whatever pieces it comes."""

from collections.abc import AsyncGenerator

import pytest

from assistant.domain.models import Delta, Finished, ModelRequest, Purpose
from assistant.runner.asides import asked_aside
from tests.support.local_provider import DONE, LocalProvider, said

MOST = 10


@pytest.mark.parametrize(("piece", "fit"), [("a", 30), ("ab", 15), ("", 1_000), ("你", 10), ("👩", 5)])
async def test_an_endless_text_is_left_once_it_is_too_long_however_short_its_pieces(
    piece: str, fit: int
) -> None:
    told: list[str] = []

    async def play(request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        for _ in range(1_000):
            told.append(piece)
            yield said(piece)
        yield DONE

    text = await asked_aside(
        LocalProvider(play), Purpose.SUMMARY, "Condense.", "?", model=None, seconds=60, most_tokens=MOST
    )
    assert text == (piece * fit).strip()
    assert len(told) == min(fit + 1, 1_000)
