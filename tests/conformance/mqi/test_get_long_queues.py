"""Gets that look through a long queue do it in steps, and find what a single look would have found."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import Open
from penstock.model.message import Message
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.objects import Definition
from penstock.qmgr.queue import Queue
from penstock.qmgr.searching import scanning
from penstock.qmgr.searching.scanning import Paused, Scan
from penstock.qmgr.selectors.selector import Selector, compile_selector
from penstock.qmgr.states import AVAILABLE, LOCKED
from penstock.qmgr.waiters import Match
from tests.patience import until

MANY = 3 * scanning.STEP_COST
RED = Match(selector=compile_selector("colour = 'red'"))


@pytest.fixture
def deep(qm: Any) -> Any:
    """A queue with many messages, none of which is red."""
    qm.mqsc(f"DEFINE QLOCAL(DEEP) MAXDEPTH(1000000)\nALTER QMGR MAXUMSGS({MANY})")
    qm.put_many("DEEP", [b"grey"] * MANY)
    return qm


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every message that a selector was asked about."""
    found: list[Any] = []
    ask = Selector.matches

    def matches(self: Selector, message: Any) -> bool:
        found.append(message)
        return ask(self, message)

    monkeypatch.setattr(Selector, "matches", matches)
    return found


def until_somebody_waits(queue: Any) -> None:
    until(lambda: queue.waiting is not None and queue.waiting.count, pause=0.001)


@pytest.mark.parametrize("browse", [False, True])
def test_the_engine_is_let_go_again_and_again(deep: Any, asked: list[Any], browse: bool) -> None:
    at = deep.gate.entered
    with deep.open("DEEP", Open.INPUT_SHARED | Open.BROWSE) as handle:
        options = penstock.Get.BROWSE_FIRST if browse else 0
        assert handle.get(selector="colour = 'red'", options=options, quiet=True) is None
    assert len(asked) == MANY
    assert deep.gate.entered - at >= 3 * MANY // scanning.STEP_COST


@pytest.mark.parametrize("unit", [False, True])
def test_neither_messages_of_one_id_nor_a_units_own_puts_are_one_step(
    qm: Any, asked: list[Any], unit: bool
) -> None:
    qm.mqsc(f"DEFINE QLOCAL(DEEP) MAXDEPTH(1000000)\nALTER QMGR MAXUMSGS({MANY + 1})")
    correl_id = b"same".ljust(24)
    if unit:
        qm.begin()
    for _ in range(MANY):
        qm.put("DEEP", b"", correl_id=correl_id, persistent=False)
    qm.put("DEEP", b"red", correl_id=correl_id, properties={"colour": "red"}, persistent=False)
    at = qm.gate.entered
    got = qm.get("DEEP", selector="colour = 'red'", correl_id=None if unit else correl_id)
    assert got.body == b"red"
    assert len(asked) == MANY + 1
    assert qm.gate.entered - at >= 3 * MANY // scanning.STEP_COST
    if unit:
        qm.backout()


def test_the_unit_s_own_put_of_the_highest_priority_is_taken(qm: Any, queue: str) -> None:
    with qm.unit_of_work():
        for priority in (3, 7, 5):
            qm.put(queue, b"%d" % priority, priority=priority, properties={"colour": "red"})
        taken = [qm.get(queue, selector="colour = 'red'").body for _ in range(3)]
    assert taken == [b"7", b"5", b"3"]


def test_a_message_at_the_end_is_found(deep: Any) -> None:
    deep.put("DEEP", b"red", properties={"colour": "red"})
    assert deep.get("DEEP", selector="colour = 'red'").body == b"red"
    assert deep.get("DEEP", selector="colour = 'red'") is None


