"""IPPROCS and OPPROCS: how many handles a queue is open with."""

from __future__ import annotations

from penstock.model import constants as mq


def counts(qm, queue):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        found = handle.inquire("IPPROCS", "OPPROCS")
    return found["IPPROCS"], found["OPPROCS"]


def test_input_and_output_handles_are_counted(qm, queue):
    with qm.open(queue, mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT), qm.open(queue, mq.MQOO_INPUT_SHARED):
        assert counts(qm, queue) == (2, 1)
    assert counts(qm, queue) == (0, 0)


def test_browse_and_inquire_are_neither(qm, queue):
    with qm.open(queue, mq.MQOO_BROWSE | mq.MQOO_INQUIRE | mq.MQOO_SET):
        assert counts(qm, queue) == (0, 0)


def test_handles_of_a_connection_that_ends_are_closed(qm, embed, queue):
    other = embed()
    other.open(queue, mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_OUTPUT)
    other.close()
    assert counts(qm, queue) == (0, 0)


def test_one_shot_calls_leave_no_handle(qm, queue):
    qm.put(queue, b"a")
    qm.get(queue)
    assert counts(qm, queue) == (0, 0)
