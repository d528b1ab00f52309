"""PUT(DISABLED) is 2051 (sections 2 and 13), also while the queue is open."""

from __future__ import annotations

from penstock.model import constants as mq


def test_put_to_a_disabled_queue_is_refused(qm, run, fails):
    run("DEFINE QLOCAL(Q) PUT(DISABLED)")
    with fails(2051):
        qm.put("Q", b"a")
    with fails(2051):
        qm.put("Q", b"a", priority=1)
    assert qm.get("Q") is None


def test_it_can_be_opened_all_the_same(qm, run, fails):
    run("DEFINE QLOCAL(Q) PUT(DISABLED)")
    with qm.open("Q", mq.MQOO_OUTPUT) as handle:
        with fails(2051):
            handle.put(b"a")


def test_disabling_works_on_open_handles_and_enabling_too(qm, queue, run, fails):
    with qm.open(queue, mq.MQOO_OUTPUT) as handle:
        handle.put(b"a")
        run("ALTER QLOCAL(Q) PUT(DISABLED)")
        with fails(2051):
            handle.put(b"b")
        run("ALTER QLOCAL(Q) PUT(ENABLED)")
        handle.put(b"c")
    assert [m.body for m in qm.get_many(queue, 5)] == [b"a", b"c"]


def test_messages_that_are_there_can_be_got(qm, queue, run):
    qm.put(queue, b"a")
    run("ALTER QLOCAL(Q) PUT(DISABLED)")
    assert qm.get(queue).body == b"a"


def test_what_was_put_in_a_unit_can_be_committed(qm, queue, run):
    with qm.unit_of_work():
        qm.put(queue, b"a")
        run("ALTER QLOCAL(Q) PUT(DISABLED)")
    assert qm.get(queue).body == b"a"
