"""A5: batches in doubt, resynchronisation, RESET and RESOLVE CHANNEL."""

from __future__ import annotations

import time

import pytest

from tests.channel_pairs import Pair, bodies, depth, refusal, run, status, until_state
from tests.patience import until
from tests.relay import Relay

pytestmark = pytest.mark.installed


def saved(pair: Pair, name: str) -> dict[str, object]:
    return status(pair.qma, name, "SAVED ALL")


def test_a_cut_line_loses_and_doubles_nothing(pair: Pair, relay: Relay) -> None:
    pair.link("CUT", "SHORTTMR(0) BATCHSZ(5)")
    run(pair.qma, f"ALTER CHANNEL(CUT) CHLTYPE(SDR) CONNAME('127.0.0.1({relay.port})')")
    for number in range(60):
        pair.qma.put("CUT.R", b"%02d" % number, persistent=number % 3 != 0)
        if number % 15 == 7:
            relay.cut()
    found = bodies(pair.qmb, "CUT.T", 60)
    assert sorted(found) == [b"%02d" % number for number in range(60)]
    assert pair.qmb.get("CUT.T", wait=0.2) is None


def test_reset_at_the_sending_end_counts_at_both(pair: Pair) -> None:
    pair.link("RESET")
    pair.qma.put("RESET.R", b"1", persistent=True)
    bodies(pair.qmb, "RESET.T", 1)
    assert refusal(pair.qma, "RESET CHANNEL(RESET) SEQNUM(50)").reason == 4031
    run(pair.qma, "STOP CHANNEL(RESET)")
    until_state(pair.qma, "RESET", "STOPPED")
    run(pair.qma, "RESET CHANNEL(RESET) SEQNUM(50)\nSTART CHANNEL(RESET)")
    pair.qma.put("RESET.R", b"2", persistent=True)
    assert bodies(pair.qmb, "RESET.T", 1) == [b"2"]
    until(lambda: status(pair.qma, "RESET").get("LSTSEQNO") == 50)
    assert status(pair.qmb, "RESET")["LSTSEQNO"] == 50


def test_a_channel_that_has_not_run_has_no_number_to_reset(pair: Pair) -> None:
    pair.link("UNUSED", trigger=False)
    run(pair.qma, "RESET CHANNEL(UNUSED)")  # as scripts do behind DEFINE: it begins with 1 anyway
    for qm in (pair.qma, pair.qmb):
        assert refusal(qm, "RESET CHANNEL(UNUSED) SEQNUM(50)").reason == 8072


def test_records_that_differ_are_named_and_reset_mends_them(pair: Pair) -> None:
    pair.link("DIFFER", "SHORTTMR(0) SHORTRTY(999999999)")
    pair.qma.put("DIFFER.R", b"1", persistent=True)
    bodies(pair.qmb, "DIFFER.T", 1)
    run(pair.qma, "STOP CHANNEL(DIFFER)")
    until_state(pair.qma, "DIFFER", "STOPPED")
    until_state(pair.qmb, "DIFFER", "INACTIVE")
    run(pair.qmb, "RESET CHANNEL(DIFFER) SEQNUM(77)")
    run(pair.qma, "START CHANNEL(DIFFER)")
    pair.qma.put("DIFFER.R", b"2", persistent=True)
    row = until(lambda: (r := status(pair.qma, "DIFFER")) and "8071" in r["LSTERR"] and r)
    assert "RESET CHANNEL here makes both ends go on" in row["LSTERR"]
    run(pair.qma, "STOP CHANNEL(DIFFER)")
    until_state(pair.qma, "DIFFER", "STOPPED")
    run(pair.qma, "RESET CHANNEL(DIFFER)\nSTART CHANNEL(DIFFER)")
    assert bodies(pair.qmb, "DIFFER.T", 1) == [b"2"]


def test_saved_status_is_there_when_nothing_runs(pair: Pair) -> None:
    pair.link("SAVED")
    pair.qma.put("SAVED.R", b"1", persistent=True)
    bodies(pair.qmb, "SAVED.T", 1)
    run(pair.qma, "STOP CHANNEL(SAVED) STATUS(INACTIVE)")
    until_state(pair.qma, "SAVED", "INACTIVE")
    row = saved(pair, "SAVED")
    assert (row["CURRENT"], row["INDOUBT"], row["LSTSEQNO"]) == ("SAVED", "NO", 1)
    assert status(pair.qmb, "SAVED", "SAVED ALL")["LSTLUWID"] == row["LSTLUWID"]


def test_resolve_is_refused_where_nothing_is_in_doubt(pair: Pair) -> None:
    pair.link("SURE", trigger=False)
    assert refusal(pair.qma, "RESOLVE CHANNEL(SURE) ACTION(COMMIT)").reason == 8072
    assert refusal(pair.qmb, "RESOLVE CHANNEL(SURE) ACTION(COMMIT)").reason == 4041
    assert depth(pair.qma, "SURE.X") == 0


