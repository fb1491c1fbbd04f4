"""The walk from a leaf to the root, as one recursive query."""

from typing import Any

from sqlalchemy import Select, bindparam, literal, select

from assistant.storage.schema import messages


def walk(query: Select[Any]) -> Select[Any]:
    """`query`, a SELECT of messages, narrowed to the last `:depth` messages of the branch of `:leaf` in
    `:session`, oldest first.

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
        )
    )
    return query.join(steps, steps.c.id == messages.c.id).order_by(steps.c.depth.desc())
