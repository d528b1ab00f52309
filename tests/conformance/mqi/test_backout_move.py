"""CUSTOM('BACKOUT(MOVE)'): an option that moves messages at BOTHRESH to BOQNAME."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader


@pytest.fixture
def moving(run):
    run("DEFINE QLOCAL(BO)")
    run("DEFINE QLOCAL(DLQ)")
    run("ALTER QMGR DEADQ(DLQ)")
    run("DEFINE QLOCAL(Q) BOTHRESH(2) BOQNAME(BO) CUSTOM('BACKOUT(MOVE)')")


def back_out(qm, times):
    for _ in range(times):
        qm.begin()
        qm.get("Q")
        qm.backout()


@pytest.mark.parametrize("persistent", [False, True])
def test_at_the_threshold_the_message_is_moved(qm, moving, persistent):
    receipt = qm.put("Q", b"a", persistent=persistent, correl_id=b"c" * 24, properties={"n": 1})
    back_out(qm, 1)
    assert qm.get("BO") is None
    back_out(qm, 1)
    moved = qm.get("BO", wait=60.0)
    assert (moved.body, moved.msg_id, moved.correl_id) == (b"a", receipt.msg_id, b"c" * 24)
    assert (bool(moved.persistent), moved.properties["n"]) == (persistent, 1)
    assert qm.get("Q") is None


def test_decision_the_count_starts_again_on_the_new_queue(qm, moving):
    qm.put("Q", b"a")
    back_out(qm, 2)
    assert qm.get("BO").backout_count == 0


def test_without_boqname_it_goes_to_the_dead_letter_queue(qm, moving, run):
    run("ALTER QLOCAL(Q) BOQNAME(' ')")
    qm.put("Q", b"a")
    back_out(qm, 2)
    letter = qm.get("DLQ")
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.reason, header.queue, letter.body[172:]) == (2362, "Q", b"a")


def test_when_boqname_takes_nothing_it_goes_to_the_dead_letter_queue(qm, moving, run):
    run("ALTER QLOCAL(BO) PUT(DISABLED)")
    qm.put("Q", b"a")
    back_out(qm, 2)
    assert qm.get("DLQ").body[172:] == b"a"


def test_when_nobody_takes_it_it_stays(qm, moving, run):
    run("ALTER QLOCAL(BO) PUT(DISABLED)")
    run("ALTER QLOCAL(DLQ) PUT(DISABLED)")
    qm.put("Q", b"a")
    back_out(qm, 4)
    assert qm.get("Q").backout_count == 4


def test_an_alias_can_be_the_backout_queue(qm, moving, run):
    run("DEFINE QALIAS(A) TARGET(BO)")
    run("ALTER QLOCAL(Q) BOQNAME(A)")
    qm.put("Q", b"a")
    back_out(qm, 2)
    assert qm.get("BO").body == b"a"


def test_a_threshold_of_0_moves_nothing(qm, moving, run):
    run("ALTER QLOCAL(Q) BOTHRESH(0)")
    qm.put("Q", b"a")
    back_out(qm, 3)
    assert qm.get("Q").backout_count == 3


def test_moving_delivers_nothing(qm, moving, run):
    run("DEFINE QLOCAL(R)")
    qm.put("Q", b"a", report=mq.MQRO_COD, reply_to="R")
    back_out(qm, 2)
    assert qm.get("R") is None
    qm.get("BO")
    assert qm.get("R").feedback == mq.MQFB_COD


def test_a_moved_message_survives_a_restart(qm, embed, moving):
    qm.put("Q", b"a", persistent=True)
    back_out(qm, 2)
    qm.close()
    again = embed()
    assert again.get("BO").body == b"a"
    assert again.get("Q") is None