@pytest.mark.parametrize("by_handle", [False, True])
def test_whoever_puts_does_not_look_through_the_queue_for_those_who_wait(
    deep: Any, asked: list[Any], by_handle: bool
) -> None:
    """With one getter that waits by selector, each put took as long as a look at every message."""
    found: list[Any] = []

    def wait() -> None:
        with penstock.embed("QM1") as other:
            if by_handle:
                with other.open("DEEP", Open.INPUT_SHARED) as handle:
                    found.append(handle.get(selector="colour = 'red'", max_length=100, wait=60.0))
            else:
                found.append(other.get("DEEP", selector="colour = 'red'", wait=60.0))

    getter = threading.Thread(target=wait)
    getter.start()
    queue = deep.engine.queues["DEEP"]
    until_somebody_waits(queue)
    asked.clear()
    for _ in range(10):
        deep.put("DEEP", b"grey")
    assert len(asked) <= 10
    deep.put("DEEP", b"red", properties={"colour": "red"})
    getter.join(60)
    assert [message.body for message in found] == [b"red"]


def test_a_backout_does_not_look_through_the_queue_for_those_who_wait(deep: Any, asked: list[Any]) -> None:
    found: list[Any] = []

    def wait() -> None:
        with penstock.embed("QM1") as other:
            found.append(other.get("DEEP", selector="colour = 'red'", wait=60.0))

    deep.put("DEEP", b"red", properties={"colour": "red"})
    getter = threading.Thread(target=wait)
    with penstock.embed("QM1") as holder:
        holder.begin()
        assert holder.get("DEEP", selector="colour = 'red'") is not None
        getter.start()
        until_somebody_waits(deep.engine.queues["DEEP"])
        asked.clear()
        holder.backout()
        looked_at = len(asked)
    getter.join(60)
    assert looked_at <= scanning.STEP_COST
    assert [message.body for message in found] == [b"red"]


def test_expired_messages_are_discarded_in_steps(qm: Any) -> None:
    qm.mqsc("DEFINE QLOCAL(OLD)")
    for _ in range(2500):
        qm.put("OLD", b"", expiry=1000.0)
    qm.put("OLD", b"good")
    engine, queue, later = qm.engine, qm.engine.queues["OLD"], time.time() + 2000.0
    for left in (1501, 501):
        with qm.gate:
            engine.step.begin()
            assert engine.select(queue, None, None, later) is None
            assert engine.step.to_load == []  # nothing to read: the get is to be made again, others first
        assert queue.depth == left
    with qm.gate:
        engine.step.begin()
        assert engine.select(queue, None, None, later).body == b"good"
        assert engine.step.to_load is None


Grey = st.tuples(st.just("put"), st.just(0), st.just(0))
Step = st.tuples(
    st.sampled_from(["put", "red", "hold", "free", "take"]), st.integers(0, 30), st.integers(0, 2)
)


@settings(max_examples=500)
@given(
    st.lists(Grey, max_size=9), st.lists(Step, max_size=20), st.lists(st.lists(Step, max_size=3), max_size=9)
)
def test_what_a_scan_misses_was_not_there_when_it_began(greys: Any, before: Any, between: Any) -> None:
    """Against a single look: with messages put, held, given back and taken by others while it pauses."""
    qm = Workshop()
    for step in (*greys, *before):
        qm.do(*step)
    there = {id(message) for message in qm.reds()}
    scan, changes = Scan(4), iter(between)
    while True:
        scan.resume()
        try:
            found = scan.find(qm.queue, RED)
            break
        except Paused:
            for step in next(changes, ()):
                qm.do(*step)
                there &= {id(message) for message in qm.reds()}
    if found is None:
        assert not qm.reds()
    else:
        assert found in qm.reds()
    assert found is not None or not there


class Workshop:
    """A queue, and what others do with it."""

    def __init__(self) -> None:
        self.queue = Queue(Definition("QLOCAL", "Q", defaults("QLOCAL")))

    def linked(self) -> list[Any]:
        return list(self.queue.messages())

    def reds(self) -> list[Any]:
        return [each for each in self.linked() if each.state == AVAILABLE and each.properties]

    def do(self, what: str, place: int, priority: int) -> None:
        if what in ("put", "red"):
            properties = {"colour": "red"} if what == "red" else None
            self.queue.link(Message(b"", priority=priority, properties=properties))
            return
        linked = self.linked()
        if place >= len(linked):
            return
        message = linked[place]
        if what == "hold" and message.state == AVAILABLE:
            self.queue.hold(message, LOCKED, None)
        elif what == "free" and message.state == LOCKED:
            self.queue.free(message)
        elif what == "take" and message.state == AVAILABLE:
            self.queue.unlink(message)
