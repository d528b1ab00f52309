"""MQPMO options (section 2): conflicts are 2046."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize(
    "options",
    [
        mq.MQPMO_SYNCPOINT | mq.MQPMO_NO_SYNCPOINT,
        mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_SYNC_RESPONSE,
        mq.MQPMO_DEFAULT_CONTEXT | mq.MQPMO_NO_CONTEXT,
        mq.MQPMO_SET_ALL_CONTEXT | mq.MQPMO_SET_IDENTITY_CONTEXT,
        0x40000000,
    ],
)
def test_conflicting_and_unknown_options_are_refused(qm, queue, fails, options):
    with fails(2046):
        qm.put(queue, b"a", options=options)
    qm.backout()
    assert qm.get(queue) is None


def test_without_syncpoint_option_a_put_is_outside_a_unit(qm, embed, queue):
    qm.put(queue, b"a", options=mq.MQPMO_FAIL_IF_QUIESCING)
    assert embed().get(queue).body == b"a"


def test_a_put_that_fails_starts_no_unit(qm, queue, run, fails):
    run("ALTER QLOCAL(Q) MAXDEPTH(0)")
    with qm.open(queue, mq.MQOO_OUTPUT) as handle, fails(2053):
        handle.put(b"a", options=mq.MQPMO_SYNCPOINT)
    with fails(2053):
        qm.put(queue, b"a", options=mq.MQPMO_SYNCPOINT)
    qm.begin()
    qm.backout()


def test_syncpoint_starts_a_unit(qm, queue):
    qm.put(queue, b"a", options=mq.MQPMO_SYNCPOINT)
    qm.backout()
    assert qm.get(queue) is None


def test_no_syncpoint_inside_a_unit_is_outside_it(qm, queue):
    qm.begin()
    qm.put(queue, b"in")
    qm.put(queue, b"out", options=mq.MQPMO_NO_SYNCPOINT)
    qm.backout()
    assert [m.body for m in qm.get_many(queue, 5)] == [b"out"]


def test_asynchronous_response_puts_all_the_same(qm, queue):
    qm.put(queue, b"a", options=mq.MQPMO_ASYNC_RESPONSE)
    assert qm.get(queue).body == b"a"
