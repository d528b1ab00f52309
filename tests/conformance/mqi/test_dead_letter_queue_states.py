"""A dead-letter queue that is missing, closed or full loses a report, never the work."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize("attributes", ["PUT(DISABLED)", "MAXDEPTH(0)", "MAXMSGL(10)"])
def test_it_takes_nothing(qm, queue, run, attributes):
    run(f"DEFINE QLOCAL(DLQ) {attributes}")
    run("ALTER QMGR DEADQ(DLQ)")
    qm.put(queue, b"a", report=mq.MQRO_COA, reply_to="NONE")
    assert qm.get(queue).body == b"a"


def test_it_is_not_defined(qm, queue, run):
    run("ALTER QMGR DEADQ(NOWHERE)")
    qm.put(queue, b"a", report=mq.MQRO_COA, reply_to="NONE", persistent=True)
    assert qm.get(queue).body == b"a"


def test_a_persistent_letter_survives_a_restart(qm, embed, queue, run):
    run("DEFINE QLOCAL(DLQ)")
    run("ALTER QMGR DEADQ(DLQ)")
    qm.put(queue, b"a", persistent=True, report=mq.MQRO_COA, reply_to="NONE")
    qm.close()
    assert embed().get("DLQ").feedback == mq.MQFB_COA
