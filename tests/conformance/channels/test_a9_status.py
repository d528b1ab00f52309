"""A9: DISPLAY CHSTATUS, PING CHANNEL, channel events and metrics."""

from __future__ import annotations

from typing import Any

import pytest

import penstock
from penstock.channel.frames import version_of
from penstock.model.pcf import decode_pcf
from tests.channel_pairs import Pair, bodies, refusal, run, status, until_state
from tests.patience import until

pytestmark = pytest.mark.installed

CURRENT = """BATCHES
    BATCHSZ BUFSRCVD BUFSSENT BYTSRCVD BYTSSENT CHSTADA CHSTATI COMPHDR COMPMSG CURLUWID CURMSGS
    CURSEQNO HBINT INDOUBT JOBNAME LOCLADDR LONGRTS LSTLUWID LSTMSGDA LSTMSGTI LSTSEQNO MCASTAT MCAUSER MSGS
    NPMSPEED RAPPLTAG RPRODUCT RVERSION SECPROT SHORTRTS SSLCERTI SSLCIPH SSLKEYDA SSLKEYTI SSLPEER SSLRKEYS
    STOPREQ COMPRATE COMPTIME EXITTIME MONCHL NETTIME XBATCHSZ XQMSGSA XQTIME"""


def test_every_field_is_there(pair: Pair) -> None:
    pair.link("FIELDS")
    pair.qma.put("FIELDS.R", b"x", persistent=True)
    bodies(pair.qmb, "FIELDS.T", 1)
    until(lambda: status(pair.qma, "FIELDS")["BATCHES"] == 1)
    row = status(pair.qma, "FIELDS")
    assert set(CURRENT.split()) <= set(row)
    assert (row["RQMNAME"], row["XMITQ"], row["MSGS"], row["LSTSEQNO"]) == ("QMB", "FIELDS.X", 1, 1)
    assert row["LSTLUWID"] == status(pair.qmb, "FIELDS")["LSTLUWID"]
    assert all(int(part) >= 0 for part in row["NETTIME"].split(","))
    monitored = status(pair.qma, "FIELDS", "MONITOR")
    assert "XQTIME" in monitored
    assert "MSGS" not in monitored
    assert set(status(pair.qma, "FIELDS", "SHORT")) == {
        "CHANNEL", "CHLTYPE", "CONNAME", "CURRENT", "RQMNAME", "STATUS", "SUBSTATE", "XMITQ"
    }  # fmt: skip


def test_counts_go_on_through_links_until_the_channel_starts_again(pair: Pair) -> None:
    """MSGS, BATCHES and BYTSSENT are of the channel since START, not of its link of the moment."""
    pair.link("COUNTS", "SHORTTMR(0)")
    pair.qma.put("COUNTS.R", b"one", persistent=True)
    bodies(pair.qmb, "COUNTS.T", 1)
    until(lambda: status(pair.qma, "COUNTS")["BATCHES"] == 1)
    before = status(pair.qma, "COUNTS")
    run(pair.qmb, "STOP CHANNEL(COUNTS) MODE(TERMINATE) STATUS(INACTIVE)")
    until_state(pair.qmb, "COUNTS", "RUNNING")  # by the next link
    pair.qma.put("COUNTS.R", b"two", persistent=True)
    bodies(pair.qmb, "COUNTS.T", 1)
    until(lambda: status(pair.qma, "COUNTS")["BATCHES"] == 2)
    row = status(pair.qma, "COUNTS")
    assert (row["MSGS"], row["CHSTATI"]) == (2, before["CHSTATI"])
    assert row["BYTSSENT"] > before["BYTSSENT"] > 0
    run(pair.qma, "STOP CHANNEL(COUNTS)")
    until_state(pair.qma, "COUNTS", "STOPPED")
    run(pair.qma, "START CHANNEL(COUNTS)")
    until_state(pair.qma, "COUNTS", "RUNNING")
    assert status(pair.qma, "COUNTS")["MSGS"] == 0
    found = {each.channel: each for each in pair.qma.status().message_channels}
    assert found["COUNTS"].confirmed == 2


def test_compression_is_measured_and_the_version_of_the_partner_shown(pair: Pair) -> None:
    pair.link("MEASURED", "COMPMSG(ZLIBFAST)", "COMPMSG(ZLIBFAST)")
    pair.qma.put("MEASURED.R", b"x" * 10_000, persistent=True)
    bodies(pair.qmb, "MEASURED.T", 1)
    for qm in (pair.qma, pair.qmb):
        row = status(qm, "MEASURED")
        assert row["RVERSION"] == version_of({"version": penstock.__version__})
        assert row["COMPRATE"] == "99,99"
        assert row["COMPTIME"].split(",")[0].isdigit()


