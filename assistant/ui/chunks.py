"""Chunks: how text travels to the `stream_text` component, with short keys (see `stream_text`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.domain.frames import Cursor, Frame, Replace, resume
from assistant.domain.log import Folded
from assistant.domain.message import Message, Role
from assistant.domain.task import Task
from assistant.domain.transcript import Transcript, checksum
from assistant.services.following import Reading
from assistant.services.restoring import Snapshot
from assistant.services.standing import Beat, Closed, GapSeen, Happening, StateSeen
from assistant.services.watching import Mark
from assistant.ui import digests

Chunk = dict[str, Any]

STORED_ATTEMPT = 0
"""The attempt under which the text of a message that no running task fills is told."""

SHORT_NAME = 8
"""How many characters of the end of a message's id stand for it; they are random. `store.js` knows it too."""


def of_happening(message_id: str, task_id: str, happening: Happening, attempt: int = 0) -> list[Chunk]:
    """The chunks of one happening; a state and a beat have none.

    `attempt` is the task's: that of an end may be later than that of the last text.
    """
    who = {"m": message_id, "t": task_id}
    match happening:
        case Frame():
            return [
                {
                    **who,
                    "op": "text",
                    "a": happening.attempt,
                    "o": happening.offset,
                    "x": happening.text,
                    "k": happening.kind.value,
                    "b": happening.base,
                    "f": happening.after,
                }
            ]
        case Replace():
            return [_replace(who, happening.attempt, happening.transcript)]
        case GapSeen():
            return [{**who, "op": "gap", "from": happening.start, "to": happening.to}]
        case Closed():
            return [_end(who, attempt)]
        case StateSeen() | Beat():
            return []


def of_message(
    message: Message, attempt: int = STORED_ATTEMPT, brief: Transcript | None = None
) -> list[Chunk]:
    """The chunks of a message whose text is complete, or of its digest."""
    who = {"m": message.id, "t": message.task_id or ""}
    chunk = _replace(who, attempt, brief or Transcript(message.text, message.parts))
    if brief is not None:
        chunk["w"] = len(message.text)
    if message.role is Role.USER:
        return [{**chunk, "c": message.client_id or ""}]
    return [chunk, _end(who, attempt)]


def of_ended(
    message: Message,
    attempts: Mapping[str, int],
    held: Mapping[str, Cursor] | None = None,
    *,
    brief: Transcript | None = None,
) -> list[Chunk]:
    """The chunks of a message whose text is complete, under the attempt that filled it, by `attempts`.

    A browser is sent what it does not hold yet, and is told of an answer that it is whole, unless it holds
    the text by the message's own id, and not by that of a task: then it knows. Of a message that has a
    digest, `brief`, that is enough, unless it holds the whole.
    """
    by_message = (held or {}).get(message.id)
    cursor = by_message or (held or {}).get(message.task_id or "")
    attempt = attempts.get(message.id, STORED_ATTEMPT)
    if brief is not None and not _is_at(cursor, message.text):
        return [] if _is_at(by_message, brief.text) else of_message(message, attempt, brief)
    if cursor is None:
        return of_message(message, attempt)
    answer = resume(Folded(Transcript(message.text, message.parts), attempt=attempt), cursor)
    if isinstance(answer, Replace):
        return of_message(message, attempt)
    who = {"m": message.id, "t": message.task_id or ""}
    rest = [chunk for frame in answer for chunk in of_happening(message.id, who["t"], frame)]
    knows = message.role is Role.USER or (by_message is not None and not rest)
    return rest if knows else [*rest, _end(who, attempt)]


def of_unfinished(message: Message, folded: Folded, held: Cursor | None) -> list[Chunk]:
    """The chunks that bring a browser, which holds what it says, to the fold: the rest, or the whole."""
    answer = resume(folded, held or Cursor())
    who = {"m": message.id, "t": message.task_id or ""}
    if isinstance(answer, Replace) or held is None:
        chunks = [_replace(who, folded.attempt, folded.transcript)]
    else:
        chunks = [chunk for frame in answer for chunk in of_happening(message.id, who["t"], frame)]
    if folded.gap is not None:
        chunks += of_happening(message.id, who["t"], GapSeen(folded.gap.start, folded.gap.to))
    return chunks


