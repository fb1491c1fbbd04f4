"""The tool calls of one step, put together from the pieces in which OpenAI-shaped servers send them.

    {index, id, function: {name, arguments}} ... ──▶ which call is it of? ──▶ names, arguments joined

Servers differ: an index that is missing or always 0, ids that are missing, repeated, or new in each piece,
names that come late, come again or are empty, arguments as an object. A piece that could be of two calls
makes JSON that nobody can read, never a call that nobody asked for.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from assistant.domain.models import CallAsked
from assistant.domain.transcript import well_formed
from assistant.models.failures import failure

MOST_CALLS = 64
MOST_BYTES = 256 * 1024
"""Of the names and arguments of all calls of a step, in UTF-8."""


@dataclass
class _Growing:
    """One call as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """The arguments are an object already: nothing can be added to it."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self.arguments)), dict)
        except (ValueError, RecursionError):
            return False


class GrowingCalls:
    """Takes pieces as they come and tells the whole calls at the end."""

    def __init__(self) -> None:
        self._calls: list[_Growing] = []
        self._at: dict[int, _Growing] = {}
        """The latest call at each index, or at each place of a list without indexes."""
        self._by_id: dict[str, _Growing] = {}
        self._bytes = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, message: dict[str, Any]) -> bool:
        """Take the pieces of one delta or message; says whether there were any.

        Raises ProviderFailed beyond MOST_CALLS and MOST_BYTES.
        """
        pieces = message.get("tool_calls") or message.get("function_call")
        if isinstance(pieces, dict):
            pieces = [pieces if "function" in pieces else {"function": pieces}]
        if not isinstance(pieces, list):
            return False
        taken = False
        for position, piece in enumerate(pieces):
            if isinstance(piece, dict):
                taken |= self._take(piece, position if len(pieces) > 1 else None)
        return taken

    def whole(self) -> tuple[CallAsked, ...]:
        """The calls in the order in which they began; ProviderFailed for one that was never named."""
        if any(not call.name for call in self._calls):
            raise failure("model_broken_stream", "a tool call without a name")
        return tuple(
            CallAsked(well_formed(call.name), well_formed("".join(call.arguments))) for call in self._calls
        )

    def _take(self, piece: dict[str, Any], position: int | None) -> bool:
        function = piece.get("function")
        told = function if isinstance(function, dict) else {}
        id_, name = _text(piece.get("id")), _text(told.get("name"))
        arguments = _arguments(told.get("arguments"))
        if not (id_ or name or arguments):
            return False
        self._bytes += sum(len(text.encode("utf-8", "surrogatepass")) for text in (name, arguments))
        index = piece.get("index")
        place = index if isinstance(index, int) else position
        call = self._found(place, id_, name, bool(arguments.strip()))
        if call is None:
            call = _Growing()
            self._calls.append(call)
        if len(self._calls) > MOST_CALLS or self._bytes > MOST_BYTES:
            raise failure("model_too_many_calls")
        call.id, call.name = call.id or id_, call.name or name
        if arguments:
            call.arguments.append(arguments)
        if place is not None:
            self._at[place] = call
        if id_:
            self._by_id[id_] = call
        return True

    def _found(self, place: int | None, id_: str, name: str, adds: bool) -> _Growing | None:
        """The call that a piece goes on with; None when it begins one."""
        known = self._by_id.get(id_)
        last = self._calls[-1] if self._calls else None
        if place is not None:
            there = self._at.get(place)
            call = known if there is not None and known is not None and there.id != id_ else there
        elif known is None and id_ and last is not None and last.id:
            return None  # without an index nothing but the id tells two calls apart
        else:
            call = known or last
        return None if call is None or _begins(call, id_, name, adds) else call


def _begins(call: _Growing, id_: str, name: str, adds: bool) -> bool:
    """Whether a piece at the place of `call` is another call: servers give all of them index 0, or none.

    A new id alone is none: some servers make one up for each piece.
    """
    if not name or not call.name:
        return False
    if name != call.name:
        return True
    if id_ and call.id:
        return id_ != call.id and call.whole
    return adds and call.whole


def _text(told: Any) -> str:
    return told if isinstance(told, str) else ""


def _arguments(told: Any) -> str:
    """JSON text; whatever is no text and not nothing was meant as JSON itself."""
    if told is None or isinstance(told, str):
        return told or ""
    return json.dumps(told, ensure_ascii=False)
