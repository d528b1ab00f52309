"""Remote queues: transmission queues of the wrong kind (2091, 2092, 2197, 2198, 2199)."""

from __future__ import annotations


def test_a_queue_that_is_not_for_transmission_is_2092(qm, queue, run, fails):
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM2) XMITQ(Q)")
    with fails(2092):
        qm.put("R", b"a")


def test_a_queue_that_is_not_local_is_2091(qm, queue, run, fails):
    run("DEFINE QALIAS(A) TARGET(Q)")
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM2) XMITQ(A)")
    with fails(2091):
        qm.put("R", b"a")


def test_defxmitq_that_is_missing_is_2197(qm, run, fails):
    run("ALTER QMGR DEFXMITQ(NONE)")
    with fails(2197):
        qm.put("O", b"a", qmgr="QM9")


def test_defxmitq_that_is_not_local_is_2198(qm, queue, run, fails):
    run("DEFINE QALIAS(A) TARGET(Q)")
    run("ALTER QMGR DEFXMITQ(A)")
    with fails(2198):
        qm.put("O", b"a", qmgr="QM9")


def test_defxmitq_that_is_not_for_transmission_is_2199(qm, queue, run, fails):
    run("ALTER QMGR DEFXMITQ(Q)")
    with fails(2199):
        qm.put("O", b"a", qmgr="QM9")
