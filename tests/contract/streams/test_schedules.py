"""Random schedules of the whole protocol on the real log: takeovers, zombies, lost logs, lost replies.

Each worker obeys the log's answers alone; each reader is a follower that wakes when it likes. In the
end everybody shows what is stored, and what is stored is the text of attempts in order, never mixed.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from assistant.domain.errors import Fenced
from assistant.domain.frames import Cursor, Missed, Replace, Shown, receive, resume
from assistant.domain.log import Entry, Folded, Op, Position, fold
from assistant.domain.transcript import PartKind, checksum
from assistant.streams.connection import Client
from assistant.streams.followed import Followed, FollowedChannel
from assistant.streams.log import RedisLog
from tests.contract.streams.faulty import FaultyClient
from tests.contract.streams.followers import Follower

SCHEDULES = 250


@dataclass
class World:
    """One task: its row, its log, and what follows it."""

    task_id: str
    log: RedisLog
    faulty: FaultyClient
    chance: random.Random
    row: Folded = field(default_factory=Folded)
    attempt: int = 0
    followed: Followed = field(default_factory=Followed)
    followers: list[Follower] = field(default_factory=list)

    async def read(self) -> Folded:
        """The fold of row and log, as a claim, a stop and a fresh reader make it."""
        if self.row.closed:
            return self.row
        return fold(self.row, await self.log.after(self.task_id, self.row.position))

    async def tick(self) -> None:
        """What the hub does at a tick, and what it does when in doubt."""
        followed = self.followed
        if followed.folded.closed:
            return
        followed.extend(await self.log.after(self.task_id, followed.folded.position))
        if followed.in_doubt or self.chance.random() < 0.1:
            await self.recheck()

    async def recheck(self) -> None:
        """What the hub does when a row is due."""
        row = self.row
        entries = [] if row.closed else await self.log.after(self.task_id, row.position)
        self.followed.overtake(row, entries)

    def join(self) -> None:
        self.followers.append(Follower(FollowedChannel(self.followed)))


class Worker:
    """One attempt of a worker that may be a zombie without knowing it."""

    def __init__(self, world: World, tag: str) -> None:
        self.world = world
        self.tag = tag
        self.count = 0
        self.alive = True
        self.seq = 0
        self.replace_due = False

    async def claim(self) -> None:
        world = self.world
        world.attempt += 1
        self.attempt = world.attempt
        await world.log.fence(world.task_id, self.attempt, len(world.row.transcript))
        start = await world.read()
        self.text, self.base = start.transcript, len(start.transcript)

    async def say(self) -> None:
        world, text = self.world, f"{self.tag}{self.count} "
        self.count += 1
        self.seq += 1
        before, self.text = self.text, self.text.append(PartKind.TEXT, text)
        position = Position(self.attempt, self.seq)
        entry = Entry(position, Op.TEXT, len(before), text)
        if self.replace_due:
            whole = self.text
            entry = Entry(position, Op.REPLACE, len(whole), whole.text, parts=whole.parts)
        world.faulty.lose_replies = int(world.chance.random() < 0.1)
        try:
            self.replace_due = not await world.log.append(world.task_id, entry)
        except Fenced:
            self.alive = False

    def snapshot(self) -> None:
        if self._owns():
            position = Position(self.attempt, self.seq)
            base = self.base if self.seq else 0
            attempt = self.attempt if self.seq else self.world.row.attempt
            self.world.row = Folded(self.text, position, attempt, base)

    async def finish(self) -> None:
        if self._owns():
            world = self.world
            world.row = Folded(self.text, Position(self.attempt, self.seq), self.attempt, closed=True)
            self.alive = False
            if world.chance.random() < 0.5:
                length = len(self.text)
                await world.log.close(world.task_id, self.attempt, self.seq + 1, length)

    def _owns(self) -> bool:
        self.alive = self.alive and self.world.attempt == self.attempt and not self.world.row.closed
        return self.alive


async def run(world: World, *, losses: bool) -> None:
    chance, workers, tags = world.chance, [], iter("abcdefghijklmnopqrstuvwxyz")

    async def take_over() -> None:
        worker = Worker(world, next(tags))
        await worker.claim()
        workers.append(worker)

    world.followed.begin(await world.read(), [])
    world.join()
    await take_over()
    for _ in range(chance.randint(20, 80)):
        live = [worker for worker in workers if worker.alive]
        act = chance.random()
        if world.row.closed:
            break
        if act < 0.50 and live:
            await chance.choice(live).say()
        elif act < 0.60 and live:
            chance.choice(live).snapshot()
        elif act < 0.66 and len(workers) < 6:
            await take_over()
        elif act < 0.69 and losses:
            await world.faulty.delete(f"s:{world.task_id}")
        elif act < 0.82:
            await world.tick()
        elif act < 0.90:
            await _wake(chance.choice(world.followers), losses=losses)
        elif act < 0.93:
            world.join()
        elif act < 0.96:
            await _resumes_exactly(world)
        elif act < 0.97 and live:
            await chance.choice(live).finish()
        elif act < 0.98:
            await _stop(world)
    for worker in workers:
        for _ in range(3):
            if worker.alive:
                await worker.say()
        worker.snapshot()
    if not world.row.closed:
        await _stop(world)
    await world.tick()
    await world.recheck()
    for follower in world.followers:
        await _wake(follower, losses=losses)
        assert follower.shown.text == world.row.text


async def _wake(follower: Follower, *, losses: bool) -> None:
    """What a follower does when it is told of news, until there is none.

    Without a lost log its text is only ever cut by a newer attempt.
    """
    while await follower.channel.changed(follower.folded, within=0):
        before = follower.shown
        follower.take()
        if not losses and follower.shown.attempt == before.attempt:
            assert follower.shown.text.startswith(before.text)


async def _stop(world: World) -> None:
    world.attempt += 1
    await world.log.fence(world.task_id, world.attempt, len(world.row.transcript))
    final = await world.read()
    world.row = replace(final, closed=True, gap=None)
    await world.log.close(world.task_id, world.attempt, 1, len(final.transcript))


async def _resumes_exactly(world: World) -> None:
    """A reader that comes back with any offset of what some follower shows is exact at once."""
    shown = world.chance.choice(world.followers).shown
    text = shown.text[: world.chance.randint(0, len(shown.text))]
    folded = await world.read()
    answer = resume(folded, Cursor(len(text), shown.attempt, checksum(text)))
    if isinstance(answer, Replace):
        assert answer.transcript.text == folded.text
        return
    reader = Shown(shown.attempt, text)
    for frame in answer:
        got = receive(reader, replace(frame, attempt=max(frame.attempt, reader.attempt)))
        assert not isinstance(got, Missed)
        reader = got
    assert reader.text == folded.text


def _check_not_mixed(text: str, *, losses: bool) -> None:
    counts: dict[str, int] = {}
    for word in text.split():
        tag, number = word[0], int(word[1:])
        if tag not in counts:
            assert losses or number == 0, text
            assert not counts or tag > max(counts), text
        else:
            assert tag == max(counts), text
            assert number == counts[tag] + 1, text
        counts[tag] = number


@pytest.mark.parametrize("losses", [False, True])
async def test_every_schedule_ends_with_what_is_stored_on_every_page(
    client: Client, new_id: Callable[[], str], losses: bool
) -> None:
    """Cases B013, B015, B021, B030."""
    for seed in range(SCHEDULES):
        faulty = FaultyClient(client)
        world = World(new_id(), RedisLog(faulty), faulty, random.Random(seed))
        try:
            await run(world, losses=losses)
            _check_not_mixed(world.row.text, losses=losses)
        except AssertionError as failure:
            failure.add_note(f"seed {seed}")
            raise


def test_the_check_for_mixed_texts_sees_one() -> None:
    _check_not_mixed("a0 a1 b0 b1", losses=False)
    for text in ("a0 b0 a1", "a0 a2", "a1", "b0 a0"):
        with pytest.raises(AssertionError):
            _check_not_mixed(text, losses=False)