def linked_by(pair: Pair, relay: Relay, name: str, sender: str) -> None:
    """Link by a relay, and run."""
    pair.link(name, sender)
    run(pair.qma, f"ALTER CHANNEL({name}) CHLTYPE(SDR) CONNAME('127.0.0.1({relay.port})')")
    pair.qma.put(f"{name}.R", b"before", persistent=True)
    assert bodies(pair.qmb, f"{name}.T", 1) == [b"before"]
    until(lambda: status(pair.qma, name).get("INDOUBT") == "NO" and status(pair.qma, name)["LSTSEQNO"] == 1)


def doubt(pair: Pair, relay: Relay, name: str, way: str) -> bool:
    """Leave a batch in doubt that is lost one way; say whether the receiving end has committed it."""
    relay.swallows.add(way)
    pair.qma.put(f"{name}.R", b"doubtful", persistent=True)
    until(lambda: status(pair.qma, name)["INDOUBT"] == "YES")
    if way == "back":
        until(lambda: status(pair.qmb, name)["LSTSEQNO"] == 2)
    run(pair.qma, f"STOP CHANNEL({name}) MODE(FORCE)")
    until_state(pair.qma, name, "STOPPED")
    relay.swallows.clear()
    assert refusal(pair.qma, f"RESET CHANNEL({name})").reason == 4025
    assert refusal(pair.qma, f"DELETE CHANNEL({name})").reason == 4025
    there = status(pair.qmb, name, "SAVED ALL")["LSTLUWID"]
    return bool(there == saved(pair, name)["CURLUWID"])


@pytest.mark.parametrize(("way", "action", "left"), [("back", "COMMIT", 0), ("forth", "BACKOUT", 1)])
def test_a_batch_in_doubt_is_resolved_by_hand(
    pair: Pair, relay: Relay, way: str, action: str, left: int
) -> None:
    name = f"DOUBT.{action}"
    linked_by(pair, relay, name, "SHORTTMR(3600)")
    assert doubt(pair, relay, name, way) is (action == "COMMIT")
    run(pair.qma, f"RESOLVE CHANNEL({name}) ACTION({action})")
    assert saved(pair, name)["INDOUBT"] == "NO"
    assert depth(pair.qma, f"{name}.X") == left
    run(pair.qma, f"START CHANNEL({name})")
    pair.qma.put(f"{name}.R", b"after", persistent=True)
    assert bodies(pair.qmb, f"{name}.T", 2) == [b"doubtful", b"after"]
    assert depth(pair.qmb, f"{name}.T") == 0


def test_a_batch_in_doubt_resolves_by_itself_at_the_next_start(pair: Pair, relay: Relay) -> None:
    linked_by(pair, relay, "ITSELF", "SHORTTMR(3600)")
    assert doubt(pair, relay, "ITSELF", "back")
    run(pair.qma, "START CHANNEL(ITSELF)")
    until(lambda: status(pair.qma, "ITSELF").get("INDOUBT") == "NO")
    assert bodies(pair.qmb, "ITSELF.T", 1) == [b"doubtful"]
    assert depth(pair.qma, "ITSELF.X") == depth(pair.qmb, "ITSELF.T") == 0


def test_batchhb_backs_out_instead_of_doubt(pair: Pair, relay: Relay) -> None:
    linked_by(pair, relay, "ASKED", "BATCHHB(100) SHORTTMR(3600)")
    until(lambda: status(pair.qma, "ASKED")["STATUS"] == "RUNNING")
    relay.swallows.update({"forth", "back"})
    time.sleep(0.2)  # nothing is heard for longer than BATCHHB
    pair.qma.put("ASKED.R", b"kept", persistent=True)
    row = until_state(pair.qma, "ASKED", "RETRYING")
    assert "did not answer a heartbeat" in row["LSTERR"]
    assert (row["INDOUBT"], depth(pair.qma, "ASKED.X")) == ("NO", 1)
    relay.swallows.clear()
    run(pair.qma, "START CHANNEL(ASKED) IGNSTATE(YES)")  # QMB may have been heard of
    assert bodies(pair.qmb, "ASKED.T", 1) == [b"kept"]


def test_a_new_link_takes_the_place_of_one_that_only_the_receiver_has(pair: Pair, relay: Relay) -> None:
    linked_by(pair, relay, "ADOPT", "SHORTTMR(0) SHORTRTY(999999999)")
    relay.strand()
    pair.qma.put("ADOPT.R", b"after", persistent=True)
    assert bodies(pair.qmb, "ADOPT.T", 1) == [b"after"]
    rows = [reply for reply in pair.qmb.mqsc("DISPLAY CHSTATUS(ADOPT)") if reply.attributes]
    assert len(rows) == 1
