"""Write the search index, in the transaction that writes what is found: titles, questions, ended answers."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    MetaData,
    Text,
    bindparam,
    func,
    insert,
    literal,
    select,
    text,
    update,
)
from sqlalchemy import Sequence as Numbers

from assistant.domain.message import Message, Role
from assistant.domain.search_tokens import index_tokens, searchable
from assistant.domain.transcript import Transcript
from assistant.storage.schema import messages, search_entries, sessions
from assistant.storage.tables_search import TITLES
from assistant.storage.transaction import Transaction

SCOPE_CHARACTERS = 5
"""25 bits: two owners in millions share a mark, and with it only the time of a search."""

MAX_TOKENS_BYTES = 900_000
"""What a tsvector holds, with room to spare; the tokens beyond it are not found."""

_PLACES = Numbers("search_entry_place_seq", metadata=MetaData())
"""Minted with the column; in metadata of its own, so that nobody makes it twice."""


def scope_of(owner_id: str, *, title: bool) -> str:
    """The mark before each token of an owner's titles, and the one of the owner's messages: nothing else in
    the index is walked through for them."""
    digest = base64.b32encode(hashlib.blake2b(owner_id.encode(), digest_size=5).digest())
    return ("t" if title else "m") + digest.decode().lower()[:SCOPE_CHARACTERS]


def tokens_for(owner_id: str, text: str, *, title: bool) -> list[str]:
    """The tokens of a text as they are indexed: each behind its mark, as many as fit."""
    scope = scope_of(owner_id, title=title)
    return list(_fitting(scope + token for token in index_tokens(text)))


async def index_title(within: Transaction, session_id: str, title: str) -> None:
    """Have the session found by this title and no other."""
    owner_id = await _owner(within, session_id)
    changed = (
        update(search_entries)
        .where(search_entries.c.session_id == session_id, search_entries.c.message_id.is_(None))
        .values(tokens=_TOKENS[within.locks_rows])
    )
    tokens = _tokens(within, tokens_for(owner_id, title, title=True))
    if not await within.changed(changed, {"cut": tokens}):
        await within.changed(
            _ADD_TITLE[within.locks_rows],
            {"owner": owner_id, "session": session_id, "message": None, "cut": tokens},
        )


async def index_question(within: Transaction, message: Message) -> None:
    """Have a user message found from now on; an answer is left for its end."""
    if message.role is Role.USER:
        await index_messages(within, message.session_id, [(message.id, message.text)])


async def index_answer(within: Transaction, message_id: str, transcript: Transcript) -> None:
    """Have an answer found that has ended."""
    session_id = select(messages.c.session_id).where(messages.c.id == message_id)
    row = await within.row(session_id)
    if row is not None:
        await index_messages(within, row.session_id, [(message_id, searchable(transcript))])


async def index_messages(within: Transaction, session_id: str, found: Sequence[tuple[str, str]]) -> None:
    """Have messages of a session found by their texts, the last one as the newest; none is indexed yet."""
    if not found:
        return
    owner_id = await _owner(within, session_id)
    await within.changed(
        _ADD_MESSAGE[within.locks_rows],
        [
            {
                "owner": owner_id,
                "session": session_id,
                "message": message_id,
                "cut": _tokens(within, tokens_for(owner_id, said, title=False)),
            }
            for message_id, said in found
        ],
    )


async def give_entries(within: Transaction, former_id: str, owner_id: str) -> None:
    """Have all that one owner finds be found by another, and by nobody else."""
    for title in (True, False):
        old, new = scope_of(former_id, title=title), scope_of(owner_id, title=title)
        kind = search_entries.c.message_id.is_(None) if title else search_entries.c.message_id.is_not(None)
        await within.changed(
            update(search_entries)
            .where(search_entries.c.owner_id == former_id, kind)
            .values(owner_id=owner_id, tokens=_marked_anew(old, new, has_sequences=within.locks_rows))
        )


def _marked_anew(old: str, new: str, *, has_sequences: bool) -> Any:
    """The tokens of an entry behind another mark; each begins with its mark, and none has a space."""
    if not has_sequences:
        return func.ltrim(func.replace(" " + search_entries.c.tokens, f" {old}", f" {new}"))
    return _MARKED_ANEW.bindparams(new=new, beyond=len(old) + 1)


_MARKED_ANEW = text(
    "array_to_tsvector(ARRAY(SELECT CAST(:new AS text) || substr(each, :beyond)"
    " FROM unnest(tsvector_to_array(tokens)) AS each))"
)


async def _owner(within: Transaction, session_id: str) -> str:
    row = await within.row(select(sessions.c.owner_id).where(sessions.c.id == session_id))
    assert row is not None  # it was bumped or added in this transaction
    return row.owner_id


def _tokens(within: Transaction, tokens: list[str]) -> str | list[str]:
    return tokens if within.locks_rows else " ".join(tokens)


def _fitting(tokens: Iterable[str]) -> Iterable[str]:
    size = 0

    def fits(token: str) -> bool:
        nonlocal size
        size += len(token.encode())
        return size <= MAX_TOKENS_BYTES

    return takewhile(fits, tokens)


def _next_place(*, title: bool, has_sequences: bool) -> ColumnElement[Any]:
    """The next place of a title or a message. Where writers queue, the highest so far says which."""
    floor = TITLES if title else 0
    if has_sequences:
        return _PLACES.next_value() + literal(floor, BigInteger)
    others = search_entries.alias()
    near = others.c.place >= TITLES if title else others.c.place < TITLES
    return select(func.coalesce(func.max(others.c.place), floor) + 1).where(near).scalar_subquery()


_TOKENS: dict[bool, ColumnElement[Any]] = {
    True: func.array_to_tsvector(bindparam("cut", type_=ARRAY(Text))),
    False: bindparam("cut", type_=Text),
}


def _add(*, title: bool, has_sequences: bool) -> Any:
    return insert(search_entries).values(
        place=_next_place(title=title, has_sequences=has_sequences),
        owner_id=bindparam("owner"),
        session_id=bindparam("session"),
        message_id=bindparam("message"),
        tokens=_TOKENS[has_sequences],
    )


_ADD_TITLE = {where: _add(title=True, has_sequences=where) for where in (True, False)}
_ADD_MESSAGE = {where: _add(title=False, has_sequences=where) for where in (True, False)}
"""By whether the database has sequences."""
