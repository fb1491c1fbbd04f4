"""Tokens of shares: the same every time, made up by nobody, and read by the secret that made them alone."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from assistant.services.share_tokens import TOKEN_CHARACTERS, ShareTokens

TOKENS = ShareTokens(lambda: "0123456789abcdef")
SHARE = "01932f5a-0000-7000-8000-000000000001"
TOKEN = TOKENS.token(SHARE)


def test_a_token_is_the_same_every_time_and_names_its_share() -> None:
    assert TOKENS.token(SHARE) == TOKEN
    assert TOKENS.share_id(TOKEN) == SHARE
    assert len(TOKEN) == TOKEN_CHARACTERS
    assert TOKEN.replace("-", "").replace("_", "").isalnum()


def test_another_secret_neither_makes_nor_reads_it() -> None:
    others = ShareTokens(lambda: "fedcba9876543210")
    assert others.token(SHARE) != TOKEN
    assert others.share_id(TOKEN) != SHARE


def test_two_shares_have_nothing_in_common_that_could_be_guessed() -> None:
    other = TOKENS.token("01932f5a-0000-7000-8000-000000000002")
    assert other[22:] != TOKEN[22:]


@given(at=st.integers(0, TOKEN_CHARACTERS - 1), instead=st.characters())
def test_a_token_with_one_character_changed_names_no_share(at: int, instead: str) -> None:
    forged = TOKEN[:at] + instead + TOKEN[at + 1 :]
    assert (TOKENS.share_id(forged) == SHARE) is (forged == TOKEN)


@given(st.text(max_size=60) | st.binary(min_size=36, max_size=36).map(lambda raw: raw.hex()[:48]))
def test_what_is_no_token_names_an_id_that_no_share_has(text: str) -> None:
    assert TOKENS.share_id(text) == str(uuid.UUID(int=0))
