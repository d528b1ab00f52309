"""STRMQOS: a message without its copy (BESTEF), or both or neither (MUSTDUP); in and out of units of work."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq
from tests.conformance.mqi.reservation_steps import FLOW, bodies, depth

# what keeps a copy from its stream, the command that brings it about, and the reason of the put
OBSTACLES = {
    "full": ("ALTER QLOCAL(S) MAXDEPTH(0)", 2053),
    "disabled": ("ALTER QLOCAL(S) PUT(DISABLED)", 2051),
    "small": ("ALTER QLOCAL(S) MAXMSGL(1)", 2030),
    "gone": ("DELETE QLOCAL(S)", 2085),
}


@pytest.fixture(params=OBSTACLES)
def obstacle(request, run):
    run("DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) STREAMQ(S)")
    command, reason = OBSTACLES[request.param]
    run(command)
    return reason


@pytest.mark.parametrize("persistent", [True, False])
def test_best_effort_puts_the_message_alone(qm, obstacle, persistent):
    qm.put("Q", b"ab", persistent=persistent)
    qm.begin()
    qm.put("Q", b"cd", persistent=persistent)
    qm.commit()
    qm.put_many("Q", [b"ef", b"gh"], persistent=persistent)
    assert [m.body for m in qm.get_many("Q", 9)] == [b"ab", b"cd", b"ef", b"gh"]


@pytest.mark.parametrize("persistent", [True, False])
def test_must_duplicate_puts_neither_and_says_why(qm, run, fails, obstacle, persistent):
    run("ALTER QLOCAL(Q) STRMQOS(MUSTDUP)")
    with fails(obstacle):
        qm.put("Q", b"ab", persistent=persistent)
    with fails(obstacle):
        qm.put_many("Q", [b"ab", b"cd"], persistent=persistent)
    qm.begin()
    with fails(obstacle):
        qm.put("Q", b"ab", persistent=persistent)
    qm.commit()
    assert (depth(qm, "Q"), qm.get("Q")) == (0, None)


@pytest.mark.parametrize("quality", ["BESTEF", "MUSTDUP"])
def test_the_copy_is_in_the_unit_of_its_message(qm, run, quality):
    run(f"DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) STREAMQ(S) STRMQOS({quality})")
    qm.begin()
    qm.put("Q", b"a", persistent=True)
    qm.put("Q", b"b", persistent=False)
    assert (depth(qm, "Q"), depth(qm, "S")) == (2, 2)
    assert bodies(qm, "S") == []
    qm.backout()
    assert (depth(qm, "Q"), depth(qm, "S")) == (0, 0)
    with qm.unit_of_work():
        qm.put("Q", b"a", persistent=True)
    assert bodies(qm, "Q") == bodies(qm, "S") == [b"a"]


def test_copies_do_not_count_for_maxumsgs(qm, run, fails):
    run("ALTER QMGR MAXUMSGS(3)\nDEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) STREAMQ(S) STRMQOS(MUSTDUP)")
    qm.begin()
    for body in (b"a", b"b", b"c"):
        qm.put("Q", body, persistent=True)
    with fails(2024):
        qm.put("Q", b"d", persistent=True)
    qm.commit()
    assert bodies(qm, "S") == [b"a", b"b", b"c"]


def test_must_duplicate_holds_for_all_segments_of_a_message(qm, run, fails):
    run("DEFINE QLOCAL(S) MAXDEPTH(1)\nDEFINE QLOCAL(Q) MAXMSGL(4) STREAMQ(S) STRMQOS(MUSTDUP)")
    qm.begin()
    with fails(2053):
        qm.put("Q", b"0123456789", flags=mq.MQMF_SEGMENTATION_ALLOWED)
    qm.commit()
    assert (depth(qm, "Q"), depth(qm, "S")) == (0, 0)


def test_a_publication_fails_where_its_copy_must_be_and_cannot(qm, run, fails):
    run("DEFINE QLOCAL(S) MAXDEPTH(0)\nDEFINE QLOCAL(Q) STREAMQ(S) STRMQOS(MUSTDUP)")
    run("DEFINE TOPIC(T) TOPICSTR('price') PMSGDLV(ALL)\nDEFINE SUB(ONE) TOPICSTR('price') DEST(Q)")
    with fails(2502):
        qm.publish("price", b"7", persistent=True)
    assert depth(qm, "Q") == 0
    run("ALTER QLOCAL(Q) STRMQOS(BESTEF)")
    qm.publish("price", b"7", persistent=True)
    assert bodies(qm, "Q") == [b"7"]


@pytest.mark.parametrize("quality", ["BESTEF", "MUSTDUP"])
@pytest.mark.parametrize("rule", ["ALL", "ALLAVAIL"])
def test_a_topic_as_stream_follows_the_rules_of_the_topic(qm, run, quality, rule):
    run(f"DEFINE TOPIC(T) TOPICSTR('copies') PMSGDLV({rule})\nDEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)")
    run(f"DEFINE QLOCAL(Q) STREAMQ(A) STRMQOS({quality})")
    run("DEFINE QLOCAL(FULL) MAXDEPTH(0)\nDEFINE QLOCAL(FREE)")
    run("DEFINE SUB(ONE) TOPICSTR('copies') DEST(FREE)\nDEFINE SUB(TWO) TOPICSTR('copies') DEST(FULL)")
    try:
        qm.put("Q", b"a", persistent=True)
        put = True
    except penstock.MQError as failure:
        assert failure.reason == 2502
        put = False
    assert put == (quality == "BESTEF" or rule == "ALLAVAIL")
    assert depth(qm, "Q") == put
    assert depth(qm, "FREE") == (rule == "ALLAVAIL")


@pytest.mark.parametrize("quality", ["BESTEF", "MUSTDUP"])
def test_outputs_of_a_flows_batch_are_streamed_with_its_commit(qm, run, fails, quality, tmp_path):
    from tests.conformance.mqi.reservation_steps import crash, work

    run("DEFINE QLOCAL(IN) DEFPSIST(YES)\nDEFINE QLOCAL(S)")
    run(f"DEFINE QLOCAL(OUT) DEFPSIST(YES) STREAMQ(S) STRMQOS({quality})")
    qm.put_many("IN", [b"0", b"1", b"2"])
    epoch = qm.batches.new_epoch(FLOW)
    n = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=9)["n"]
    winners = work(qm, n, epoch)
    assert (depth(qm, "OUT"), depth(qm, "S")) == (0, 0)

    run("ALTER QLOCAL(S) MAXDEPTH(2)")
    if quality == "MUSTDUP":
        with fails(2053):
            qm.batches.commit(FLOW, n, winners, epoch=epoch)
        assert (depth(qm, "OUT"), depth(qm, "S")) == (0, 0)
        run("ALTER QLOCAL(S) MAXDEPTH(3)")
    qm.checkpoint()
    with crash(qm, tmp_path / "before") as again:  # bodies are in message files now
        epoch_again = again.batches.new_epoch(FLOW)
        winners_again = work(again, n, epoch_again)
        again.batches.commit(FLOW, n, winners_again, epoch=epoch_again)
        expected = bodies(again, "OUT")
        assert bodies(again, "S") == (expected if quality == "MUSTDUP" else expected[:2])

    qm.batches.commit(FLOW, n, winners, epoch=epoch)
    assert bodies(qm, "OUT") == [b"done 0", b"done 1", b"done 2"]
    assert bodies(qm, "S") == bodies(qm, "OUT")[: 3 if quality == "MUSTDUP" else 2]
    with crash(qm, tmp_path / "after") as again:
        assert bodies(again, "OUT") == bodies(qm, "OUT")
        assert bodies(again, "S") == bodies(qm, "S")


def test_a_batch_that_was_prepared_before_a_restart_is_streamed_after_it(qm, run, tmp_path):
    from tests.conformance.mqi.reservation_steps import crash, work

    run("DEFINE QLOCAL(IN) DEFPSIST(YES)\nDEFINE QLOCAL(S)\nDEFINE QLOCAL(OUT) DEFPSIST(YES) STREAMQ(S)")
    qm.put_many("IN", [b"0", b"1"])
    epoch = qm.batches.new_epoch(FLOW)
    n = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=9)["n"]
    winners = work(qm, n, epoch)
    qm.checkpoint()
    qm.checkpoint()
    with crash(qm, tmp_path / "left") as again:
        again.batches.commit(FLOW, n, winners, epoch=epoch)
        assert bodies(again, "OUT") == bodies(again, "S") == [b"done 0", b"done 1"]
