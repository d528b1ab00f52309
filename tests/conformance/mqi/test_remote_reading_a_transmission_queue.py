"""A message on a transmission queue (A3): whoever reads it, and however, sees MQXQH in front of the body."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import TransmissionHeader
from penstock.model.message import Message
from tests.conformance.mqi.reservation_steps import crash


@pytest.fixture
def remote(run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    run("DEFINE QREMOTE(R) RNAME(ORDERS) RQMNAME(QM2)")


def check(message, body=b"body"):
    header = TransmissionHeader.unpack(message.body)
    assert (header.queue, header.qmgr) == ("ORDERS", "QM2")
    assert message.body[428:] == body
    assert message.length == 428 + len(body)
    assert message.format == "MQXMIT"


def test_it_is_stored_without_the_header(qm, remote):
    qm.put("R", b"body", persistent=True)
    (stored,) = qm.engine.queues["QM2"].messages()
    assert stored.body == b"body"
    assert (stored.onward.queue, stored.onward.qmgr) == ("ORDERS", "QM2")


@pytest.mark.parametrize("persistent", [True, False])
def test_a_get_and_a_browse_show_the_header(qm, remote, persistent):
    qm.put("R", b"body", persistent=persistent)
    (browsed,) = qm.browse("QM2")
    check(browsed)
    check(qm.get("QM2"))


def test_a_get_by_correlation_id_shows_it(qm, remote):
    receipt = qm.put("R", b"body")
    check(qm.get("QM2", correl_id=receipt.msg_id))


def test_a_get_in_a_unit_shows_it_again_after_a_backout(qm, remote):
    qm.put("R", b"body", persistent=True)
    qm.begin()
    check(qm.get("QM2"))
    qm.backout()
    again = qm.get("QM2")
    check(again)
    assert again.backout_count == 1


def test_a_get_that_waits_shows_it(qm, remote, spawn, waiting):
    got = spawn(lambda: qm.get("QM2", wait=60.0))
    waiting(qm, "QM2")
    qm.put("R", b"body")
    check(got.result(60))


def test_a_put_and_get_in_one_unit_show_it(qm, remote):
    qm.begin()
    qm.put("R", b"body", persistent=True)
    check(qm.get("QM2"))
    qm.commit()
    assert qm.get("QM2") is None


def test_truncation_counts_the_header(qm, remote):
    qm.put("R", b"body")
    with qm.open("QM2", mq.MQOO_INPUT_SHARED) as handle:
        short = handle.get(max_length=430, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        assert (len(short.body), short.length, short.warning) == (430, 432, 2079)


def test_maxmsgl_counts_the_header(qm, remote, run, fails):
    run("ALTER QLOCAL(QM2) MAXMSGL(440)")
    qm.put("R", b"x" * 12)
    with fails(2030):
        qm.put("R", b"x" * 13)


def test_a_spilled_message_shows_it(embed, spilled):
    qm = embed("SPILL", default_q_buffer_size=4096, default_pq_buffer_size=4096)
    qm.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)\nDEFINE QREMOTE(R) RNAME(ORDERS) RQMNAME(QM2)")
    bodies = [b"%04d" % n + b"x" * 2000 for n in range(20)]
    for n, body in enumerate(bodies):
        qm.put("R", body, persistent=n % 2 == 0)
    assert spilled(qm, "QM2")
    for message, body in zip(qm.browse("QM2"), bodies, strict=True):
        check(message, body)
    for body in bodies:
        check(qm.get("QM2"), body)


@pytest.mark.parametrize("checkpoint", [True, False])
def test_it_survives_a_crash(qm, remote, checkpoint, tmp_path):
    receipt = qm.put("R", b"body", persistent=True, correl_id=b"c" * 24, reply_to="BACK")
    if checkpoint:
        qm.checkpoint()
    with crash(qm, tmp_path / "after") as again:
        message = again.get("QM2")
        check(message)
        inner = TransmissionHeader.unpack(message.body).message
        assert (inner.msg_id, inner.correl_id, inner.reply_to) == (receipt.msg_id, b"c" * 24, "BACK")


def test_a_moved_poison_message_keeps_the_header(qm, remote, run):
    run("DEFINE QLOCAL(POISON)")
    run("ALTER QLOCAL(QM2) BOTHRESH(1) BOQNAME(POISON) CUSTOM('BACKOUT(MOVE)')")
    qm.put("R", b"body", persistent=True)
    qm.begin()
    qm.get("QM2")
    qm.backout()
    check(qm.get("POISON"))


def test_a_text_that_no_header_can_hold_is_refused_at_the_put(qm, remote, fails):
    with qm.open("R", mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle, fails(2026):
        handle.put(b"body", options=mq.MQPMO_SET_ALL_CONTEXT, appl_origin_data="é漢字é")
    assert qm.get("QM2") is None


def test_a_plain_message_has_no_onward_part(qm, queue):
    qm.put(queue, b"body")
    message = qm.get(queue)
    assert isinstance(message, Message)
    assert (message.onward, message.body) == (None, b"body")
