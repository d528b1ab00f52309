"""A7: the receiving end cannot deliver: retries, reports, dead letters, and with whose authority it puts."""

from __future__ import annotations

from typing import Any

import pytest

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


def test_putaut_ctx_asks_for_the_user_in_the_message(pair: Pair) -> None:
    pair.link("CONTEXT", receiver="MCAUSER('mover') PUTAUT(CTX)")
    run(pair.qmb, "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mover') AUTHADD(ALTUSR)")
    pair.qma.put("CONTEXT.R", b"first", persistent=True)
    got = until(lambda: pair.qmb.get("DLQ", wait=0.1) or pair.qmb.get("CONTEXT.T", wait=0.1))
    user = got.descriptor.user_id.strip()
    (shown,) = [
        reply.attributes
        for reply in pair.qmb.mqsc(f"DISPLAY ENTAUTH PRINCIPAL('{user}') OBJTYPE(QUEUE) OBJNAME(CONTEXT.T)")
        if reply.attributes
    ]
    allowed = "PUT" in str(shown)
    assert allowed == (not bytes(got.body).startswith(b"DLH "))
