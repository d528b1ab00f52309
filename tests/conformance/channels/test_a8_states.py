"""A8: states of channels: START and STOP, triggers, restarts, adoption, auto-definition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.channel_pairs import Pair, bodies, depth, refusal, run, status, until_state
from tests.patience import until
from tests.served import Served

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


def test_stop_of_one_partner_says_when_there_is_none_and_never_holds_the_channel(pair: Pair) -> None:
    pair.link("PARTNER")
    pair.qma.put("PARTNER.R", b"1", persistent=True)
    bodies(pair.qmb, "PARTNER.T", 1)
    for other in ("QMNAME(QMX)", "CONNAME('192.0.2.1')", "QMNAME(QMB) CONNAME('192.0.2.1')"):
        assert refusal(pair.qma, f"STOP CHANNEL(PARTNER) {other}").reason == 4064
    assert refusal(pair.qma, "STOP CHANNEL(PARTNER) QMNAME(QMB) STATUS(STOPPED)").reason == 8072
    assert status(pair.qma, "PARTNER")["STATUS"] == "RUNNING"
    run(pair.qma, "STOP CHANNEL(PARTNER) QMNAME(QMB)")
    until_state(pair.qma, "PARTNER", "INACTIVE")
    pair.qma.put("PARTNER.R", b"2", persistent=True)  # a trigger starts it again
    assert bodies(pair.qmb, "PARTNER.T", 1) == [b"2"]


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
    pair.link("INHIBIT", "HBINT(0) DISCINT(0) SHORTTMR(0) SHORTRTY(999999999)", "HBINT(0)")
    pair.qma.put("INHIBIT.R", b"1", persistent=True)
    bodies(pair.qmb, "INHIBIT.T", 1)
    run(pair.qma, "ALTER QLOCAL(INHIBIT.X) GET(DISABLED)")
    pair.qma.put("INHIBIT.R", b"2", persistent=True)
    until(lambda: "2016" in status(pair.qma, "INHIBIT").get("LSTERR", ""))
    run(pair.qma, "ALTER QLOCAL(INHIBIT.X) GET(ENABLED)")
    assert bodies(pair.qmb, "INHIBIT.T", 1) == [b"2"]
    run(pair.qma, "ALTER QLOCAL(INHIBIT.X) GET(DISABLED)\nALTER QLOCAL(INHIBIT.X) GET(ENABLED)")
    pair.qma.put("INHIBIT.R", b"3", persistent=True)  # no timer looks at an idle channel
    assert bodies(pair.qmb, "INHIBIT.T", 1) == [b"3"]


def test_the_channel_initiator_is_shown(pair: Pair) -> None:
    (shown,) = run(pair.qma, "DISPLAY QMSTATUS CHINIT")
    assert shown.attributes["CHINIT"] == "RUNNING"
    run(pair.qma, "START CHINIT")


def test_what_runs_is_not_deleted(pair: Pair) -> None:
    pair.link("DELETED", trigger=False)
    run(pair.qma, "START CHANNEL(DELETED)")
    until_state(pair.qma, "DELETED", "RUNNING")
    assert refusal(pair.qma, "DELETE CHANNEL(DELETED)").reason == 4031
    assert refusal(pair.qma, "DELETE QLOCAL(DELETED.X)").reason in (2042, 4004)
    assert refusal(pair.qmb, "DELETE CHANNEL(DELETED)").reason == 4031
    run(pair.qma, "STOP CHANNEL(DELETED)")
    until_state(pair.qma, "DELETED", "STOPPED")
    until_state(pair.qmb, "DELETED", "INACTIVE")
    run(pair.qma, "DELETE CHANNEL(DELETED)\nDELETE QLOCAL(DELETED.X)")
    run(pair.qmb, "DELETE CHANNEL(DELETED)")
    until(lambda: status(pair.qma, "DELETED") == {})


def test_a_channel_that_retries_is_deleted_and_retries_no_more(pair: Pair) -> None:
    pair.link("IN.VAIN", "SHORTTMR(3600)", trigger=False)
    run(pair.qma, "ALTER CHANNEL(IN.VAIN) CHLTYPE(SDR) CONNAME('127.0.0.1(1)')\nSTART CHANNEL(IN.VAIN)")
    until_state(pair.qma, "IN.VAIN", "RETRYING")
    run(pair.qma, "DELETE CHANNEL(IN.VAIN)")
    until(lambda: status(pair.qma, "IN.VAIN") == {})


def test_a_changed_definition_counts_from_the_next_start(pair: Pair) -> None:
    pair.link("ALTERED", "BATCHSZ(10)")
    pair.qma.put("ALTERED.R", b"1", persistent=True)
    bodies(pair.qmb, "ALTERED.T", 1)
    run(pair.qma, "ALTER CHANNEL(ALTERED) CHLTYPE(SDR) BATCHSZ(20)")
    assert status(pair.qma, "ALTERED")["BATCHSZ"] == 10
    run(pair.qma, "STOP CHANNEL(ALTERED)")
    until_state(pair.qma, "ALTERED", "STOPPED")
    run(pair.qma, "START CHANNEL(ALTERED)")
    assert until_state(pair.qma, "ALTERED", "RUNNING")["BATCHSZ"] == 20


def test_two_starts_at_once_are_one(pair: Pair) -> None:
    pair.link("TWICE", trigger=False)
    list(pair.qma.mqsc("START CHANNEL(TWICE)\nSTART CHANNEL(TWICE)\nSTART CHANNEL(TWICE) IGNSTATE(YES)"))
    until_state(pair.qma, "TWICE", "RUNNING")
    rows = [reply for reply in pair.qmb.mqsc("DISPLAY CHSTATUS(TWICE)") if reply.attributes]
    assert len(rows) == 1


def test_two_senders_of_one_name_have_records_of_their_own(pair: Pair) -> None:
    pair.link("SHARED", "SHORTTMR(0)")
    run(
        pair.qmb,
        "DEFINE QLOCAL(SHARED.X) USAGE(XMITQ)\n"
        "DEFINE QREMOTE(SHARED.R) RNAME(SHARED.T) RQMNAME(QMB) XMITQ(SHARED.X)",
    )
    pair.qma.put("SHARED.R", b"1", persistent=True)
    pair.qma.put("SHARED.R", b"2", persistent=True)
    assert bodies(pair.qmb, "SHARED.T", 2) == [b"1", b"2"]
    run(pair.qma, "STOP CHANNEL(SHARED)")
    until_state(pair.qma, "SHARED", "STOPPED")
    until_state(pair.qmb, "SHARED", "INACTIVE")
    with another(pair) as qmc:
        run(
            qmc,
            "DEFINE QLOCAL(SHARED.X) USAGE(XMITQ)\n"
            "DEFINE QREMOTE(SHARED.R) RNAME(SHARED.T) RQMNAME(QMB) XMITQ(SHARED.X)\n"
            f"DEFINE CHANNEL(SHARED) CHLTYPE(SDR) XMITQ(SHARED.X) CONNAME('{pair.address('QMB')}')",
        )
        run(pair.qma, "START CHANNEL(SHARED)")
        qmc.put("SHARED.R", b"from QMC", persistent=True)
        run(qmc, "START CHANNEL(SHARED)")
        assert bodies(pair.qmb, "SHARED.T", 1) == [b"from QMC"]
        pair.qma.put("SHARED.R", b"3", persistent=True)
        assert bodies(pair.qmb, "SHARED.T", 1) == [b"3"]
        partners = {
            reply.attributes["RQMNAME"]
            for reply in pair.qmb.mqsc("DISPLAY CHSTATUS(SHARED)")
            if reply.attributes
        }
        assert partners == {"QMA", "QMC"}


@contextmanager
def another(pair: Pair) -> Iterator[Any]:
    """A third queue manager, QMC."""
    served = Served(pair.a.home, "QMC", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    served.start()
    try:
        with served.local() as qm:
            yield qm
    finally:
        served.stop()
