"""Clause 16: which changes of an open object need FORCE, and what becomes of the handles."""

from __future__ import annotations

import threading

import pytest

import penstock
from penstock.model import constants as mq

DEFINITIONS = """
DEFINE QLOCAL(Q)
DEFINE QLOCAL(Q2)
DEFINE QALIAS(A) TARGET(Q)
DEFINE QLOCAL(X) USAGE(XMITQ)
DEFINE QLOCAL(X2) USAGE(XMITQ)
DEFINE QREMOTE(R) RNAME(N) RQMNAME(QM2) XMITQ(X)
DEFINE QREMOTE(QM3) RNAME(' ') RQMNAME(QM2) XMITQ(X)
ALTER QMGR DEFXMITQ(X)
"""
# what is open, by which options, the change, and who is no good afterwards
CASES = {
    "alias target": (("A",), mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT, "ALTER QALIAS(A) TARGET(Q2)"),
    "noshare": (("Q", "Q"), mq.MQOO_INPUT_SHARED, "ALTER QLOCAL(Q) NOSHARE"),
    "noshare behind an alias": (("A", "Q"), mq.MQOO_INPUT_SHARED, "ALTER QLOCAL(Q) NOSHARE"),
    "usage": (("Q",), mq.MQOO_OUTPUT, "ALTER QLOCAL(Q) USAGE(XMITQ)"),
    "rname": (("R",), mq.MQOO_OUTPUT, "ALTER QREMOTE(R) RNAME(M)"),
    "rqmname": (("R",), mq.MQOO_OUTPUT, "ALTER QREMOTE(R) RQMNAME(QM4)"),
    "xmitq": (("R",), mq.MQOO_OUTPUT, "ALTER QREMOTE(R) XMITQ(X2)"),
}


@pytest.fixture
def qm(qm):
    for reply in qm.mqsc(DEFINITIONS):
        assert not reply.failed, reply.text
    return qm


def use(handle):
    """Call MQPUT, MQGET or MQINQ, whatever a handle is open for; return the reason."""
    try:
        if handle.handle.has(mq.MQOO_OUTPUT):
            handle.put(b"a")
        else:
            handle.get(quiet=True)
    except penstock.MQError as failure:
        return failure.reason
    return 0


@pytest.mark.parametrize("case", CASES)
def test_a_change_that_handles_cannot_follow_needs_force(qm, case):
    names, options, command = CASES[case]
    handles = [qm.open(name, options) for name in names]
    (refused,) = qm.mqsc(command)
    assert (refused.id, refused.reason) == ("AMQ8148E", 3210)
    assert "FORCE" in refused.text
    assert [use(handle) for handle in handles] == [0] * len(handles)
    (made,) = qm.mqsc(f"{command} FORCE")
    assert not made.failed, made.text
    assert [use(handle) for handle in handles] == [2041] * len(handles)
    for handle in handles:
        handle.close()


@pytest.mark.parametrize("case", CASES)
def test_the_same_change_needs_nothing_when_nobody_is_there(qm, case):
    (made,) = qm.mqsc(CASES[case][2])
    assert not made.failed, made.text


def test_one_getter_may_have_the_queue_to_itself(qm):
    with qm.open("Q", mq.MQOO_INPUT_SHARED) as one:
        assert not qm.mqsc("ALTER QLOCAL(Q) NOSHARE")[0].failed
        assert use(one) == 0
        with pytest.raises(penstock.ObjectInUse):
            qm.open("Q", mq.MQOO_INPUT_SHARED)


def test_usage_of_a_queue_with_messages_needs_force(qm):
    qm.put("Q", b"a")
    assert qm.mqsc("ALTER QLOCAL(Q) USAGE(XMITQ)")[0].reason == 3210
    assert not qm.mqsc("ALTER QLOCAL(Q) USAGE(XMITQ) FORCE")[0].failed


