"""What routes ask of a request: ids that cannot be ids never reach the store."""

import pytest

from assistant.api.asked import known
from assistant.domain.errors import NotFound


@pytest.mark.parametrize("id", ["", "x" * 65, "a\0", "a\n", "é", "😀", "\x7f"])
def test_what_cannot_be_an_id_is_simply_not_found(id: str) -> None:
    with pytest.raises(NotFound) as refused:
        known(id)

    assert refused.value.message == NotFound().message


@pytest.mark.parametrize("id", ["x", "x" * 64, "01932f5a-0000-7000-8000-000000000001", "any thing/at all"])
def test_any_other_id_is_taken_as_it_is(id: str) -> None:
    assert known(id) == id
