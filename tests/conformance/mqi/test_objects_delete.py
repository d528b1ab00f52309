"""DELETE: not while an object is in use, and not with messages unless PURGE."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


def failed(qm, command):
    return qm.mqsc(command)[0].id.endswith("E")


def test_a_queue_with_messages_needs_purge(qm, queue, fails):
    qm.put(queue, b"a", persistent=True)
    assert failed(qm, "DELETE QLOCAL(Q)")
    assert not failed(qm, "DELETE QLOCAL(Q) PURGE")
    with fails(2085):
        qm.get(queue)


@pytest.mark.parametrize("options", [mq.MQOO_INPUT_SHARED, mq.MQOO_OUTPUT, mq.MQOO_BROWSE, mq.MQOO_INQUIRE])
def test_an_open_queue_is_not_deleted(qm, queue, options):
    with qm.open(queue, options):
        assert failed(qm, "DELETE QLOCAL(Q) PURGE")
    assert not failed(qm, "DELETE QLOCAL(Q)")


def test_uncommitted_messages_forbid_it(qm, queue):
    qm.begin()
    qm.put(queue, b"a")
    assert failed(qm, "DELETE QLOCAL(Q) PURGE")
    qm.backout()
    assert not failed(qm, "DELETE QLOCAL(Q)")


def test_an_alias_or_process_that_is_open_is_not_deleted(qm, queue, run):
    run("DEFINE QALIAS(A) TARGET(Q)")
    run("DEFINE PROCESS(P)")
    with qm.open("A", mq.MQOO_OUTPUT), qm.open("P", mq.MQOO_INQUIRE, object_type=mq.MQOT_PROCESS):
        assert failed(qm, "DELETE QALIAS(A)")
        assert failed(qm, "DELETE QLOCAL(Q)")
        assert failed(qm, "DELETE PROCESS(P)")
    assert not failed(qm, "DELETE QALIAS(A)")


def test_a_new_queue_of_the_same_name_is_empty(qm, embed, queue, run):
    qm.put(queue, b"a", persistent=True)
    run("DELETE QLOCAL(Q) PURGE")
    run("DEFINE QLOCAL(Q)")
    assert qm.get(queue) is None
    qm.put(queue, b"new", persistent=True)
    qm.close()
    again = embed()
    assert [m.body for m in again.get_many(queue, 5)] == [b"new"]


def test_a_waiting_getter_by_name_does_not_keep_the_queue(qm, queue, run, spawn, waiting):
    waiter = spawn(qm.get, queue, wait=120.0)
    waiting(qm, queue)
    run("DELETE QLOCAL(Q)")
    assert waiter.exception(5).reason in (2052, 2085)
