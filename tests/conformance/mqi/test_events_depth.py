"""Queue depth events: high, low and full, as PCF messages on SYSTEM.ADMIN.PERFM.EVENT."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf

EVENTS = "SYSTEM.ADMIN.PERFM.EVENT"


@pytest.fixture
def watched(run):
    run("ALTER QMGR PERFMEV(ENABLED)")
    run(
        "DEFINE QLOCAL(Q) MAXDEPTH(10) QDEPTHHI(80) QDEPTHLO(20)"
        " QDPHIEV(ENABLED) QDPLOEV(ENABLED) QDPMAXEV(ENABLED)"
    )


def reasons(qm):
    found = []
    while (message := qm.get(EVENTS)) is not None:
        found.append(decode_pcf(message.body).reason)
    return found


def fill(qm, count):
    for _ in range(count):
        qm.put("Q", b"a")


def test_high_comes_once_at_its_mark(qm, watched):
    fill(qm, 7)
    assert reasons(qm) == []
    fill(qm, 3)
    assert reasons(qm) == [mq.MQRC_Q_DEPTH_HIGH]


def test_low_follows_high(qm, watched):
    fill(qm, 8)
    reasons(qm)
    qm.get_many("Q", 5)
    assert reasons(qm) == []
    qm.get("Q")
    assert reasons(qm) == [mq.MQRC_Q_DEPTH_LOW]


def test_high_can_come_again_after_low(qm, watched):
    fill(qm, 8)
    qm.get_many("Q", 8)
    fill(qm, 8)
    assert reasons(qm) == [mq.MQRC_Q_DEPTH_HIGH, mq.MQRC_Q_DEPTH_LOW, mq.MQRC_Q_DEPTH_HIGH]


def test_full_comes_with_the_refused_put(qm, watched, fails):
    fill(qm, 10)
    reasons(qm)
    for _ in range(2):
        with fails(2053):
            qm.put("Q", b"a")
    assert reasons(qm) == [mq.MQRC_Q_FULL]


def test_the_event_carries_the_queues_figures(qm, watched):
    fill(qm, 8)
    message = qm.get(EVENTS)
    event = decode_pcf(message.body)
    assert (message.format, event.command) == ("MQEVENT", mq.MQCMD_PERFM_EVENT)
    assert event.get(mq.MQCA_BASE_Q_NAME).strip() == "Q"
    assert event.get(mq.MQCA_Q_MGR_NAME).strip() == "QM1"
    assert (event.get(mq.MQIA_HIGH_Q_DEPTH), event.get(mq.MQIA_MSG_ENQ_COUNT)) == (8, 8)


def test_without_perfmev_there_are_none(qm, watched, run):
    run("ALTER QMGR PERFMEV(DISABLED)")
    fill(qm, 10)
    assert reasons(qm) == []


def test_a_full_event_queue_does_not_fail_the_put(qm, watched, run):
    run(f"ALTER QLOCAL({EVENTS}) MAXDEPTH(0)")
    fill(qm, 10)
    assert len(qm.get_many("Q", 20)) == 10


def test_persistent_events_do_not_hold_the_put_up(qm, watched, run):
    run(f"ALTER QLOCAL({EVENTS}) DEFPSIST(YES)")
    fill(qm, 8)
    assert decode_pcf(qm.get(EVENTS, wait=60.0).body).reason == mq.MQRC_Q_DEPTH_HIGH


def test_they_go_on_after_a_restart(qm, embed, watched):
    qm.close()
    again = embed()
    fill(again, 8)
    assert reasons(again) == [mq.MQRC_Q_DEPTH_HIGH]
