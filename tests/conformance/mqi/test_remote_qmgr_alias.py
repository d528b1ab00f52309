"""Queue-manager aliases: a QREMOTE without RNAME gives a queue manager another name."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import TransmissionHeader


@pytest.fixture
def transmission(run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")


def test_the_alias_leads_to_the_queue_manager_it_names(qm, transmission, run):
    run("DEFINE QREMOTE(EUROPE) RQMNAME(QM2)")
    qm.put("ORDERS", b"a", qmgr="EUROPE")
    header = TransmissionHeader.unpack(qm.get("QM2").body)
    assert (header.queue, header.qmgr) == ("ORDERS", "QM2")


def test_an_alias_of_this_queue_manager_is_local(qm, queue, run):
    run("DEFINE QREMOTE(HERE) RQMNAME(QM1)")
    qm.put(queue, b"a", qmgr="HERE")
    assert qm.get(queue).body == b"a"


def test_an_alias_can_choose_the_transmission_queue(qm, transmission, run):
    run("DEFINE QLOCAL(FAST) USAGE(XMITQ)")
    run("DEFINE QREMOTE(EUROPE) RQMNAME(QM2) XMITQ(FAST)")
    qm.put("ORDERS", b"a", qmgr="EUROPE")
    assert qm.get("FAST") is not None


def test_its_defaults_come_first_on_the_path(qm, transmission, run):
    run("DEFINE QREMOTE(EUROPE) RQMNAME(QM2) DEFPSIST(YES) DEFPRTY(6)")
    qm.put("ORDERS", b"a", qmgr="EUROPE")
    message = qm.get("QM2")
    assert (message.persistent, message.priority) == (True, 6)


def test_opened_as_a_queue_it_is_2184(qm, transmission, run, fails):
    run("DEFINE QREMOTE(EUROPE) RQMNAME(QM2)")
    with fails(2184):
        qm.open("EUROPE", mq.MQOO_OUTPUT)
