"""Inhibit events: a put or get that PUT(DISABLED) or GET(DISABLED) refused."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf

EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"


@pytest.fixture
def closed_queue(qm, run):
    qm.get_many(EVENTS, 10)  # of the start
    run("ALTER QMGR INHIBTEV(ENABLED)")
    run("DEFINE QLOCAL(Q) PUT(DISABLED) GET(DISABLED)")


def test_a_refused_put_is_told(qm, closed_queue, fails):
    with fails(2051):
        qm.put("Q", b"a")
    event = decode_pcf(qm.get(EVENTS).body)
    assert (event.command, event.reason) == (mq.MQCMD_Q_MGR_EVENT, mq.MQRC_PUT_INHIBITED)
    assert event.get(mq.MQCA_Q_NAME).strip() == "Q"
    assert event.get(mq.MQCACF_APPL_NAME).strip()


def test_a_refused_get_by_handle_is_told(qm, closed_queue, fails):
    with qm.open("Q", mq.MQOO_INPUT_SHARED) as handle, fails(2016):
        handle.get()
    assert decode_pcf(qm.get(EVENTS).body).reason == mq.MQRC_GET_INHIBITED


def test_a_refused_one_shot_get_is_told(qm, closed_queue, fails):
    with fails(2016):
        qm.get("Q")
    assert decode_pcf(qm.get(EVENTS).body).reason == mq.MQRC_GET_INHIBITED


def test_a_refused_one_shot_get_by_an_alias_is_told(qm, closed_queue, run, fails):
    run("ALTER QLOCAL(Q) GET(ENABLED)")
    run("DEFINE QALIAS(A) TARGET(Q) GET(DISABLED)")
    with fails(2016):
        qm.get("A")
    event = decode_pcf(qm.get(EVENTS).body)
    assert event.reason == mq.MQRC_GET_INHIBITED
    assert event.get(mq.MQCA_Q_NAME).strip() == "A"


def test_without_inhibtev_nothing_is_told(qm, closed_queue, run, fails):
    run("ALTER QMGR INHIBTEV(DISABLED)")
    with fails(2051):
        qm.put("Q", b"a")
    assert qm.get(EVENTS) is None
