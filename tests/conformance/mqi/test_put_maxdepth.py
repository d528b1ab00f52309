"""MAXDEPTH (sections 2 and 4): 2053; uncommitted puts count, uncommitted gets do not."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def small(run):
    run("DEFINE QLOCAL(Q) MAXDEPTH(2)")


def test_a_full_queue_takes_no_more(qm, small, fails):
    qm.put_many("Q", [b"a", b"b"])
    with fails(2053):
        qm.put("Q", b"c")
    with fails(2053):
        qm.put("Q", b"c", persistent=True)
    assert [m.body for m in qm.get_many("Q", 5)] == [b"a", b"b"]


def test_uncommitted_puts_count(qm, small, fails):
    qm.begin()
    qm.put("Q", b"a")
    qm.put("Q", b"b")
    with fails(2053):
        qm.put("Q", b"c", options=mq.MQPMO_NO_SYNCPOINT)
    qm.backout()
    assert qm.put("Q", b"d").warning == 0


def test_an_uncommitted_get_makes_room(qm, embed, small):
    qm.put_many("Q", [b"a", b"b"])
    qm.begin()
    qm.get("Q")
    embed().put("Q", b"c")
    qm.backout()
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 3}


def test_a_lower_maxdepth_keeps_what_is_there(qm, small, run, fails):
    qm.put_many("Q", [b"a", b"b"])
    run("ALTER QLOCAL(Q) MAXDEPTH(1)")
    with fails(2053):
        qm.put("Q", b"c")
    assert len(qm.get_many("Q", 5)) == 2


def test_maxdepth_0_takes_nothing(qm, run, fails):
    run("DEFINE QLOCAL(Z) MAXDEPTH(0)")
    with fails(2053):
        qm.put("Z", b"a")