def test_the_default_transmission_queue_is_in_use_by_who_leads_over_it_alone(qm):
    with qm.open("R", mq.MQOO_OUTPUT):  # names X itself
        assert not qm.mqsc("ALTER QMGR DEFXMITQ(X2)")[0].failed
    with qm.open("N", mq.MQOO_OUTPUT, qmgr="QM9") as handle:
        assert qm.mqsc("ALTER QMGR DEFXMITQ(X)")[0].reason == 3210
        assert not qm.mqsc("ALTER QMGR DEFXMITQ(X) FORCE")[0].failed
        assert use(handle) == 2041


def test_a_queue_manager_alias_is_in_use_by_who_leads_through_it(qm):
    with qm.open("N", mq.MQOO_OUTPUT, qmgr="QM3") as handle:
        assert qm.mqsc("ALTER QREMOTE(QM3) XMITQ(X2)")[0].reason == 3210
        assert not qm.mqsc("ALTER QREMOTE(QM3) XMITQ(X2) FORCE")[0].failed
        assert use(handle) == 2041


def test_every_other_change_is_made_while_the_object_is_open(qm):
    with qm.open("Q") as one, qm.open("A") as two, qm.open("R") as three:
        for command in (
            "ALTER QLOCAL(Q) MAXDEPTH(9) GET(ENABLED) DEFPSIST(YES) MSGDLVSQ(FIFO) TRIGGER DESCR('x') SHARE",
            "ALTER QALIAS(A) DEFPRTY(3) TARGET(Q)",
            "ALTER QREMOTE(R) DEFPSIST(YES) XMITQ(X)",
            "ALTER QMGR DEFXMITQ(X) DESCR('x')",
        ):
            assert not qm.mqsc(command)[0].failed
        assert [use(handle) for handle in (one, two, three)] == [0, 0, 0]


def test_define_with_replace_is_a_change_without_force(qm):
    with qm.open("A", mq.MQOO_OUTPUT) as handle:
        assert qm.mqsc("DEFINE QALIAS(A) TARGET(Q2) REPLACE")[0].reason == 3210
        assert not qm.mqsc("DEFINE QALIAS(A) TARGET(Q) DEFPRTY(1) REPLACE")[0].failed
        assert use(handle) == 0


def test_a_get_that_waits_ends_and_inquire_and_set_fail_too(qm):
    reasons = []
    with qm.open("A", mq.MQOO_INPUT_SHARED | mq.MQOO_INQUIRE | mq.MQOO_SET | mq.MQOO_BROWSE) as handle:

        def wait():
            try:
                handle.get(wait=60.0)
            except penstock.MQError as failure:
                reasons.append(failure.reason)

        thread = threading.Thread(target=wait)
        thread.start()
        queue = qm.engine.queues["Q"]
        while queue.waiting is None or not queue.waiting.count:
            thread.join(0.001)
        assert not qm.mqsc("ALTER QALIAS(A) TARGET(Q2) FORCE")[0].failed
        thread.join(60)
        for call in (
            lambda: handle.inquire("TARGET"),
            lambda: handle.set(PUT="DISABLED"),
            lambda: handle.get(options=mq.MQGMO_BROWSE_FIRST),
        ):
            with pytest.raises(penstock.ObjectChanged) as caught:
                call()
            reasons.append(caught.value.reason)
    assert reasons == [2041] * 4


@pytest.mark.parametrize("noun", ["CHANNEL(C) CHLTYPE(SVRCONN)", "TOPIC(T)", "QMODEL(M)", "LISTENER(L)"])
def test_force_is_not_a_word_of_other_objects(qm, noun):
    qm.mqsc("DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE TOPIC(T) TOPICSTR(T)")
    qm.mqsc("DEFINE QMODEL(M)\nDEFINE LISTENER(L)")
    assert qm.mqsc(f"ALTER {noun} DESCR('x') FORCE")[0].id == "AMQ8405I"
