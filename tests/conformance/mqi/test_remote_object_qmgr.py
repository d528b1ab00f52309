"""Object queue-manager names in MQOPEN and MQPUT1 (section 2)."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import TransmissionHeader


def test_the_local_name_means_the_local_queue(qm, queue):
    qm.put(queue, b"a", qmgr="QM1")
    with qm.open(queue, mq.MQOO_INPUT_SHARED, qmgr="QM1") as handle:
        assert handle.get().body == b"a"


def test_another_name_is_a_transmission_queue(qm, run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    receipt = qm.put("ORDERS", b"a", qmgr="QM2")
    header = TransmissionHeader.unpack(qm.get("QM2").body)
    assert (header.queue, header.qmgr) == ("ORDERS", "QM2")
    assert receipt.resolved_qmgr == "QM2"


def test_a_local_queue_of_that_name_is_not_looked_at(qm, queue, run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    with qm.open(queue, mq.MQOO_OUTPUT, qmgr="QM2") as handle:
        handle.put(b"a")
    assert qm.get(queue) is None
    assert qm.get("QM2") is not None


def test_an_unknown_queue_manager_is_2087(qm, queue, fails):
    with fails(2087):
        qm.put(queue, b"a", qmgr="QM9")


@pytest.mark.parametrize("option", [mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE, mq.MQOO_INQUIRE, mq.MQOO_SET])
def test_remote_queues_are_for_output_only(qm, run, fails, option):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    with fails(2045):
        qm.open("ORDERS", option, qmgr="QM2")


def test_a_queue_that_is_not_for_transmission_is_2092(qm, queue, fails):
    with fails(2092):
        qm.put("ORDERS", b"a", qmgr=queue)
