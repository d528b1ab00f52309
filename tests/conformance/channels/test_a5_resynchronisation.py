"""A5: batches in doubt, resynchronisation, RESET and RESOLVE CHANNEL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channel_pairs import Pair, bodies, depth, refusal, run, status, until_state
from tests.patience import until
from tests.relay import Relay

pytestmark = pytest.mark.installed


@pytest.fixture
def relay(pair: Pair) -> Iterator[Relay]:
    made = Relay(pair.ports["QMB"])
    yield made
    made.close()


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
