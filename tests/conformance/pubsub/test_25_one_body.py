"""A publication's body is stored once, however many subscribers: in memory, journal and message files."""

from __future__ import annotations

import os

SUBSCRIBERS = 200
BODY = os.urandom(100_000)


def queues_of(qm):
    return [each.queue for each in qm.engine.pubsub.subscriptions.values()]


def subscribed(qm):
    qm.mqsc("ALTER QMGR MAXHANDS(999999)")
    for number in range(SUBSCRIBERS):
        qm.subscribe("a", durable=f"s{number}").close()


def bytes_of_files(qm) -> int:
    return sum(path.stat().st_size for path in qm.host.folder.queues.glob("M*.DAT"))


def test_in_memory_and_in_the_journal(qm):
    subscribed(qm)
    before = qm.host.journal.end
    qm.publish("a", BODY, persistent=True)
    assert qm.host.journal.end - before < 2 * len(BODY)
    assert {id(m.body) for queue in queues_of(qm) for m in queue.messages()} == {id(BODY)}


def test_in_message_files_and_after_a_restart(embed):
    qm = embed()
    subscribed(qm)
    qm.publish("a", BODY, persistent=True)
    before = bytes_of_files(qm)
    qm.checkpoint()
    assert bytes_of_files(qm) - before < 4 * len(BODY)
    qm.close()
    qm = embed()
    for number in range(SUBSCRIBERS):
        with qm.subscribe(durable=f"s{number}") as sub:
            assert sub.get().body == BODY
            assert sub.get() is None


def test_when_queues_outgrow_their_memory(embed):
    qm = embed()
    subscribed(qm)
    qm.engine.persistent_buffer_bytes = 50_000
    qm.publish("a", BODY, persistent=True)
    qm.host.housekeeping(0.0)
    assert all(m.body is None for queue in queues_of(qm) for m in queue.messages())
    assert len(BODY) < bytes_of_files(qm) < 5 * len(BODY)
    with qm.subscribe(durable="s7") as sub:
        assert sub.get().body == BODY


def test_a_crash_after_the_checkpoint_keeps_every_copy(embed):
    qm = embed()
    subscribed(qm)
    qm.publish("a", BODY, persistent=True)
    qm.checkpoint()
    with qm.subscribe(durable="s0") as sub:
        assert sub.get().body == BODY  # the copy whose record has the body, most likely
    qm.checkpoint()
    qm.host.abandon()
    qm = embed()
    for number in range(1, SUBSCRIBERS):
        with qm.subscribe(durable=f"s{number}") as sub:
            assert sub.get().body == BODY
