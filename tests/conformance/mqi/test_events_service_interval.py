"""Service interval events: is the queue got from often enough?"""

from __future__ import annotations

import time

from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf

EVENTS = "SYSTEM.ADMIN.PERFM.EVENT"


def reasons(qm):
    found = []
    while (message := qm.get(EVENTS)) is not None:
        found.append(decode_pcf(message.body).reason)
    return found


def test_high_when_a_get_comes_late(qm, run):
    run("ALTER QMGR PERFMEV(ENABLED)")
    run("DEFINE QLOCAL(Q) QSVCIEV(HIGH) QSVCINT(5)")
    qm.put("Q", b"a")
    time.sleep(0.02)
    qm.get("Q")
    assert reasons(qm) == [mq.MQRC_Q_SERVICE_INTERVAL_HIGH]


def test_ok_when_it_comes_in_time(qm, run):
    run("ALTER QMGR PERFMEV(ENABLED)")
    run("DEFINE QLOCAL(Q) QSVCIEV(OK) QSVCINT(60000)")
    qm.put("Q", b"a")
    qm.get("Q")
    assert reasons(qm) == [mq.MQRC_Q_SERVICE_INTERVAL_OK]


def test_none_says_nothing(qm, run):
    run("ALTER QMGR PERFMEV(ENABLED)")
    run("DEFINE QLOCAL(Q) QSVCIEV(NONE) QSVCINT(0)")
    qm.put("Q", b"a")
    time.sleep(0.005)
    qm.get("Q")
    assert reasons(qm) == []
