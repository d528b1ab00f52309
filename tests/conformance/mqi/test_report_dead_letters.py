"""Messages on the dead-letter queue confirm nothing: they are not where they were sent."""

from __future__ import annotations

import time

from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader


def test_decision_getting_a_dead_letter_makes_no_cod(qm, queue, run):
    run("DEFINE QLOCAL(R)")
    body = DeadLetterHeader(2053, "X", "QM1").pack() + b"a"
    qm.put(queue, body, format=mq.MQFMT_DEAD_LETTER_HEADER, report=mq.MQRO_COA | mq.MQRO_COD, reply_to="R")
    qm.get(queue)
    assert qm.get("R") is None


def test_an_expired_dead_letter_is_reported(qm, queue, run):
    run("DEFINE QLOCAL(R)")
    body = DeadLetterHeader(2053, "X", "QM1").pack() + b"a"
    asked = {"report": mq.MQRO_EXPIRATION, "reply_to": "R", "expiry": 0.001}
    qm.put(queue, body, format=mq.MQFMT_DEAD_LETTER_HEADER, **asked)
    time.sleep(0.01)
    qm.get(queue)
    assert qm.get("R").feedback == mq.MQFB_EXPIRATION