def test_rows_are_selected(pair: Pair) -> None:
    pair.link("CHOSEN")
    pair.qma.put("CHOSEN.R", b"x")
    bodies(pair.qmb, "CHOSEN.T", 1)

    def names(command: str) -> list[str]:
        return [str(reply.attributes["CHANNEL"]) for reply in pair.qma.mqsc(command) if reply.attributes]

    assert names("DISPLAY CHSTATUS(*) XMITQ(CHOSEN.X)") == ["CHOSEN"]
    assert names("DISPLAY CHSTATUS(*) CONNAME('10.0.0.1')") == []
    assert "CHOSEN" in names("DISPLAY CHSTATUS(*) WHERE(STATUS EQ RUNNING)")


def test_ping(pair: Pair) -> None:
    pair.link("PING", trigger=False)
    run(pair.qma, "PING CHANNEL(PING)\nPING CHANNEL(PING) DATALEN(32768)")
    assert refusal(pair.qmb, "PING CHANNEL(PING)").reason == 4041
    run(pair.qma, "ALTER CHANNEL(PING) CHLTYPE(SDR) CONNAME('127.0.0.1(1)')")
    assert refusal(pair.qma, "PING CHANNEL(PING)").reason == 2538
    pair.link("PING", "SEQWRAP(1234)", trigger=False)
    assert refusal(pair.qma, "PING CHANNEL(PING)").reason == 8072
    run(pair.qmb, "DELETE CHANNEL(PING)")
    assert refusal(pair.qma, "PING CHANNEL(PING)").reason == 2540


def test_a_running_channel_needs_no_ping(pair: Pair) -> None:
    pair.link("BUSY", trigger=False)
    run(pair.qma, "START CHANNEL(BUSY)")
    until_state(pair.qma, "BUSY", "RUNNING")
    assert refusal(pair.qma, "PING CHANNEL(BUSY)").reason == 4031


def events(qm: Any) -> list[Any]:
    found = []
    while (message := qm.get("SYSTEM.ADMIN.CHANNEL.EVENT", wait=0.1)) is not None:
        found.append(decode_pcf(bytes(message.body)))
    return found


def test_channel_events(pair: Pair) -> None:
    run(pair.qma, "ALTER QMGR CHLEV(ENABLED)")
    events(pair.qma)
    pair.link("EVENTS", trigger=False)
    run(pair.qma, "START CHANNEL(EVENTS)")
    until_state(pair.qma, "EVENTS", "RUNNING")
    run(pair.qma, "STOP CHANNEL(EVENTS)")
    until_state(pair.qma, "EVENTS", "STOPPED")
    found = [each for each in events(pair.qma) if "EVENTS" in str(each)]
    assert [each.reason for each in found] == [2282, 2279, 2283]
    run(pair.qma, "ALTER QMGR CHLEV(EXCEPTION)")
    run(pair.qma, "ALTER CHANNEL(EVENTS) CHLTYPE(SDR) CONNAME('127.0.0.1(1)')\nSTART CHANNEL(EVENTS)")
    until_state(pair.qma, "EVENTS", "RETRYING")
    (told,) = [each for each in events(pair.qma) if "EVENTS" in str(each)]
    assert told.reason == 2283
    run(pair.qma, "ALTER QMGR CHLEV(DISABLED)\nSTOP CHANNEL(EVENTS)")


def test_figures_say_how_a_channel_is(pair: Pair) -> None:
    pair.link("FIGURES")
    run(pair.qma, "STOP CHANNEL(FIGURES)")
    pair.qma.put("FIGURES.R", b"waits", persistent=True)
    found = {each.channel: each for each in pair.qma.status().message_channels}
    assert (found["FIGURES"].waiting_messages, found["FIGURES"].health) == (1, 2)
    run(pair.qma, "START CHANNEL(FIGURES)")
    bodies(pair.qmb, "FIGURES.T", 1)

    def well() -> bool:
        now = {each.channel: each for each in pair.qma.status().message_channels}["FIGURES"]
        return (now.state, now.waiting_messages, now.health) == ("RUNNING", 0, 0)

    until(well)


def test_waiting_bytes_are_known_after_a_restart_too(pair: Pair) -> None:
    pair.link("BYTES", trigger=False)
    run(pair.qma, "STOP CHANNEL(BYTES)")
    for _ in range(3):
        pair.qma.put("BYTES.R", b"x" * 1000, persistent=True)

    def waiting() -> tuple[int, int]:
        found = {each.channel: each for each in pair.qma.status().message_channels}["BYTES"]
        return found.waiting_messages, found.waiting_bytes

    assert waiting() == (3, 3000)
    pair.restart(pair.a)
    assert waiting() == (3, 3000)
    run(pair.qma, "START CHANNEL(BYTES)")
    bodies(pair.qmb, "BYTES.T", 3)
    until(lambda: waiting() == (0, 0))
