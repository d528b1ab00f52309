"""A8: states of channels: START and STOP, triggers, restarts, adoption, auto-definition."""

from __future__ import annotations

import pytest

from tests.channel_pairs import Pair, bodies, depth, refusal, run, status, until_state
from tests.patience import until

pytestmark = pytest.mark.installed


def test_stop_and_start(pair: Pair) -> None:
    pair.link("STOPS")
    pair.qma.put("STOPS.R", b"1", persistent=True)
    bodies(pair.qmb, "STOPS.T", 1)
    assert refusal(pair.qma, "START CHANNEL(STOPS)").reason == 4031
    run(pair.qma, "STOP CHANNEL(STOPS)")
    until_state(pair.qma, "STOPS", "STOPPED")
    until_state(pair.qmb, "STOPS", "INACTIVE")
    pair.qma.put("STOPS.R", b"2", persistent=True)
    assert depth(pair.qma, "STOPS.X") == 1  # no trigger starts what is stopped
    run(pair.qma, "START CHANNEL(STOPS)")
    assert bodies(pair.qmb, "STOPS.T", 1) == [b"2"]


@pytest.mark.parametrize("mode", ["QUIESCE", "FORCE", "TERMINATE"])
def test_every_mode_stops_and_loses_nothing(pair: Pair, mode: str) -> None:
    name = f"MODE.{mode}"
    pair.link(name, "BATCHSZ(5)")
    for number in range(100):
        pair.qma.put(f"{name}.R", b"%03d" % number, persistent=True)
    run(pair.qma, f"STOP CHANNEL({name}) MODE({mode})")
    until_state(pair.qma, name, "STOPPED")
    run(pair.qma, f"START CHANNEL({name})")
    assert bodies(pair.qmb, f"{name}.T", 100) == [b"%03d" % number for number in range(100)]


def test_a_stopped_receiver_refuses_and_the_sender_retries(pair: Pair) -> None:
    pair.link("CLOSED", "SHORTTMR(0) SHORTRTY(999999999)")
    run(pair.qmb, "STOP CHANNEL(CLOSED)")
    assert status(pair.qmb, "CLOSED")["STATUS"] == "STOPPED"
    pair.qma.put("CLOSED.R", b"waits", persistent=True)
    until_state(pair.qma, "CLOSED", "RETRYING")
    run(pair.qmb, "START CHANNEL(CLOSED)")
    assert bodies(pair.qmb, "CLOSED.T", 1) == [b"waits"]


def test_stopped_survives_a_restart_and_waiting_messages_start_a_channel(pair: Pair) -> None:
    pair.link("HELD")
    pair.link("WAITS", trigger=False)
    run(pair.qma, "STOP CHANNEL(HELD)")
    pair.qma.put("HELD.R", b"held", persistent=True)
    pair.qma.put("WAITS.R", b"goes", persistent=True)
    pair.restart(pair.a)
    assert bodies(pair.qmb, "WAITS.T", 1) == [b"goes"]
    assert status(pair.qma, "HELD")["STATUS"] == "STOPPED"
    assert depth(pair.qma, "HELD.X") == 1
    run(pair.qma, "START CHANNEL(HELD)")
    assert bodies(pair.qmb, "HELD.T", 1) == [b"held"]


def test_a_new_channel_of_the_name_of_a_stopped_one_is_not_stopped(pair: Pair) -> None:
    pair.link("ANEW", trigger=False)
    run(pair.qma, "START CHANNEL(ANEW)")
    until_state(pair.qma, "ANEW", "RUNNING")
    run(pair.qma, "STOP CHANNEL(ANEW)")
    until_state(pair.qma, "ANEW", "STOPPED")
    run(pair.qma, "DELETE CHANNEL(ANEW)")
    pair.link("ANEW")
    pair.qma.put("ANEW.R", b"goes", persistent=True)
    assert bodies(pair.qmb, "ANEW.T", 1) == [b"goes"]


def test_a_partner_that_comes_back_is_reached_by_hearsay(pair: Pair) -> None:
    pair.link("THERE", "SHORTTMR(3600)")
    pair.qma.put("THERE.R", b"1", persistent=True)
    bodies(pair.qmb, "THERE.T", 1)
    run(
        pair.qmb,
        f"DEFINE QLOCAL(BACK.X) USAGE(XMITQ)\nDEFINE CHANNEL(BACK) CHLTYPE(SDR) XMITQ(BACK.X)"
        f" CONNAME('{pair.address('QMA')}')",
    )
    run(pair.qma, "DEFINE CHANNEL(BACK) CHLTYPE(RCVR)")
    pair.restart(pair.b)
    until_state(pair.qma, "THERE", "RETRYING")  # for an hour
    pair.qma.put("THERE.R", b"2", persistent=True)
    run(pair.qmb, "START CHANNEL(BACK)")
    assert bodies(pair.qmb, "THERE.T", 1) == [b"2"]


def test_a_channel_defines_itself_where_chad_allows(pair: Pair) -> None:
    run(
        pair.qma,
        "DEFINE QLOCAL(AUTO.X) USAGE(XMITQ)\nDEFINE QREMOTE(AUTO.R) RNAME(AUTO.T) RQMNAME(QMB) XMITQ(AUTO.X)",
    )
    run(
        pair.qma,
        "DEFINE CHANNEL(AUTO) CHLTYPE(SDR) XMITQ(AUTO.X) SEQWRAP(5000) SHORTTMR(0) SHORTRTY(999999999)"
        f" CONNAME('{pair.address('QMB')}')\nSTART CHANNEL(AUTO)",
    )
    until_state(pair.qma, "AUTO", "RETRYING")
    run(pair.qmb, "DEFINE QLOCAL(AUTO.T)\nALTER QMGR CHAD(ENABLED) CHADEV(ENABLED)")
    pair.qma.put("AUTO.R", b"by itself", persistent=True)
    assert bodies(pair.qmb, "AUTO.T", 1) == [b"by itself"]
    (shown,) = run(pair.qmb, "DISPLAY CHANNEL(AUTO) CHLTYPE SEQWRAP")
    assert (shown.attributes["CHLTYPE"], shown.attributes["SEQWRAP"]) == ("RCVR", 5000)
    assert depth(pair.qmb, "SYSTEM.ADMIN.CHANNEL.EVENT") == 1
    run(pair.qmb, "ALTER QMGR CHAD(DISABLED)")


def test_get_disabled_ends_the_channel_and_enabled_lets_it_go_on(pair: Pair) -> None:
    pair.link("INHIBIT", "SHORTTMR(0) SHORTRTY(999999999)")
    pair.qma.put("INHIBIT.R", b"1", persistent=True)
    bodies(pair.qmb, "INHIBIT.T", 1)
    run(pair.qma, "ALTER QLOCAL(INHIBIT.X) GET(DISABLED)")
    pair.qma.put("INHIBIT.R", b"2", persistent=True)
    until(lambda: "2016" in status(pair.qma, "INHIBIT").get("LSTERR", ""))
    run(pair.qma, "ALTER QLOCAL(INHIBIT.X) GET(ENABLED)")
    assert bodies(pair.qmb, "INHIBIT.T", 1) == [b"2"]


def test_the_channel_initiator_is_shown(pair: Pair) -> None:
    (shown,) = run(pair.qma, "DISPLAY QMSTATUS CHINIT")
    assert shown.attributes["CHINIT"] == "RUNNING"
    run(pair.qma, "START CHINIT")