def of_snapshot(snapshot: Snapshot, held: Mapping[str, Cursor], ended: Sequence[Task]) -> list[Chunk]:
    """What the browser does not hold yet of all texts of a snapshot; `ended` are the tasks of its answers."""
    growing = [
        chunk
        for message in snapshot.messages
        if (folded := snapshot.folds.get(message.task_id or "")) is not None
        for chunk in of_unfinished(message, folded, held.get(message.task_id or ""))
    ]
    return of_settled(snapshot, snapshot.messages, ended, held) + growing


def of_settled(
    snapshot: Snapshot,
    messages: Sequence[Message],
    ended: Sequence[Task],
    held: Mapping[str, Cursor] | None = None,
) -> list[Chunk]:
    """The same of those of these messages of it that grow no more, the long old ones as digests."""
    attempts = {task.answer_id: task.attempt for task in ended}
    old = digests.old(snapshot.branch, has_newer=snapshot.has_newer)
    return [
        chunk
        for message in messages
        if (message.task_id or "") not in snapshot.folds
        for chunk in of_ended(
            message, attempts, held, brief=digests.digest(message) if message.id in old else None
        )
    ]


def of_whole(message: Message, attempt: int, *, shown: bool) -> list[Chunk]:
    """The whole of a message of which the page shows a digest: to be shown, or to be had beside it."""
    if shown:
        return of_message(message, attempt)
    return [{"m": message.id, "t": message.task_id or "", "op": "aside", "x": digests.said_in(message)}]


def of_mark(mark: Mark) -> list[Chunk]:
    """The chunk that says of an answer how it ended, to a page that got its text elsewhere."""
    who = {"m": mark.task.answer_id, "t": mark.task.id}
    return [{**_end(who, mark.task.attempt), "o": mark.offset, "crc": mark.crc}]


def of_reading(message_id: str, reading: Reading) -> list[Chunk]:
    """The chunks of a catch-up read of the answer with this id."""
    who = {"m": message_id, "t": reading.task.id}
    if isinstance(reading.answer, Replace):
        chunks = [_replace(who, reading.answer.attempt, reading.answer.transcript)]
    else:
        chunks = [chunk for frame in reading.answer for chunk in of_happening(message_id, who["t"], frame)]
    return [*chunks, _end(who, reading.task.attempt)] if reading.closed else chunks


def terse(chunks: list[Chunk], named: dict[str, str]) -> list[Chunk]:
    """The chunks without what the component takes for granted, since most flushes are a few words long.

    A text chunk goes on in its attempt unless it says otherwise. A message's id and task are told once; from
    then on the end of the id stands for it, which means the same to a page that missed the first chunk
    and after a restart. `named` holds what this follow has told, by short name, and is added to.
    """
    return [_terse(chunk, named) for chunk in chunks]


def _terse(chunk: Chunk, named: dict[str, str]) -> Chunk:
    short = dict(chunk)
    name = chunk["m"][-SHORT_NAME:]
    if named.get(name) == chunk["m"]:
        del short["m"], short["t"]
        short = {"n": name, **short}
    # Of two ids that end alike the name means the one that was told whole last, here and in the page.
    named[name] = chunk["m"]
    if chunk["op"] == "text":
        granted = {"op": "text", "k": "text", "b": chunk["o"], "f": chunk["a"]}
        short = {key: value for key, value in short.items() if granted.get(key) != value}
    return short


def _is_at(cursor: Cursor | None, text: str) -> bool:
    return cursor is not None and cursor.offset == len(text) and cursor.crc == checksum(text)


def _end(who: Chunk, attempt: int) -> Chunk:
    return {**who, "op": "end", "a": attempt} if attempt else {**who, "op": "end"}


def _replace(who: Chunk, attempt: int, transcript: Transcript) -> Chunk:
    return {
        **who,
        "op": "replace",
        "a": attempt,
        "x": transcript.text,
        "p": [[part.kind.value, part.start, part.end, part.call_id] for part in transcript.parts],
    }
