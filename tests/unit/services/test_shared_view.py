"""What readers of a share see of a call: with its arguments or without, never who decided, nor where."""

from dataclasses import replace

import pytest

from assistant.domain.tool_call import Decision
from assistant.services.shared_view import task_as_shared
from tests.contract.storage.seeding import a_call, a_task, at

PRIVATE = ("ada", "owner-1", "Firefox on Android", "5eed")


@pytest.mark.parametrize("with_arguments", [False, True])
def test_who_decided_and_where_stays_the_owners_own(with_arguments: bool) -> None:
    decided = replace(
        a_call("call-1", arguments_hash="5eed"),
        decision=Decision.APPROVE,
        decided_by="ada",
        decided_on="Firefox on Android",
        decided_at=at(1),
        result="It is sent.",
    )
    task = a_task(worker="worker-1", tool_calls=(decided,))

    shared = task_as_shared(task, with_arguments=with_arguments)

    (call,) = shared.tool_calls
    assert not [private for private in PRIVATE if private in repr(shared)]
    assert (call.arguments, call.result) == (
        (decided.arguments, decided.result) if with_arguments else ("", None)
    )
    assert shared.worker is None
