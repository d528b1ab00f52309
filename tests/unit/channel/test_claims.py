"""Claim on put: a sending end takes messages into a batch before they are on disk."""

from __future__ import annotations

from typing import Any

from penstock.channel import frames
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message
from penstock.protocol import numbers as protocol
from penstock.qmgr.channels.arrivals import Arrivals
from penstock.qmgr.states import AVAILABLE
from tests.unit.channel.test_ends import NOW, Pair, sync


class Claiming(Pair):
    """A pair whose sending end claims messages before they are on disk."""

    def __init__(self, **offer: Any) -> None:
        super().__init__(**offer)
        self.rung = 0
        queue = self.source.queues["QMB"]
        queue.arrivals = Arrivals(self.source, queue, self.ring)
        self.start()

    def ring(self) -> None:
        self.rung += 1

    def put_unsynced(self, body: bytes, unit: Any = None, persistent: bool = True) -> None:
        message = Message(body, self.source.ids.next(), persistent=persistent, put_time=NOW)
        self.source.put_message(self.source.resolve("R"), message, unit, NOW)

    def seen(self) -> list[bytes]:
        """Return what a program could get from the transmission queue now."""
        return [m.body for m in self.source.queues["QMB"].messages() if m.state == AVAILABLE]


def test_one_sync_makes_a_put_and_the_batch_that_claims_it_durable() -> None:
    pair = Claiming()
    pair.put_unsynced(b"1")
    assert pair.rung == 1
    pair.sender.pump(NOW)
    assert pair.to_target() == [protocol.MOVE]
    assert pair.seen() == []
    sync(pair.source)
    assert pair.to_target() == [protocol.CONFIRM]
    pair.settle()
    assert pair.arrived() == [b"1"]
    assert pair.left() == 0


def test_a_committed_unit_is_claimed_up_to_a_message_that_is_not_persistent() -> None:
    pair = Claiming()
    unit = pair.source.new_unit(None, NOW)
    for body, persistent in ((b"1", True), (b"2", False), (b"3", True)):
        pair.put_unsynced(body, unit, persistent)
    pair.sender.pump(NOW)
    assert pair.forth.frames == []  # it is not committed
    pair.source.commit(unit, NOW)
    pair.sender.pump(NOW)
    assert len(pair.source.queues["QMB"].arrivals._messages) == 2
    assert pair.seen() == []
    pair.settle()
    assert pair.arrived() == [b"1", b"2", b"3"]
    assert pair.source.queues["QMB"].uncommitted == 0


def test_a_claimed_message_returns_unseen_when_its_batch_fails_before_it_is_on_disk() -> None:
    pair = Claiming()
    pair.put_unsynced(b"1")
    unit = pair.source.new_unit(None, NOW)
    pair.put_unsynced(b"2", unit)
    pair.source.commit(unit, NOW)
    pair.sender.pump(NOW)
    pair.sender.on_frame(frames.failed(1, error(mq.MQRC_Q_FULL, "")), NOW)
    assert pair.sender.state == "ENDED"
    assert pair.seen() == []
    sync(pair.source)
    assert pair.seen() == [b"1", b"2"]
    assert [m.backout_count for m in pair.source.queues["QMB"].messages()] == [0, 0]
    pair.link()
    pair.settle()
    assert pair.arrived() == [b"1", b"2"]


def test_nothing_is_claimed_while_batches_may_stay_open() -> None:
    for options in ({"batch_interval": 1.0}, {"batch_heartbeat": 1.0}):
        pair = Claiming()
        pair.link(**options)
        pair.start()
        pair.put_unsynced(b"1")
        pair.sender.pump(NOW)
        assert pair.forth.frames == []
