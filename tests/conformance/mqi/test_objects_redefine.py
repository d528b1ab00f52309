"""DEFINE REPLACE and ALTER: messages stay, open handles follow as in MQ."""

from __future__ import annotations

from penstock.model import constants as mq


def test_define_replace_keeps_the_messages(qm, queue, run):
    qm.put(queue, b"a")
    run("DEFINE QLOCAL(Q) REPLACE MAXDEPTH(1)")
    assert qm.get(queue).body == b"a"


def test_define_without_replace_fails(qm, queue):
    assert qm.mqsc("DEFINE QLOCAL(Q)")[0].id.endswith("E")


def test_another_kind_of_the_same_name_fails(qm, queue):
    assert qm.mqsc("DEFINE QALIAS(Q) TARGET(X) REPLACE")[0].id.endswith("E")


def test_open_handles_see_changed_limits(qm, queue, run, fails):
    with qm.open(queue, mq.MQOO_OUTPUT) as handle:
        handle.put(b"a")
        run("ALTER QLOCAL(Q) MAXDEPTH(1)")
        with fails(2053):
            handle.put(b"b")


def test_a_changed_msgdlvsq_counts_for_later_arrivals(qm, queue, run):
    qm.put(queue, b"low", priority=1)
    run("ALTER QLOCAL(Q) MSGDLVSQ(FIFO) DEFPRTY(0)")
    qm.put(queue, b"first", priority=0)
    qm.put(queue, b"second", priority=9)
    found = [m.body for m in qm.get_many(queue, 5)]
    assert found.index(b"first") < found.index(b"second")


def test_get_disabled_wakes_those_who_wait(qm, queue, run, spawn, waiting):
    waiter = spawn(qm.get, queue, wait=120.0)
    waiting(qm, queue)
    run("ALTER QLOCAL(Q) GET(DISABLED)")
    assert waiter.exception(5).reason == 2016
