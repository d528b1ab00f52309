"""A4: attributes of both ends, and what they agree on."""

from __future__ import annotations

import pytest

from penstock.model.pcf import decode_pcf
from tests.channel_pairs import Pair, bodies, depth, run, status, until_state
from tests.patience import until

pytestmark = pytest.mark.installed


def test_the_smaller_batch_and_the_larger_heartbeat_hold(pair: Pair) -> None:
    pair.link(
        "TERMS", "BATCHSZ(40) HBINT(10) MAXMSGL(5000)", "BATCHSZ(7) HBINT(20) MAXMSGL(4000) NPMSPEED(NORMAL)"
    )
    pair.qma.put("TERMS.R", b"x", persistent=True)
    bodies(pair.qmb, "TERMS.T", 1)
    for qm in (pair.qma, pair.qmb):
        row = until_state(qm, "TERMS", "RUNNING")
        found = (row["BATCHSZ"], row["HBINT"], row["MAXMSGL"], row["NPMSPEED"])
        assert found == (7, 20, 4000, "NORMAL")


def test_seqwrap_must_be_equal(pair: Pair) -> None:
    pair.link("WRAPS", "SEQWRAP(1000)", "SEQWRAP(2000)", trigger=False)
    run(pair.qma, "START CHANNEL(WRAPS)")
    until(lambda: "SEQWRAP is 2000 at one end and 1000 at the other" in pair.a.log())
    until_state(pair.qma, "WRAPS", "RETRYING")
    run(pair.qma, "STOP CHANNEL(WRAPS)")


def test_numbers_wrap(pair: Pair) -> None:
    pair.link("WRAP", "SEQWRAP(100) BATCHSZ(30)", "SEQWRAP(100)")
    for number in range(130):
        pair.qma.put("WRAP.R", b"%d" % number, persistent=True)
    assert bodies(pair.qmb, "WRAP.T", 130) == [b"%d" % number for number in range(130)]
    until(lambda: status(pair.qma, "WRAP")["LSTSEQNO"] == 30)


def test_batchint_keeps_a_batch_open(pair: Pair) -> None:
    pair.link("OPEN", "BATCHINT(600)")
    pair.qma.put("OPEN.R", b"1", persistent=True)
    until(lambda: status(pair.qma, "OPEN").get("CURMSGS") == 1)
    assert depth(pair.qmb, "OPEN.T") == 1  # put, not committed
    pair.qma.put("OPEN.R", b"2", persistent=True)
    assert bodies(pair.qmb, "OPEN.T", 2) == [b"1", b"2"]
    assert status(pair.qma, "OPEN")["BATCHES"] == 1


def test_a_message_that_is_too_long_for_the_channel_is_a_dead_letter_here(pair: Pair) -> None:
    pair.link("SHORT", receiver="MAXMSGL(100)")
    pair.qma.put("SHORT.R", b"x" * 101, persistent=True)
    pair.qma.put("SHORT.R", b"fits", persistent=True)
    assert bodies(pair.qmb, "SHORT.T", 1) == [b"fits"]
    letter = pair.qma.get("DLQ", wait=60)
    assert int.from_bytes(bytes(letter.body)[8:12], "little") == 2218


def test_without_dead_letters_it_stops_the_channel(pair: Pair) -> None:
    pair.link("STUCK", "USEDLQ(NO)", "MAXMSGL(100)")
    pair.qma.put("STUCK.R", b"x" * 101, persistent=True)
    row = until_state(pair.qma, "STUCK", "RETRYING")
    assert "2218" in row["LSTERR"]
    assert depth(pair.qma, "STUCK.X") == 1
    run(pair.qma, "STOP CHANNEL(STUCK)")


def test_retries_are_counted_and_used_up(pair: Pair) -> None:
    pair.link("RETRY", "SHORTRTY(2) SHORTTMR(0) LONGRTY(1) LONGTMR(0)", trigger=False)
    run(pair.qma, "ALTER CHANNEL(RETRY) CHLTYPE(SDR) CONNAME('127.0.0.1(1)')\nSTART CHANNEL(RETRY)")
    row = until_state(pair.qma, "RETRY", "STOPPED")
    assert (row["SHORTRTS"], row["LONGRTS"]) == (0, 0)


