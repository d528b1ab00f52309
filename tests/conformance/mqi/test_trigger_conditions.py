"""What must be so around a queue for its trigger to fire (section 5)."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader, TriggerMessage


@pytest.fixture
def monitor(qm, run):
    run("DEFINE PROCESS(P)")
    run("DEFINE QLOCAL(INIT)")
    run("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(EVERY) INITQ(INIT) PROCESS(P)")
    return qm.open("INIT", mq.MQOO_INPUT_SHARED)


@pytest.mark.parametrize(
    "command",
    [
        "ALTER QLOCAL(Q) GET(DISABLED)",
        "ALTER QLOCAL(INIT) PUT(DISABLED)",
        "ALTER QLOCAL(Q) INITQ(NONE)",
        "ALTER QLOCAL(Q) INITQ(' ')",
        "ALTER QLOCAL(Q) PROCESS(NONE)",
        "ALTER QLOCAL(Q) PROCESS(' ')",
    ],
)
def test_without_it_nothing_fires(qm, monitor, run, command):
    run(command)
    qm.put("Q", b"a")
    assert monitor.get(quiet=True) is None
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 1}


def test_a_full_initiation_queue_sends_it_to_the_dead_letter_queue(qm, monitor, run):
    run("DEFINE QLOCAL(DLQ)")
    run("ALTER QMGR DEADQ(DLQ)")
    run("ALTER QLOCAL(INIT) MAXDEPTH(0)")
    qm.put("Q", b"a")
    letter = qm.get("DLQ")
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.reason, header.queue, header.format) == (2053, "INIT", "MQTRIG")
    assert TriggerMessage.unpack(letter.body[172:]).queue == "Q"


def test_without_dead_letter_queue_the_put_succeeds(qm, monitor, run):
    run("ALTER QLOCAL(INIT) MAXDEPTH(0)")
    qm.put("Q", b"a")
    assert qm.get("Q").body == b"a"


def test_a_transmission_queue_needs_no_process(qm, monitor, run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) TRIGDATA(TO.QM2)")
    qm.put("ORDERS", b"a", qmgr="QM2")
    trigger = TriggerMessage.unpack(monitor.get().body)
    assert (trigger.queue, trigger.trigger_data, trigger.process) == ("QM2", "TO.QM2", "")
