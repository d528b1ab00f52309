"""Priority (section 1): default, limits, 2049 and 2050."""

from __future__ import annotations

from penstock.model import constants as mq


def test_default_is_the_queues(qm, run):
    run("DEFINE QLOCAL(Q) DEFPRTY(6)")
    qm.put("Q", b"a")
    qm.put("Q", b"b", priority=mq.MQPRI_PRIORITY_AS_Q_DEF)
    assert [qm.get("Q").priority, qm.get("Q").priority] == [6, 6]


def test_above_the_maximum_is_a_warning_and_kept(qm, queue):
    receipt = qm.put(queue, b"a", priority=12)
    assert receipt.warning == 2049
    assert qm.get(queue).priority == 12


def test_above_the_maximum_is_treated_as_the_maximum(qm, queue):
    qm.put(queue, b"nine", priority=9)
    qm.put(queue, b"more", priority=50)
    assert [qm.get(queue).body, qm.get(queue).body] == [b"nine", b"more"]


def test_below_zero_is_2050(qm, queue, fails):
    with fails(2050):
        qm.put(queue, b"a", priority=-2)


def test_a_changed_default_counts_for_later_puts(qm, queue, run):
    with qm.open(queue, mq.MQOO_OUTPUT) as handle:
        handle.put(b"a")
        run("ALTER QLOCAL(Q) DEFPRTY(8)")
        handle.put(b"b")
    assert [(m.body, m.priority) for m in qm.get_many(queue, 2)] == [(b"b", 8), (b"a", 0)]