def test_discint_ends_an_idle_channel_and_a_trigger_starts_it_again(pair: Pair) -> None:
    pair.link("IDLE", "DISCINT(1)")
    pair.qma.put("IDLE.R", b"1", persistent=True)
    assert bodies(pair.qmb, "IDLE.T", 1) == [b"1"]
    until_state(pair.qma, "IDLE", "INACTIVE")
    pair.qma.put("IDLE.R", b"2", persistent=True)
    assert bodies(pair.qmb, "IDLE.T", 1) == [b"2"]


def test_heartbeats_of_an_idle_channel_are_answered(pair: Pair) -> None:
    pair.link("BEAT", "HBINT(1) SHORTTMR(0)", "HBINT(1)")
    pair.qma.put("BEAT.R", b"1", persistent=True)
    assert bodies(pair.qmb, "BEAT.T", 1) == [b"1"]
    before = status(pair.qma, "BEAT")["BYTSRCVD"]
    until(lambda: status(pair.qma, "BEAT")["BYTSRCVD"] > before)  # answers to heartbeats
    assert status(pair.qma, "BEAT")["STATUS"] == "RUNNING"


def test_batchlim_ends_a_batch_behind_the_message_that_passes_it(pair: Pair) -> None:
    pair.link("KILOBYTES", "BATCHLIM(1)", trigger=False)
    for _ in range(6):
        pair.qma.put("KILOBYTES.R", b"x" * 600, persistent=True)
    run(pair.qma, "START CHANNEL(KILOBYTES)")
    bodies(pair.qmb, "KILOBYTES.T", 6)
    until(lambda: (status(pair.qma, "KILOBYTES").get("BATCHES"), depth(pair.qma, "KILOBYTES.X")) == (3, 0))


def test_a_report_tells_that_a_message_is_too_long_for_the_channel(pair: Pair) -> None:
    pair.link("TOO.LONG", receiver="MAXMSGL(100)")
    run(pair.qma, "DEFINE QLOCAL(TOO.LONG.REPLIES)")
    exception, discard = 0x01000000, 0x08000000
    pair.qma.put(
        "TOO.LONG.R", b"x" * 101, persistent=True, report=exception | discard, reply_to="TOO.LONG.REPLIES"
    )
    assert pair.qma.get("TOO.LONG.REPLIES", wait=60).descriptor.feedback == 2218
    assert depth(pair.qma, "DLQ") == 0


def test_convert_at_the_sending_end(pair: Pair) -> None:
    run(pair.qma, "ALTER QMGR CHLEV(EXCEPTION)")
    pair.link("CONVERTED", "CONVERT(YES)")
    ccsid = int(run(pair.qmb, "DISPLAY QMGR CCSID")[0].attributes["CCSID"])
    given = {"ccsid": 37, "persistent": True}
    pair.qma.put("CONVERTED.R", "\u00e9t\u00e9".encode("cp037"), format="MQSTR", **given)
    pair.qma.put("CONVERTED.R", b"\xc1\xc2", **given)  # without a format nobody knows what it is
    pair.qma.put("CONVERTED.R", b"\xc1", format="MQSTR", flags=2, **given)  # a segment
    text, binary, segment = [pair.qmb.get("CONVERTED.T", wait=60) for _ in range(3)]
    assert (bytes(text.body), text.descriptor.ccsid) == ("\u00e9t\u00e9".encode(), ccsid)
    assert (bytes(binary.body), binary.descriptor.ccsid) == (b"\xc1\xc2", 37)
    assert (bytes(segment.body), segment.descriptor.ccsid) == (b"\xc1", 37)
    pair.qma.put("CONVERTED.R", b"no header", format="MQHRF2", **given)
    letter = pair.qma.get("DLQ", wait=60)
    assert int.from_bytes(bytes(letter.body)[8:12], "little") == 2110
    told = decode_pcf(bytes(pair.qma.get("SYSTEM.ADMIN.CHANNEL.EVENT", wait=60).body))
    assert told.reason == 2284
    run(pair.qma, "ALTER QMGR CHLEV(DISABLED)")


def test_propctl_says_that_it_has_no_effect_and_properties_arrive(pair: Pair) -> None:
    pair.link("PROPERTIES", "PROPCTL(NONE)")
    (reply,) = run(pair.qma, "ALTER CHANNEL(PROPERTIES) CHLTYPE(SDR) PROPCTL(ALL)")
    assert "PROPCTL" in str(reply)
    pair.qma.put("PROPERTIES.R", b"x", properties={"colour": "red"})
    assert dict(pair.qmb.get("PROPERTIES.T", wait=60).properties) == {"colour": "red"}
