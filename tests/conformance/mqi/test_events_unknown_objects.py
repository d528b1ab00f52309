"""Local and remote events: names that could not be opened."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf

EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"


@pytest.fixture
def told(qm, run):
    run("ALTER QMGR LOCALEV(ENABLED) REMOTEEV(ENABLED)")
    qm.get_many(EVENTS, 10)  # of the start

    def next_event():
        message = qm.get(EVENTS)
        return None if message is None else decode_pcf(message.body)

    return next_event


def test_an_unknown_name_is_a_local_event(qm, told, fails):
    with fails(2085):
        qm.open("NONE", mq.MQOO_OUTPUT)
    event = told()
    assert event.reason == 2085
    assert event.get(mq.MQCA_Q_NAME).strip() == "NONE"
    assert event.get(mq.MQCACF_APPL_NAME).strip()
    assert told() is None


@pytest.mark.parametrize("fields", [{}, {"priority": 1}])
def test_one_shot_puts_tell_too(qm, told, fails, fields):
    with fails(2085):
        qm.put("NONE", b"a", **fields)
    assert told().reason == 2085
    assert told() is None


def test_an_alias_without_base(qm, told, run, fails):
    run("DEFINE QALIAS(A) TARGET(NONE)")
    with fails(2082):
        qm.open("A", mq.MQOO_OUTPUT)
    assert told().reason == 2082


def test_a_route_that_leads_nowhere_is_a_remote_event(qm, told, fails):
    with fails(2087):
        qm.open("X", mq.MQOO_OUTPUT, qmgr="QM9")
    event = told()
    assert event.reason == 2087
    assert event.get(mq.MQCACF_OBJECT_Q_MGR_NAME).strip() == "QM9"


def test_each_has_its_own_switch(qm, told, run, fails):
    run("ALTER QMGR LOCALEV(DISABLED)")
    with fails(2085):
        qm.open("NONE", mq.MQOO_OUTPUT)
    assert told() is None


def test_other_failures_are_no_events(qm, told, fails):
    with fails(2046):
        qm.open("NONE", 0x40000000)
    assert told() is None
