"""Codes: what a person reads and writes, and nothing else."""

from collections.abc import Callable

import pytest

from assistant.domain.device_link import ALPHABET, CODE_CHARACTERS, new_code, read, shown


def test_a_code_has_forty_bits_of_letters_that_nobody_mistakes() -> None:
    assert len(set(ALPHABET)) ** CODE_CHARACTERS >= 2**40
    assert not set("01IO") & set(ALPHABET)
    codes = {new_code() for _ in range(1_000)}
    assert len(codes) == 1_000
    assert {len(code) for code in codes} == {CODE_CHARACTERS}
    assert set("".join(codes)) == set(ALPHABET)


@pytest.mark.parametrize("write", [str, shown, str.lower, lambda code: f" {code[:3]} {code[3:]}\n"])
def test_a_code_is_read_however_it_is_written(write: Callable[[str], str]) -> None:
    code = new_code()
    assert read(write(code)) == code


@pytest.mark.parametrize("given", ["", "K7QM", "K7QM-2XH0", "K7QM_2XHP", "Ⅷ7QM2XHP", "K" * 1_000])
def test_what_cannot_be_one_is_none(given: str) -> None:
    assert read(given) is None
