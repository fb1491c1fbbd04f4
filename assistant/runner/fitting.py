"""Fit a model step into the model's window: where it does not fit, the oldest messages are summarised.

    window = rest of the answer + instructions + tools + summary + messages + what this answer did so far
                                                         └ at most a sixth

Whole messages are summarised, an answer with all its calls and results, up to one that a user's message
follows: so what is told begins with a user's, and no result is torn from its call. The question itself is
always told whole. Afterwards there is room for some more turns, so that not each begins with a summary.

What cannot be made shorter is asked all the same, for what is counted here is an estimate and the provider
knows. Only a question that is too large by itself for a window that the operator named is refused at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assistant.domain.errors import ProviderFailed
from assistant.domain.message import Role
from assistant.domain.models import ModelRequest
from assistant.domain.ports import Provider
from assistant.domain.store_ports import Store
from assistant.domain.task import Task
from assistant.domain.tokens import MESSAGE_TOKENS, clipped, tokens_in, tokens_of, tokens_of_turn
from assistant.runner.asides import Allowance
from assistant.runner.asking import CONTEXT_MESSAGES, Context, read_context
from assistant.runner.summarising import OldestTurns, Summarising, piece_tokens

ASSUMED_WINDOW = 32_768
"""Aimed at where the operator named none: what is told is kept to it, and what cannot be is told anyway."""

MOST_TOLD_MESSAGES = CONTEXT_MESSAGES * 4 // 5
"""More of them are summarised too, however short they are, lest the summary be out of sight."""

MOST_ANSWER_TOKENS = 8_192
LEAST_SUMMARY_TOKENS = 128
MOST_SUMMARY_TOKENS = 4_096

Asked = Callable[[Context], ModelRequest]
"""The request of a model step over a context."""


@dataclass(slots=True)
class Telling:
    """What the model hears in one drive: less as summaries are made, and when it says that it reads less."""

    context: Context
    allowance: Allowance = field(default_factory=Allowance)
    less_than: int | None = None
    """Aimed at from then on; a guess, so nothing is refused by it and nobody is told of it."""

    def refused(self, request: ModelRequest) -> None:
        """The model said that this was more than it reads: it is told half."""
        told = tokens_of(request)
        self.less_than = min(told, self.less_than or told) // 2


class Fitting:
    """Fits the model steps of one process."""

    def __init__(self, store: Store, summarising: Summarising) -> None:
        self._store = store
        self._summarising = summarising

    async def fit(self, task: Task, provider: Provider, telling: Telling, asked: Asked) -> ModelRequest:
        """The request over the context as it is told from now on; it fits, if it can be made to.

        Stores a summary, or several one after the other, if need be. Raises ProviderFailed when the question
        is refused (`context_too_long`) or the model fails at a summary, and Fenced.
        """
        window = telling.less_than or provider.context_tokens or ASSUMED_WINDOW
        while True:
            context, request = telling.context, asked(telling.context)
            room = window - _answer_tokens(window, request)
            if tokens_of(request) <= room and len(context.told) <= MOST_TOLD_MESSAGES:
                return request
            fixed = tokens_of(replace(request, turns=request.turns[-1:], summary=""))
            is_named = telling.less_than is None and provider.context_tokens is not None
            if is_named and fixed > room and not request.kept and not request.steps:
                raise too_long(fixed, window)
            most = min(room // 6, MOST_SUMMARY_TOKENS)
            if is_named or telling.less_than is not None:
                most = max(min(most, room - fixed - MESSAGE_TOKENS), LEAST_SUMMARY_TOKENS)
            ends = _ends(context)
            if not ends:
                return replace(request, summary=clipped(request.summary, most))
            telling.context = await self._shorter(task, provider, telling, request, ends, room, fixed, most)

    async def _shorter(
        self,
        task: Task,
        provider: Provider,
        telling: Telling,
        request: ModelRequest,
        ends: list[int],
        room: int,
        fixed: int,
        most: int,
    ) -> Context:
        """The context with some more of its oldest messages in its summary."""
        context = telling.context
        costs = [tokens_of_turn(turn) for turn in request.turns]
        kept = max(min(room // 2, room - most) - fixed, 0)
        wanted = next(
            end
            for end in ends
            if sum(costs[end:-1]) <= kept and len(costs) - end <= max(MOST_TOLD_MESSAGES // 2, 1)
        )
        piece = piece_tokens(room, most, follows=context.summary is not None)
        at_once = [end for end in ends if end <= wanted and sum(costs[:end]) <= piece]
        end = at_once[-1] if at_once else ends[0]
        through_id = context.told[end].before_id
        assert through_id is not None, "only the first message of a branch has none before it"
        oldest = OldestTurns(request.turns[:end], through_id, context.summary)
        summary = await self._summarising.summarise(
            task, provider, request.model, oldest, telling.allowance, most_tokens=most, room=room
        )
        if summary is not None:
            return Context(context.told[end:], summary)
        async with self._store.read() as unit:
            return await read_context(unit, task)


def too_long(tokens: int, window: int) -> ProviderFailed:
    """The question, with what is always told beside it, does not fit by itself."""
    return ProviderFailed(
        "context_too_long",
        f"This message, with the instructions and the tools, takes about {tokens:,} tokens; the model reads "
        f"{window:,} at once, its answer included. Edit the message to make it shorter, or choose a model "
        "with a larger window and try again. Nothing is lost.",
    )


def _answer_tokens(window: int, request: ModelRequest) -> int:
    """What is left for the rest of the answer: what is kept of it is a part of it."""
    asked = [request.parameters.get(name) for name in ("max_tokens", "max_completion_tokens")]
    wanted = max((each for each in asked if isinstance(each, int)), default=0)
    whole = min(wanted, window // 2) or min(window // 4, MOST_ANSWER_TOKENS)
    return max(whole - tokens_in(request.kept), whole // 4)


def _ends(context: Context) -> list[int]:
    """How many of the oldest messages may be summarised: the next one is a user's, and one is left."""
    told = context.told
    return [at for at in range(1, len(told)) if told[at].turn.role is Role.USER and told[at].before_id]
