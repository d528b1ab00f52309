"""Clause: flows survive a restart at any moment: nothing is lost and nothing is done twice."""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import (
    FLOW,
    bodies,
    define_queues,
    depth,
    put_numbers,
    read_all,
    run_flow,
    work,
)

EXPECTED = [b"done %d" % number for number in range(10)]


def steps(qm: penstock.QueueManager) -> Iterator[str]:
    """Two batches, one step at a time."""
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 10)
    yield "put"
    epoch = qm.batches.new_epoch(FLOW)
    yield "epoch"
    for n in (1, 2):
        qm.batches.reserve(FLOW, "IN", after=n - 1, epoch=epoch, max_rows=4)
        yield f"reserve {n}"
        qm.batches.prepare_outputs(FLOW, n, 0, "lost", [("OUT", b"never seen")], epoch=epoch)
        yield f"failed attempt {n}"
        winners = work(qm, n, epoch)
        yield f"work {n}"
        qm.batches.commit(FLOW, n, winners, epoch=epoch)
        yield f"commit {n}"


@pytest.mark.crash
@pytest.mark.parametrize("checkpoints", ["none", "before", "always"])
def test_a_kill_after_any_step_loses_and_repeats_nothing(
    qm: penstock.QueueManager, after_crash: Callable[[Any], penstock.QueueManager], checkpoints: str
) -> None:
    for step in steps(qm):
        if checkpoints == "always":
            qm.checkpoint()
        restarted = after_crash(qm)
        if checkpoints == "before":
            qm.checkpoint()
        run_flow(restarted)

        assert sorted(bodies(restarted, "OUT")) == EXPECTED, step
        assert (depth(restarted, "IN"), depth(restarted, "OUT")) == (0, 10), step
        restarted.close()


@pytest.mark.crash
def test_the_driver_may_go_on_where_the_queue_manager_was_killed(
    qm: penstock.QueueManager, after_crash: Callable[[Any], penstock.QueueManager]
) -> None:
    """The queue manager dies between the tasks and the commit; the driver lives and commits."""
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 10)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    winners = work(qm, 1, epoch)
    qm.checkpoint()

    for _ in range(3):
        qm = after_crash(qm)
        assert read_all(qm, 1, epoch) == [b"%d" % number for number in range(10)]
        assert bodies(qm, "OUT") == []
    qm.batches.commit(FLOW, 1, winners, epoch=epoch)

    for _ in range(2):
        assert bodies(qm, "OUT") == EXPECTED
        assert qm.batches.recorded(FLOW) == 1
        assert depth(qm, "IN") == 0
        qm.checkpoint()
        qm = after_crash(qm)


@pytest.mark.crash
def test_zombies_stay_refused_after_a_restart(
    qm: penstock.QueueManager,
    after_crash: Callable[[Any], penstock.QueueManager],
    fails: Callable[[int], Any],
) -> None:
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 2)
    old = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=old)
    qm.batches.new_epoch(FLOW)

    with fails(8031):
        read_all(after_crash(qm), 1, old)


@pytest.mark.crash
def test_a_release_survives(
    qm: penstock.QueueManager, after_crash: Callable[[Any], penstock.QueueManager]
) -> None:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 10)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=5)
    work(qm, 1, epoch)
    qm.checkpoint()
    qm.batches.release(FLOW)

    restarted = after_crash(qm)

    assert bodies(restarted, "IN") == [b"%d" % number for number in range(10)]
    run_flow(restarted)
    assert bodies(restarted, "OUT") == EXPECTED


@pytest.mark.crash
def test_slices_hold_the_same_messages_when_some_were_lost_with_the_process(
    qm: penstock.QueueManager, after_crash: Callable[[Any], penstock.QueueManager]
) -> None:
    """Slice 0 was prepared before the crash, slice 1 is read after it: no message may change slices."""
    define_queues(qm, "IN", "OUT")
    for number in range(10):
        qm.put("IN", b"%d" % number, persistent=number % 3 > 0)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    restarted = after_crash(qm)

    first = [m.body for m in restarted.batches.read_slice(FLOW, 1, 0, 2, epoch=epoch)]
    second = [m.body for m in restarted.batches.read_slice(FLOW, 1, 1, 2, epoch=epoch)]
    assert (first, second) == ([b"1", b"2", b"4"], [b"5", b"7", b"8"])


class Overtaken:
    """A lock that lets somebody else go first, once."""

    def __init__(self, lock: Any, step: Callable[[], Any]) -> None:
        self.lock = lock
        self.step: Callable[[], Any] | None = step
        self.thread = threading.get_ident()

    def __enter__(self) -> None:
        step = self.step
        if step is not None and threading.get_ident() == self.thread:
            self.step = None
            step()
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def checkpoint_overtaken_by(qm: penstock.QueueManager, step: Callable[[], Any]) -> None:
    """Take a checkpoint; when it has looked at the engine and not yet written anything, a step is done."""
    lock = qm.host.files_lock
    qm.host.files_lock = Overtaken(lock, step)
    qm.checkpoint()
    qm.host.files_lock = lock


