"""The walks along a branch, each one recursive query: from a leaf to the root, or so far up, and down to the
last leaf."""

from typing import Any

from sqlalchemy import Select, bindparam, func, literal, select

from assistant.storage.schema import messages

WHOLE = 2**31 - 1
"""Deeper than any branch."""


def walk(query: Select[Any], *, up_to: bool = False) -> Select[Any]:
    """`query`, a SELECT of messages, narrowed to the last `:depth` messages of the branch of `:leaf` in
    `:session`, oldest first; with `up_to` no further up than the first one at or before `:position`.

    It goes only to parents that stand earlier in the session, so a cycle ends it, and only by primary
    key, so its cost is the depth and not the length of the session.
    """
    session_id = bindparam("session")
    last = (
        select(messages.c.id, messages.c.parent_id, messages.c.position, literal(1).label("depth"))
        .where(messages.c.id == bindparam("leaf"), messages.c.session_id == session_id)
        .cte("walk", recursive=True)
    )
    parent = messages.alias("parent")
    steps = last.union_all(
        select(parent.c.id, parent.c.parent_id, parent.c.position, last.c.depth + 1)
        .join(last, parent.c.id == last.c.parent_id)
        .where(
            parent.c.session_id == session_id,
            parent.c.position < last.c.position,
            last.c.depth < bindparam("depth"),
            *([last.c.position > bindparam("position")] if up_to else []),
        )
    )
    return query.join(steps, steps.c.id == messages.c.id).order_by(steps.c.depth.desc())


def last_below() -> Select[Any]:
    """The id of the message with which a branch through `:message` of `:session` ends: the one below it, or
    itself, that was the chosen end last; else the newest.

    It goes only to children that stand later, so that a cycle ends it; its cost is what stands below.
    """
    session_id = bindparam("session")
    top = (
        select(messages.c.id, messages.c.position, messages.c.chosen)
        .where(messages.c.id == bindparam("message"), messages.c.session_id == session_id)
        .cte("below", recursive=True)
    )
    child = messages.alias("child")
    below = top.union_all(
        select(child.c.id, child.c.position, child.c.chosen)
        .join(top, child.c.parent_id == top.c.id)
        # A difference, lest an index by position be taken: each step would read all that stands later.
        .where(child.c.session_id == session_id, child.c.position - top.c.position > 0)
    )
    last_chosen = func.coalesce(below.c.chosen, 0).desc()
    return select(below.c.id).order_by(last_chosen, below.c.position.desc()).limit(1)
