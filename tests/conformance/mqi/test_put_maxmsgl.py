"""MAXMSGL (section 2): 2030 for the queue's, 2031 for the queue manager's."""

from __future__ import annotations

from penstock.model import constants as mq


def test_longer_than_the_queue_allows_is_2030(qm, run, fails):
    run("DEFINE QLOCAL(Q) MAXMSGL(10)")
    qm.put("Q", b"x" * 10)
    with fails(2030):
        qm.put("Q", b"x" * 11)
    assert qm.get("Q").length == 10


def test_longer_than_the_queue_manager_allows_is_2031(qm, run, fails):
    run("DEFINE QLOCAL(Q) MAXMSGL(104857600)")
    with fails(2031):
        qm.put("Q", b"x" * 4194305)


def test_altering_counts_for_open_handles(qm, queue, run, fails):
    with qm.open(queue, mq.MQOO_OUTPUT) as handle:
        handle.put(b"x" * 100)
        run("ALTER QLOCAL(Q) MAXMSGL(50)")
        with fails(2030):
            handle.put(b"x" * 100)
    assert qm.get(queue).length == 100


def test_a_refused_put_leaves_the_unit_as_it_was(qm, run, fails):
    run("DEFINE QLOCAL(Q) MAXMSGL(1)")
    with qm.unit_of_work():
        qm.put("Q", b"a")
        with fails(2030):
            qm.put("Q", b"too long")
    assert [m.body for m in qm.get_many("Q", 5)] == [b"a"]
