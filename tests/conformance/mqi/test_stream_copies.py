"""Streaming queues: what the copy of a message is, whichever way the message is put."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq
from penstock.model.message import Message


@pytest.fixture
def streamed(run):
    run("DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) STREAMQ(S)")


def ids(message):
    return message.msg_id, message.correl_id


def test_the_copy_has_the_ids_data_context_and_properties_of_the_message(qm, streamed):
    receipt = qm.put(
        "Q",
        b"order",
        persistent=True,
        correl_id=b"c" * 24,
        priority=4,
        reply_to="R",
        properties={"color": "red"},
    )
    message, copy = qm.get("Q"), qm.get("S")
    assert ids(copy) == ids(message) == (receipt.msg_id, b"c" * 24)
    assert (copy.body, copy.persistent, copy.priority) == (b"order", True, 4)
    assert copy.properties == message.properties == {"color": "red"}
    assert (copy.put_time, copy.descriptor) == (message.put_time, message.descriptor)


@pytest.mark.parametrize("persistent", [True, False])
def test_plain_puts_are_streamed(qm, streamed, persistent):
    qm.put("Q", b"a", persistent=persistent)
    qm.put_many("Q", [b"b", b"c"], persistent=persistent)
    with qm.open("Q", mq.MQOO_OUTPUT) as handle:
        handle.put(b"d", persistent=persistent)
    qm.put_messages([("Q", Message(b"e", persistent=persistent), "", 0)] * 2)
    for queue in ("Q", "S"):
        assert [m.body for m in qm.get_many(queue, 9)] == [b"a", b"b", b"c", b"d", b"e", b"e"]


def test_defaults_of_the_stream_queue_do_not_change_the_copy(qm, run):
    run("DEFINE QLOCAL(S) DEFPSIST(YES) DEFPRTY(9)\nDEFINE QLOCAL(Q) STREAMQ(S) DEFPRTY(2)")
    qm.put("Q", b"a")
    copy = qm.get("S")
    assert (copy.persistent, copy.priority) == (False, 2)


def test_the_copy_does_not_expire_and_asks_for_no_reports(qm, run, streamed):
    run("DEFINE QLOCAL(R)")
    report = mq.MQRO_COA | mq.MQRO_COD | mq.MQRO_EXPIRATION | mq.MQRO_EXCEPTION | mq.MQRO_PASS_MSG_ID
    qm.put("Q", b"a", expiry=5.0, report=report, reply_to="R")
    copy = qm.get("S")
    assert (copy.expiry, copy.descriptor.report) == (None, mq.MQRO_PASS_MSG_ID)
    assert [m.descriptor.feedback for m in qm.get_many("R", 9)] == [mq.MQFB_COA]


def test_capexpry_of_the_stream_queue_limits_the_copy_alone(qm, run):
    run("DEFINE QLOCAL(S) CAPEXPRY(6000)\nDEFINE QLOCAL(Q) STREAMQ(S)")
    qm.put("Q", b"a")
    assert qm.get("Q").expiry is None
    assert 590.0 < qm.get("S").expiry <= 600.0


def test_an_old_letter_has_a_copy_that_lives_as_long_as_any(qm, run, fails):
    """A dead letter has the put time of its message; the life of its copy begins now."""
    run("DEFINE QLOCAL(S) CAPEXPRY(6000)\nDEFINE QLOCAL(BACK) STREAMQ(S)")
    run("DEFINE QLOCAL(Q) BOTHRESH(1) BOQNAME(BACK) CUSTOM('BACKOUT(MOVE)')")
    with qm.open("Q", mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle:
        handle.put(b"old", options=mq.MQPMO_SET_ALL_CONTEXT, put_time=time.time() - 86400)
    qm.host.housekeeping(time.time())
    qm.begin()
    assert qm.get("Q") is not None
    qm.backout()
    assert qm.get("BACK") is not None
    assert qm.get("S").expiry > 500.0


def test_a_waiting_getter_has_the_copy(qm, streamed, spawn, waiting):
    got = spawn(qm.get, "S", wait=120.0)
    waiting(qm, "S")
    qm.put("Q", b"a", persistent=True)
    assert got.result(60).body == b"a"


def test_segments_are_streamed_as_they_are_put(qm, run):
    run("DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) MAXMSGL(10) STREAMQ(S)")
    qm.put("Q", b"0123456789abcdef", flags=mq.MQMF_SEGMENTATION_ALLOWED)
    assert [m.body for m in qm.get_many("S", 9)] == [b"0123456789", b"abcdef"]


def test_messages_that_were_there_before_are_not_streamed(qm, run):
    run("DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q)")
    qm.put("Q", b"before")
    run("ALTER QLOCAL(Q) STREAMQ(S)")
    qm.put("Q", b"after")
    run("ALTER QLOCAL(Q) STREAMQ(' ')")
    qm.put("Q", b"later")
    assert [m.body for m in qm.get_many("S", 9)] == [b"after"]


def test_events_of_the_queue_manager_are_streamed(qm, run, fails):
    run("DEFINE QLOCAL(S)\nALTER QLOCAL(SYSTEM.ADMIN.QMGR.EVENT) STREAMQ(S)\nALTER QMGR LOCALEV(ENABLED)")
    with fails(2085):
        qm.put("NO.SUCH", b"a")
    assert qm.get("S").format == mq.MQFMT_EVENT


def test_publications_to_the_queue_are_streamed(qm, run):
    run("DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) STREAMQ(S) STRMQOS(MUSTDUP)\nDEFINE QLOCAL(OTHER)")
    run("DEFINE SUB(ONE) TOPICSTR('price') DEST(Q)\nDEFINE SUB(TWO) TOPICSTR('price') DEST(OTHER)")
    for persistent in (True, False):
        qm.publish("price", b"7", persistent=persistent)
        message, copy = qm.get("Q"), qm.get("S")
        assert ids(copy) == ids(message)
        assert copy.properties == message.properties
        assert qm.get("OTHER").body == b"7"


def test_a_stream_to_an_alias_goes_to_its_target_and_to_a_remote_queue_to_its_transmission_queue(qm, run):
    run("DEFINE QLOCAL(BASE)\nDEFINE QALIAS(A) TARGET(BASE)\nDEFINE QLOCAL(Q1) STREAMQ(A)")
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)\nDEFINE QREMOTE(R) RNAME(X) RQMNAME(QM2)")
    run("DEFINE QLOCAL(Q2) STREAMQ(R)")
    qm.put("Q1", b"a")
    assert qm.get("BASE").body == b"a"
    qm.put("Q2", b"b", persistent=True)
    sent = qm.get("QM2")
    assert sent.format == mq.MQFMT_XMIT_Q_HEADER
    assert sent.body.endswith(b"b")
    assert sent.persistent


def test_a_stream_to_a_topic_is_published_as_the_queue_managers_own(qm, run):
    run("DEFINE TOPIC(T) TOPICSTR('copies')\nDEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)")
    run("DEFINE QLOCAL(Q) STREAMQ(A)\nDEFINE QLOCAL(ONE)\nDEFINE QLOCAL(TWO)")
    run("DEFINE SUB(ONE) TOPICSTR('copies') DEST(ONE)\nDEFINE SUB(TWO) TOPICSTR('copies') DEST(TWO)")
    for persistent in (True, False):
        receipt = qm.put("Q", b"a", persistent=persistent)
        for queue in ("ONE", "TWO"):
            copy = qm.get(queue)
            assert (copy.body, copy.persistent) == (b"a", persistent)
            assert copy.msg_id != receipt.msg_id
            assert copy.descriptor.put_appl_name == "QM1"
        assert qm.get("Q").msg_id == receipt.msg_id


def test_a_topic_that_leads_back_to_the_queue_does_not_go_round(qm, run):
    run("DEFINE TOPIC(T) TOPICSTR('copies')\nDEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)")
    run("DEFINE QLOCAL(Q) STREAMQ(A)\nDEFINE SUB(ROUND) TOPICSTR('copies') DEST(Q)")
    qm.put("Q", b"a", persistent=True)
    assert [m.body for m in qm.get_many("Q", 9)] == [b"a", b"a"]


def test_a_dynamic_queue_streams_as_its_model_says(qm, run):
    run("DEFINE QLOCAL(S)\nDEFINE QMODEL(M) STREAMQ(S)")
    with qm.open("M", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT) as handle:
        handle.put(b"a")
        assert handle.get().body == b"a"
    assert qm.get("S").body == b"a"


def test_both_come_back_after_a_restart(qm, run, tmp_path):
    from tests.conformance.mqi.reservation_steps import crash

    run("DEFINE QLOCAL(S)\nDEFINE QLOCAL(Q) STREAMQ(S)")
    qm.put("Q", b"a", persistent=True)
    with crash(qm, tmp_path / "left") as again:
        assert [ids(again.get(queue)) for queue in ("Q", "S")] == [ids(qm.get("Q")), ids(qm.get("S"))]
        again.put("Q", b"b")
        assert again.get("S").body == b"b"
