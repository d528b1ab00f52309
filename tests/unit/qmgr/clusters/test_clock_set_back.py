"""What depends on the clock goes on when the clock of the machine is set back."""

from __future__ import annotations

from penstock.model.message import Message
from tests.simulation.clusters import World


def test_expired_messages_are_discarded_after_the_clock_was_set_back() -> None:
    node = World(1, 3).nodes["N002"]
    engine, now = node.engine, node.now()
    node.define("QLOCAL", "Q")
    engine.tick(now + 3600)
    message = Message(b"", engine.ids.next(), put_time=now, expires_at=now + 10)
    engine.put_message(engine.resolve("Q"), message, None, now)

    engine.tick(now)
    assert engine.queues["Q"].depth == 1
    engine.tick(now + 20)
    assert engine.queues["Q"].depth == 0
