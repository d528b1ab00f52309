"""MAXUMSGS (section 2): 2024 when a unit of work has as many messages as it may."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def limited(queue, run):
    run("ALTER QMGR MAXUMSGS(3)")


def test_the_fourth_message_is_refused_and_the_unit_lives(qm, queue, limited, fails):
    with qm.unit_of_work():
        for body in (b"a", b"b", b"c"):
            qm.put(queue, body)
        with fails(2024):
            qm.put(queue, b"d")
    assert [m.body for m in qm.get_many(queue, 9)] == [b"a", b"b", b"c"]


def test_gets_count_too(qm, queue, limited, fails):
    qm.put(queue, b"a")
    with qm.unit_of_work():
        qm.get(queue)
        qm.put(queue, b"b")
        qm.put(queue, b"c")
        with fails(2024):
            qm.put(queue, b"d")


def test_outside_a_unit_there_is_no_limit(qm, queue, limited):
    for _ in range(5):
        qm.put(queue, b"a")
    assert len(qm.get_many(queue, 9)) == 5


def test_a_report_is_not_lost_to_the_limit(qm, queue, limited, run):
    run("DEFINE QLOCAL(R)")
    with qm.unit_of_work():
        qm.put(queue, b"a")
        qm.put(queue, b"b")
        qm.put(queue, b"c", report=mq.MQRO_COA, reply_to="R")
    assert qm.get("R").feedback == mq.MQFB_COA
