"""MQOPEN, MAXHANDS (section 14): 2017 when a connection has as many handles open as it may."""

from __future__ import annotations

from penstock.model import constants as mq


def test_one_handle_too_many_is_refused(qm, queue, run, fails):
    run("ALTER QMGR MAXHANDS(3)")
    handles = [qm.open(queue, mq.MQOO_OUTPUT) for _ in range(3)]
    with fails(2017):
        qm.open(queue, mq.MQOO_OUTPUT)
    handles[0].close()
    assert qm.open(queue, mq.MQOO_OUTPUT).close() == 0


def test_handles_count_for_each_connection(qm, embed, queue, run):
    run("ALTER QMGR MAXHANDS(1)")
    other = embed()
    with qm.open(queue, mq.MQOO_OUTPUT), other.open(queue, mq.MQOO_OUTPUT) as second:
        assert second.name == queue


def test_the_default_is_256(qm):
    with qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR) as handle:
        assert handle.inquire("MAXHANDS") == {"MAXHANDS": 256}