MEANWHILE: dict[str, Callable[[penstock.QueueManager, int, dict[int, Any]], Any]] = {
    "commit": lambda qm, epoch, winners: qm.batches.commit(FLOW, 1, winners, epoch=epoch),
    "release": lambda qm, epoch, winners: qm.batches.release(FLOW),
    "new epoch": lambda qm, epoch, winners: qm.batches.new_epoch(FLOW),
    "prepare again": lambda qm, epoch, winners: work(qm, 1, epoch),
    "commit and get": lambda qm, epoch, winners: (
        qm.batches.commit(FLOW, 1, winners, epoch=epoch),
        qm.put("OUT", qm.get("OUT").body),
    ),
    "commit and reserve": lambda qm, epoch, winners: (
        qm.batches.commit(FLOW, 1, winners, epoch=epoch),
        qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch, max_rows=2),
    ),
}


@pytest.mark.crash
@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("step", MEANWHILE)
def test_a_step_that_overtakes_a_checkpoint_is_whole(
    qm: penstock.QueueManager,
    after_crash: Callable[[Any], penstock.QueueManager],
    step: str,
    saved: bool,
) -> None:
    """The checkpoint has looked at the flow and not yet written; then the flow goes on; then the kill."""
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 10)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=6)
    winners = work(qm, 1, epoch)
    if saved:
        qm.checkpoint()
    checkpoint_overtaken_by(qm, lambda: MEANWHILE[step](qm, epoch, winners))

    restarted = after_crash(qm)
    assert bodies(restarted, "OUT") == bodies(qm, "OUT")
    assert bodies(restarted, "IN") == bodies(qm, "IN")
    restarted = after_crash(restarted)
    run_flow(restarted)
    assert sorted(bodies(restarted, "OUT")) == EXPECTED
    assert (depth(restarted, "IN"), depth(restarted, "OUT")) == (0, 10)


class Driver:
    """A driver that does one random step of a flow at a time, and may lose its memory."""

    def __init__(self, qm: penstock.QueueManager, dice: random.Random) -> None:
        self.dice = dice
        self.sent = 0
        self.start(qm)

    def start(self, qm: penstock.QueueManager) -> None:
        self.epoch = qm.batches.new_epoch(FLOW)
        self.n = qm.batches.recorded(FLOW)
        self.winners: dict[int, Any] = {}

    def step(self, qm: penstock.QueueManager) -> None:
        steps = [self.put, self.reserve, self.reserve, self.attempt, self.attempt, self.attempt, self.commit]
        rare = [self.start, self.release]
        self.dice.choice(steps * 3 + rare)(qm)

    def put(self, qm: penstock.QueueManager) -> None:
        count = self.dice.randrange(1, 6)
        put_numbers(qm, "IN", count, self.sent)
        self.sent += count

    def reserve(self, qm: penstock.QueueManager) -> None:
        after = qm.batches.recorded(FLOW)
        rows = self.dice.randrange(1, 8)
        self.n = qm.batches.reserve(FLOW, "IN", after=after, epoch=self.epoch, max_rows=rows)["n"]

    def attempt(self, qm: penstock.QueueManager) -> None:
        if self.n <= qm.batches.recorded(FLOW):
            return
        number, attempt = self.dice.randrange(3), self.dice.randrange(2)
        messages = qm.batches.read_slice(FLOW, self.n, number, 3, epoch=self.epoch)
        outputs = [("OUT", b"done " + message.body) for message in messages]
        qm.batches.prepare_outputs(FLOW, self.n, number, attempt, outputs, epoch=self.epoch)
        self.winners[number] = attempt

    def commit(self, qm: penstock.QueueManager) -> None:
        if self.n > qm.batches.recorded(FLOW) and len(self.winners) == 3:
            qm.batches.commit(FLOW, self.n, self.winners, epoch=self.epoch)
            self.winners = {}

    def release(self, qm: penstock.QueueManager) -> None:
        if qm.batches.listing()[0].n is not None:
            qm.batches.release(FLOW)
        self.start(qm)


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(5))
def test_a_random_walk_with_crashes_does_everything_once(
    qm: penstock.QueueManager,
    after_crash: Callable[[Any], penstock.QueueManager],
    seed: int,
) -> None:
    dice = random.Random(seed)
    define_queues(qm, "IN", "OUT")
    driver = Driver(qm, dice)

    for _ in range(100):
        driver.step(qm)
        event = dice.random()
        if event < 0.15:
            checkpoint_overtaken_by(qm, functools.partial(driver.step, qm))
        if event > 0.9:
            qm = after_crash(qm)
            if event > 0.95:
                driver.start(qm)

    run_flow(after_crash(qm))
    run_flow(qm)
    expected = sorted(b"done %d" % number for number in range(driver.sent))
    assert sorted(bodies(qm, "OUT")) == expected, f"seed {seed}"


def test_an_orderly_stop_keeps_everything(embed: Callable[..., penstock.QueueManager]) -> None:
    qm = embed()
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 10)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    winners = work(qm, 1, epoch)
    qm.close()

    again = embed()
    again.batches.commit(FLOW, 1, winners, epoch=epoch)

    assert bodies(again, "OUT") == EXPECTED
    assert depth(again, "IN") == 0
