"""Watch a session through a share: news as readers see them, for as long as the share counts."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from assistant.domain.share import Share
from assistant.domain.task import Task
from assistant.services.restoring import Changes
from assistant.services.shared_view import (
    SharedSnapshot,
    message_as_shared,
    session_as_shared,
    task_as_shared,
)
from assistant.services.standing import StateSeen
from assistant.services.watching import News, Watch, Written

CHECK_SECONDS = 2.0
"""A watch asks this often whether its share still counts, besides at every change of the session."""


class SharedWatch:
    """One reader's watch from a snapshot on; `news` is called again and again by one caller."""

    def __init__(
        self,
        find: Callable[[], Awaitable[Share]],
        snapshot: SharedSnapshot,
        watch: Watch,
        check_seconds: float,
    ) -> None:
        """`find` gives the share as it stands, and raises NotFound when it does not count any more."""
        self._find = find
        self._watch = watch
        self._with_arguments = snapshot.share.with_arguments
        self._leaf_id = snapshot.leaf_id
        self._shown = {message.id for message in snapshot.messages}
        self._check_seconds = check_seconds
        self._check_at = _now() + check_seconds

    async def news(self, *, within: float) -> News | None:
        """As `Watch.news`, about the messages of the snapshot alone, which other branches are none of.

        None when readers are to see other messages, or more or less of them: a snapshot comes first then.
        Nothing is handed out when the share was not seen to count for `check_seconds`; raises NotFound when
        it does not.
        """
        news = await self._watch.news(within=max(min(within, self._check_at - _now()), 0))
        if news.changes is not None or _now() >= self._check_at:
            self._check_at = _now() + self._check_seconds
            share = await self._find()
            if share.with_arguments != self._with_arguments:
                return None
        session = news.changes.session if news.changes else None
        if session is not None and session.leaf_id != self._leaf_id:
            return None
        written = tuple(self._written(each) for each in news.written if each.task.answer_id in self._shown)
        return News(news.changes and self._changes(news.changes), written, news.carried & self._shown)

    def _changes(self, changes: Changes) -> Changes:
        return replace(
            changes,
            session=changes.session and session_as_shared(changes.session),
            messages=tuple(
                message_as_shared(message) for message in changes.messages if message.id in self._shown
            ),
            tasks=tuple(self._task(task) for task in changes.tasks if task.answer_id in self._shown),
            folds={},
            queued=(),
            summary=None,
        )

    def _written(self, written: Written) -> Written:
        happenings = tuple(each for each in written.happenings if not isinstance(each, StateSeen))
        return Written(self._task(written.task), happenings)

    def _task(self, task: Task) -> Task:
        return task_as_shared(task, with_arguments=self._with_arguments)


def _now() -> float:
    return asyncio.get_running_loop().time()
