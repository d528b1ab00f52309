"""Clause: a batch may take messages of other queues with its commit; who only looks holds nothing.

The flow here adds numbers up: one record on STATE has the sum so far. Every batch takes it and puts another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import penstock
from penstock.model.message import Message
from penstock.qmgr.batches import reservations
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues, depth, put_numbers

KEY = b"sum".ljust(24)


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "STATE")
    put_numbers(qm, "IN", 10)
    qm.put("STATE", b"0", correl_id=KEY, persistent=True)
    return int(qm.batches.new_epoch(FLOW))


def reserve(qm: penstock.QueueManager, epoch: int, rows: int = 4) -> int:
    after = qm.batches.recorded(FLOW)
    return int(qm.batches.reserve(FLOW, "IN", after=after, epoch=epoch, max_rows=rows)["n"])


def look(qm: penstock.QueueManager, n: int, epoch: int) -> tuple[int, Message]:
    (found,) = qm.batches.look(FLOW, n, "STATE", epoch=epoch, correl_id=KEY)
    return found


def add_up(qm: penstock.QueueManager, n: int, epoch: int, attempt: str = "a") -> None:
    number, record = look(qm, n, epoch)
    messages = qm.batches.read_slice(FLOW, n, 0, 1, epoch=epoch)
    total = int(record.body or b"") + sum(int(message.body or b"") for message in messages)
    output = ("STATE", Message(b"%d" % total, correl_id=KEY, persistent=True))
    takes = [("STATE", KEY, number)]
    qm.batches.prepare_outputs(FLOW, n, 0, attempt, [output], epoch=epoch, takes=takes)


def run_to_end(qm: penstock.QueueManager) -> None:
    epoch = qm.batches.new_epoch(FLOW)
    while (n := reserve(qm, epoch)) > qm.batches.recorded(FLOW):
        add_up(qm, n, epoch)
        qm.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)


def test_what_is_taken_goes_with_the_commit(qm: penstock.QueueManager, epoch: int) -> None:
    n = reserve(qm, epoch)
    add_up(qm, n, epoch)
    assert (bodies(qm, "STATE"), depth(qm, "STATE"), qm.get("STATE")) == ([], 0, None)  # held for the batch

    qm.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)

    assert (bodies(qm, "STATE"), depth(qm, "STATE")) == ([b"6"], 1)


def test_looking_holds_nothing(qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]) -> None:
    n = reserve(qm, epoch)
    number, _ = look(qm, n, epoch)
    assert qm.get("STATE", correl_id=KEY).body == b"0"
    with fails(8321):
        qm.batches.prepare_outputs(FLOW, n, 0, "a", [], epoch=epoch, takes=[("STATE", KEY, number)])
    qm.put("STATE", b"5", correl_id=KEY, persistent=True)
    add_up(qm, n, epoch)
    qm.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)
    assert bodies(qm, "STATE") == [b"11"]


def test_a_look_that_would_bring_too_much_is_refused(
    qm: penstock.QueueManager, epoch: int, monkeypatch: pytest.MonkeyPatch, fails: Callable[[int], Any]
) -> None:
    monkeypatch.setattr(reservations, "LOOK_BYTES_MAX", 10)
    n = reserve(qm, epoch)
    qm.put("STATE", b"x" * 10, correl_id=KEY)
    with fails(8042):
        look(qm, n, epoch)
    qm.get("STATE")
    assert look(qm, n, epoch)[1].length == 10  # one is never too much


def test_attempts_of_one_batch_see_and_take_the_same(qm: penstock.QueueManager, epoch: int) -> None:
    n = reserve(qm, epoch)
    for attempt in ("a", "b", "a"):
        add_up(qm, n, epoch, attempt)
    qm.batches.commit(FLOW, n, {0: "b"}, epoch=epoch)
    assert bodies(qm, "STATE") == [b"6"]


def test_a_message_is_named_once(qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]) -> None:
    n = reserve(qm, epoch)
    take = ("STATE", KEY, look(qm, n, epoch)[0])
    with fails(8321):
        qm.batches.prepare_outputs(FLOW, n, 0, "a", [], epoch=epoch, takes=[take, take])
    add_up(qm, n, epoch)
    qm.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)
    assert bodies(qm, "STATE") == [b"6"]


def test_a_message_is_taken_by_one_slice(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    n = reserve(qm, epoch)
    take = ("STATE", KEY, look(qm, n, epoch)[0])
    add_up(qm, n, epoch)
    with fails(8321):
        qm.batches.prepare_outputs(FLOW, n, 1, "a", [], epoch=epoch, takes=[take])
    qm.batches.prepare_outputs(FLOW, n, 1, "a", [], epoch=epoch)
    qm.batches.commit(FLOW, n, {0: "a", 1: "a"}, epoch=epoch)
    assert (bodies(qm, "STATE"), depth(qm, "STATE"), depth(qm, "IN")) == ([b"6"], 1, 6)


def test_an_input_of_the_batch_is_not_for_taking(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    flow = "reads its records"
    own = qm.batches.new_epoch(flow)
    ((number, _),) = _seen_before_reserved(qm)
    qm.batches.reserve(flow, "STATE", after=0, epoch=own)
    assert qm.batches.look(flow, 1, "STATE", epoch=own, correl_id=KEY) == []
    with fails(8321):
        qm.batches.prepare_outputs(flow, 1, 0, "a", [], epoch=own, takes=[("STATE", KEY, number)])
    qm.batches.release(flow)
    assert (bodies(qm, "STATE"), depth(qm, "STATE")) == ([b"0"], 1)


def _seen_before_reserved(qm: penstock.QueueManager) -> list[tuple[int, Message]]:
    epoch = qm.batches.new_epoch("other")
    qm.batches.reserve("other", "IN", after=0, epoch=epoch, max_rows=1)
    found: list[tuple[int, Message]] = qm.batches.look("other", 1, "STATE", epoch=epoch, correl_id=KEY)
    return found


def test_another_flow_must_wait(qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]) -> None:
    n = reserve(qm, epoch)
    other = qm.batches.new_epoch("other")
    qm.batches.reserve("other", "IN", after=0, epoch=other, max_rows=1)
    ((number, _),) = qm.batches.look("other", 1, "STATE", epoch=other, correl_id=KEY)
    add_up(qm, n, epoch)
    with fails(8321):
        qm.batches.prepare_outputs("other", 1, 0, 0, [], epoch=other, takes=[("STATE", KEY, number)])
    assert qm.batches.look("other", 1, "STATE", epoch=other, correl_id=KEY) == []


@pytest.mark.parametrize("how", ["new epoch", "release", "prepared again", "lost"])
def test_what_nobody_takes_any_more_is_free(qm: penstock.QueueManager, epoch: int, how: str) -> None:
    n = reserve(qm, epoch)
    add_up(qm, n, epoch)
    if how == "new epoch":
        qm.batches.new_epoch(FLOW)
    elif how == "release":
        qm.batches.release(FLOW)
    else:
        attempt = "a" if how == "prepared again" else "b"
        qm.batches.prepare_outputs(FLOW, n, 0, attempt, [], epoch=epoch)
        qm.batches.commit(FLOW, n, {0: attempt}, epoch=epoch)
    assert (bodies(qm, "STATE"), depth(qm, "STATE")) == ([b"0"], 1)


def test_a_getter_that_waits_is_served_when_it_is_free(qm: penstock.QueueManager, epoch: int) -> None:
    n = reserve(qm, epoch)
    add_up(qm, n, epoch)
    from threading import Timer

    timer = Timer(0.1, qm.batches.new_epoch, (FLOW,))
    timer.start()
    assert qm.get("STATE", wait=60.0).body == b"0"
    timer.join()


def test_a_message_that_is_not_persistent_is_taken_too(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put("STATE", b"passing", correl_id=b"x" * 24, persistent=False)
    n = reserve(qm, epoch)
    ((number, found),) = qm.batches.look(FLOW, n, "STATE", epoch=epoch, correl_id=b"x" * 24)
    assert found.body == b"passing"
    takes = [("STATE", b"x" * 24, number)]
    qm.batches.prepare_outputs(FLOW, n, 0, 0, [], epoch=epoch, takes=takes)
    qm.batches.commit(FLOW, n, {0: 0}, epoch=epoch)
    assert bodies(qm, "STATE") == [b"0"]


@pytest.mark.crash
@pytest.mark.parametrize("checkpoints", ["none", "before", "always"])
def test_a_kill_after_any_step_counts_everything_once(
    qm: penstock.QueueManager,
    epoch: int,
    after_crash: Callable[[Any], penstock.QueueManager],
    checkpoints: str,
) -> None:
    for step in _steps(qm, epoch):
        if checkpoints == "always":
            qm.checkpoint()
        restarted = after_crash(qm)
        if checkpoints == "before":
            qm.checkpoint()
        again = after_crash(restarted)
        run_to_end(again)
        assert (bodies(again, "STATE"), depth(again, "STATE"), depth(again, "IN")) == ([b"45"], 1, 0), step
        for each in (again, restarted):
            each.close()


def _steps(qm: penstock.QueueManager, epoch: int) -> Iterator[str]:
    yield "start"
    for n in (1, 2):
        reserve(qm, epoch)
        yield f"reserve {n}"
        add_up(qm, n, epoch, "lost")
        yield f"failed attempt {n}"
        add_up(qm, n, epoch)
        yield f"work {n}"
        qm.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)
        yield f"commit {n}"


@pytest.mark.crash
def test_a_prepared_batch_holds_what_it_takes_over_a_restart(
    qm: penstock.QueueManager, epoch: int, after_crash: Callable[[Any], penstock.QueueManager]
) -> None:
    n = reserve(qm, epoch)
    add_up(qm, n, epoch)
    restarted = after_crash(qm)
    assert restarted.get("STATE") is None
    restarted.checkpoint()
    restarted = after_crash(restarted)
    restarted.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)
    assert bodies(restarted, "STATE") == [b"6"]
    assert bodies(after_crash(restarted), "STATE") == [b"6"]


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(3))
def test_a_random_walk_with_crashes_adds_up(
    qm: penstock.QueueManager, epoch: int, after_crash: Callable[[Any], penstock.QueueManager], seed: int
) -> None:
    dice = random.Random(seed)
    sent, prepared = 10, False
    for _ in range(60):
        event = dice.random()
        n = reserve(qm, epoch, dice.randrange(1, 4))
        if event < 0.2:
            put_numbers(qm, "IN", 2, sent)
            sent += 2
        elif event < 0.5 and n > qm.batches.recorded(FLOW):
            add_up(qm, n, epoch, dice.choice("ab"))
            add_up(qm, n, epoch)
            prepared = True
        elif event < 0.75 and prepared:
            qm.batches.commit(FLOW, n, {0: "a"}, epoch=epoch)
            prepared = False
        elif event < 0.85:
            qm.checkpoint()
        else:
            qm = after_crash(qm)
            if event > 0.95:
                epoch, prepared = int(qm.batches.new_epoch(FLOW)), False
    run_to_end(qm)
    assert bodies(qm, "STATE") == [b"%d" % sum(range(sent))], f"seed {seed}"
