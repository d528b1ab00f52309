"""Remote queues: XMITQ, else the queue of the queue manager's name, else DEFXMITQ."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import TransmissionHeader


@pytest.fixture
def transmission(run):
    for name in ("QM2", "WAY", "DEFAULT.WAY"):
        run(f"DEFINE QLOCAL({name}) USAGE(XMITQ)")


def test_xmitq_of_the_definition_comes_first(qm, transmission, run):
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM2) XMITQ(WAY)")
    qm.put("R", b"a")
    assert qm.get("WAY") is not None


def test_then_the_queue_named_like_the_queue_manager(qm, transmission, run):
    run("ALTER QMGR DEFXMITQ(DEFAULT.WAY)")
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM2)")
    qm.put("R", b"a")
    assert qm.get("QM2") is not None


def test_then_the_default(qm, transmission, run):
    run("ALTER QMGR DEFXMITQ(DEFAULT.WAY)")
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM9)")
    qm.put("R", b"a")
    header = TransmissionHeader.unpack(qm.get("DEFAULT.WAY").body)
    assert header.qmgr == "QM9"


def test_without_any_it_is_2087(qm, run, fails):
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM9)")
    with fails(2087):
        qm.put("R", b"a")


def test_a_missing_xmitq_is_2196(qm, run, fails):
    run("DEFINE QREMOTE(R) RNAME(O) RQMNAME(QM2) XMITQ(NONE)")
    with fails(2196):
        qm.open("R", mq.MQOO_OUTPUT)
