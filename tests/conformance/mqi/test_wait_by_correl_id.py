"""SEMANTICS 3: many requesters wait, each for its own correlation id."""

from __future__ import annotations


def test_each_waiter_gets_its_own_reply(qm, queue, spawn, waiting) -> None:
    ids = [b"%024d" % number for number in range(20)]
    futures = {key: spawn(qm.get, queue, wait=120.0, correl_id=key) for key in ids}
    waiting(qm, count=20)

    for key in reversed(ids):
        qm.put(queue, b"reply to " + key, correl_id=key)

    assert all(future.result(60).body == b"reply to " + key for key, future in futures.items())


def test_two_waiters_for_one_id_get_one_message_each(qm, queue, spawn, waiting) -> None:
    futures = [spawn(qm.get, queue, wait=120.0, correl_id=b"k") for _ in range(2)]
    waiting(qm, count=2)

    qm.put(queue, b"1", correl_id=b"k")
    qm.put(queue, b"2", correl_id=b"k")

    assert sorted(future.result(60).body for future in futures) == [b"1", b"2"]


def test_handles_wait_by_id_too(qm, queue, spawn, waiting) -> None:
    with qm.open(queue) as one, qm.open(queue) as two:
        first = spawn(one.get, wait=120.0, correl_id=b"a")
        second = spawn(two.get, wait=120.0, correl_id=b"b")
        waiting(qm, count=2)
        qm.put(queue, b"for b", correl_id=b"b")
        qm.put(queue, b"for a", correl_id=b"a")
        assert (first.result(60).body, second.result(60).body) == (b"for a", b"for b")
