"""A7: the receiving end cannot deliver: retries, reports, dead letters, and with whose authority it puts."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model import constants as mq
from tests.channel_pairs import Pair, bodies, depth, run, status, until_state
from tests.patience import until

pytestmark = pytest.mark.installed


def reason_of(letter: Any) -> int:
    return int.from_bytes(bytes(letter.body)[8:12], "little")


def test_a_full_queue_pauses_the_channel_until_there_is_room(pair: Pair) -> None:
    pair.link("FULL", receiver="MRRTY(1000) MRTMR(50)")
    run(pair.qmb, "ALTER QLOCAL(FULL.T) MAXDEPTH(1)")
    for body in (b"1", b"2", b"3"):
        pair.qma.put("FULL.R", body, persistent=True)
    until_state(pair.qmb, "FULL", "PAUSED")
    until_state(pair.qma, "FULL", "PAUSED")
    assert "2053" in status(pair.qma, "FULL")["LSTERR"]
    assert "2053" in status(pair.qmb, "FULL")["LSTERR"]
    assert depth(pair.qmb, "DLQ") == 0
    run(pair.qmb, "ALTER QLOCAL(FULL.T) MAXDEPTH(10)")
    assert bodies(pair.qmb, "FULL.T", 3) == [b"1", b"2", b"3"]


def test_after_the_retries_it_is_a_dead_letter_that_both_ends_name(pair: Pair) -> None:
    pair.link("DEAD", receiver="MRRTY(1) MRTMR(1)")
    run(pair.qmb, "ALTER QLOCAL(DEAD.T) PUT(DISABLED)")
    sent = pair.qma.put("DEAD.R", b"unwanted", persistent=True)
    letter = pair.qmb.get("DLQ", wait=60)
    assert (reason_of(letter), letter.msg_id) == (2051, sent.msg_id)
    name = sent.msg_id.hex().upper()
    until(lambda: name in pair.b.log() and name in pair.a.log())
    pair.qma.put("DEAD.R", b"fast and unwanted")
    assert reason_of(pair.qmb.get("DLQ", wait=60)) == 2051


def test_an_unknown_queue_is_a_dead_letter_at_once(pair: Pair) -> None:
    pair.link("UNKNOWN")
    run(pair.qma, "ALTER QREMOTE(UNKNOWN.R) RNAME(NOT.THERE)")
    pair.qma.put("UNKNOWN.R", b"lost", persistent=True)
    assert reason_of(pair.qmb.get("DLQ", wait=60)) == 2085


def test_an_exception_report_comes_back_and_discard_means_discard(pair: Pair) -> None:
    pair.link("REPORT")
    run(pair.qma, "ALTER QREMOTE(REPORT.R) RNAME(NOT.THERE)\nDEFINE QLOCAL(REPORT.REPLIES)")
    run(pair.qma, "DEFINE CHANNEL(REPORT.BACK) CHLTYPE(RCVR)")
    run(
        pair.qmb,
        "DEFINE QLOCAL(QMA) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ) REPLACE\n"
        f"DEFINE CHANNEL(REPORT.BACK) CHLTYPE(SDR) XMITQ(QMA) CONNAME('{pair.address('QMA')}')",
    )
    exception, discard = 0x01000000, 0x08000000
    pair.qma.put(
        "REPORT.R",
        b"x",
        persistent=True,
        report=exception | discard,
        reply_to="REPORT.REPLIES",
        reply_to_qmgr="QMA",
    )
    report = pair.qma.get("REPORT.REPLIES", wait=60)
    assert report.descriptor.feedback == 2085
    assert depth(pair.qmb, "DLQ") == 0


def test_without_dead_letters_the_channel_ends_and_the_message_stays(pair: Pair) -> None:
    pair.link("NODLQ", "SHORTTMR(0) SHORTRTY(999999999)", "USEDLQ(NO) MRRTY(0)")
    run(pair.qma, "ALTER QREMOTE(NODLQ.R) RNAME(NODLQ.LATER)")
    sent = pair.qma.put("NODLQ.R", b"kept", persistent=True)
    row = until(lambda: (r := status(pair.qma, "NODLQ")) and "2085" in r["LSTERR"] and r)
    assert sent.msg_id.hex().upper() in row["LSTERR"]
    run(pair.qmb, "DEFINE QLOCAL(NODLQ.LATER)")
    assert bodies(pair.qmb, "NODLQ.LATER", 1) == [b"kept"]


def test_mcauser_needs_the_authority_to_put(pair: Pair) -> None:
    pair.link("AUTH", receiver="MCAUSER('mover')")
    pair.qma.put("AUTH.R", b"refused", persistent=True)
    assert reason_of(pair.qmb.get("DLQ", wait=60)) == 2035
    run(
        pair.qmb,
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mover') AUTHADD(CONNECT,SETALL)\n"
        "SET AUTHREC PROFILE(AUTH.T) OBJTYPE(QUEUE) PRINCIPAL('mover') AUTHADD(PUT,SETALL)",
    )
    pair.qma.put("AUTH.R", b"allowed", persistent=True)
    assert bodies(pair.qmb, "AUTH.T", 1) == [b"allowed"]
    assert status(pair.qmb, "AUTH")["MCAUSER"] == "mover"


def test_putaut_ctx_asks_for_the_users_in_the_messages(pair: Pair) -> None:
    pair.link("CONTEXT", receiver="MCAUSER('mover') PUTAUT(CTX)")
    run(
        pair.qmb,
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mover') AUTHADD(CONNECT,SETALL,ALTUSR)\n"
        "SET AUTHREC PROFILE(CONTEXT.T) OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(PUT)",
    )
    with pair.qma.open("CONTEXT.R", mq.MQOO_OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT) as handle:
        for user in ("alice", "bob", "alice"):
            body = user.encode()
            handle.put(body, options=mq.MQPMO_SET_IDENTITY_CONTEXT, user_id=user, persistent=True)
    assert bodies(pair.qmb, "CONTEXT.T", 2) == [b"alice", b"alice"]
    letter = pair.qmb.get("DLQ", wait=60)
    assert (reason_of(letter), bytes(letter.body)[-3:]) == (2035, b"bob")
    run(pair.qmb, "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mover') AUTHRMV(ALTUSR)")
    with pair.qma.open("CONTEXT.R", mq.MQOO_OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT) as handle:
        handle.put(b"x", options=mq.MQPMO_SET_IDENTITY_CONTEXT, user_id="alice", persistent=True)
    assert reason_of(pair.qmb.get("DLQ", wait=60)) == 2035


def test_a_full_dead_letter_queue_stops_the_channel_until_there_is_room(pair: Pair) -> None:
    pair.link("NO.ROOM", "SHORTTMR(0) SHORTRTY(999999999)", "MRRTY(0)")
    run(pair.qma, "ALTER QREMOTE(NO.ROOM.R) RNAME(NOT.THERE)")
    run(pair.qmb, "DEFINE QLOCAL(SMALL.DLQ) MAXDEPTH(1)\nALTER QMGR DEADQ(SMALL.DLQ)")
    pair.qma.put("NO.ROOM.R", b"first", persistent=True)
    until(lambda: depth(pair.qmb, "SMALL.DLQ") == 1)
    pair.qma.put("NO.ROOM.R", b"second", persistent=True)
    until(lambda: "no dead-letter queue takes it" in status(pair.qma, "NO.ROOM").get("LSTERR", ""))
    assert pair.qmb.get("SMALL.DLQ", wait=60) is not None
    assert bytes(pair.qmb.get("SMALL.DLQ", wait=60).body).endswith(b"second")
    run(pair.qmb, "ALTER QMGR DEADQ(DLQ)")
