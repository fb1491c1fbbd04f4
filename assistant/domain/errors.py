"""Every way in which the product says no, as one tree.

    AssistantError
    ├── Refused                      misuse by a caller: the request is answered, nothing changed
    │   ├── InvalidInput             invalid_input
    │   ├── OwnerMissing             owner_missing
    │   ├── NotFound                 not_found
    │   ├── SessionBusy              session_busy
    │   ├── QueueFull                queue_full
    │   ├── NothingQueued            nothing_queued
    │   ├── TaskClosed               task_closed
    │   ├── NotRetryable             not_retryable
    │   ├── AlreadyDecided           already_decided
    │   ├── ArgumentsMismatch        arguments_mismatch
    │   ├── NotUndecided             not_undecided
    │   ├── OutcomeKnown             outcome_known
    │   ├── AlreadySettled           already_settled
    │   ├── KeyMissing               idempotency_key_missing
    │   ├── KeyReused                idempotency_key_reused
    │   ├── RequestWithdrawn         request_withdrawn
    │   ├── RequestAccepted          request_accepted
    │   ├── RequestEdited            request_edited
    │   ├── OwnerNamed               owner_named
    │   ├── CodeUnknown              code_unknown
    │   ├── AlreadyLinked            already_linked
    │   ├── ChoiceNeeded             choice_needed
    │   ├── TooManyTries             too_many_tries
    │   └── RateLimited              rate_limited
    ├── Unavailable                  failure of the world: the same request may succeed later
    │   ├── NotReady                 not_ready
    │   ├── StoreUnavailable         store_unavailable
    │   └── LogUnavailable           log_unavailable
    ├── Fenced                       a newer attempt owns the task: stop at once, write nothing
    └── ProviderFailed               the model step failed: stored with the task, told in words

A failing tool is not in this tree: it is a result, told to the model.
"""

from typing import Any


class AssistantError(Exception):
    """Root of all errors that this product raises on purpose."""

    code = "internal"

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message or self.__class__.__doc__ or self.code)
        self.message = str(self)
        self.details = details


class Refused(AssistantError):
    """The request cannot be carried out as it stands; nothing was changed by it."""

    code = "refused"


class InvalidInput(Refused):
    """The input breaks a rule that the message names; where a page has words for it, `rule` names it too."""

    code = "invalid_input"


class OwnerMissing(Refused):
    """The call carries no owner; open the page or GET /api/owner first."""

    code = "owner_missing"


class NotFound(Refused):
    """There is nothing here that you may see."""

    code = "not_found"


class SessionBusy(Refused):
    """The session already has an unfinished answer; wait for it or stop it."""

    code = "session_busy"


class QueueFull(Refused):
    """No more messages can wait in this session; wait for an answer, or remove one of them."""

    code = "queue_full"


class NothingQueued(Refused):
    """No message waits in this session."""

    code = "nothing_queued"


class TaskClosed(Refused):
    """The task has ended; what you asked for can no longer change it."""

    code = "task_closed"


class NotRetryable(Refused):
    """This answer cannot be tried again or continued as it stands."""

    code = "not_retryable"


class AlreadyDecided(Refused):
    """The tool call was already decided; the answer says what, when and by whom."""

    code = "already_decided"


class ArgumentsMismatch(Refused):
    """The call has other arguments than those that were decided upon; look at it again."""

    code = "arguments_mismatch"


class NotUndecided(Refused):
    """The tool call waits for no decision; `state` and `reason` say what became of it."""

    code = "not_undecided"


class OutcomeKnown(Refused):
    """It is known what became of this tool call; nothing has to be said about it."""

    code = "outcome_known"


class AlreadySettled(Refused):
    """Somebody has marked this call as done or run it again already; `task_id` says where it went on."""

    code = "already_settled"


class KeyMissing(Refused):
    """This call needs an Idempotency-Key header, minted by the client for this wish."""

    code = "idempotency_key_missing"


class KeyReused(Refused):
    """The key was used for a different request; mint a new key for a new wish."""

    code = "idempotency_key_reused"


class RequestWithdrawn(Refused):
    """The request was withdrawn under this key and will never be carried out."""

    code = "request_withdrawn"


class RequestAccepted(Refused):
    """The request was already accepted and cannot be changed any more; `result` says what came of it."""

    code = "request_accepted"


class RequestEdited(Refused):
    """The queued message was edited elsewhere meanwhile; `text` is what waits now."""

    code = "request_edited"


class OwnerNamed(Refused):
    """You are known here by your name; sign in with it on the other device, no code is needed."""

    code = "owner_named"


class CodeUnknown(Refused):
    """This code does not count: it is wrong, was used already, or its time is over."""

    code = "code_unknown"


class AlreadyLinked(Refused):
    """This device belongs to the same owner already."""

    code = "already_linked"


class ChoiceNeeded(Refused):
    """This device has conversations of its own; say whether they come along."""

    code = "choice_needed"


class TooManyTries(Refused):
    """Too many wrong codes were tried; wait for some minutes, then make a new one."""

    code = "too_many_tries"


class RateLimited(Refused):
    """Too much was asked for in a short time; `retry_after` says in how many seconds it is taken again."""

    code = "rate_limited"


class Unavailable(AssistantError):
    """Something that we depend on is away; nothing was lost, try again."""

    code = "unavailable"


class NotReady(Unavailable):
    """The server is starting or going down and takes no requests now."""

    code = "not_ready"


class StoreUnavailable(Unavailable):
    """The database did not answer."""

    code = "store_unavailable"


class LogUnavailable(Unavailable):
    """The stream log did not answer."""

    code = "log_unavailable"


class Fenced(AssistantError):
    """A newer attempt owns the task; this one must stop and write nothing more."""

    code = "fenced"


IT_SAID = " It said: "
"""In the words of a failed model step: what follows are the provider's own."""


class ProviderFailed(AssistantError):
    """The model step failed; `code` says how, the message says it in words for the user.

    `timeout` tells the runner to end the task as `failed(timeout)` instead of `failed(error)`.
    """

    def __init__(self, code: str, message: str, *, timeout: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.timeout = timeout
