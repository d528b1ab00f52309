"""A1: which types of channel ends fit together, who dials, and who sends."""

from __future__ import annotations

import pytest

from tests.channel_pairs import Pair, bodies, refusal, run, until_state

pytestmark = pytest.mark.installed


def test_sdr_rcvr_by_plain_scripts(pair: Pair) -> None:
    pair.link("PLAIN")
    for number in range(20):
        pair.qma.put("PLAIN.R", b"%d" % number, persistent=True)
    assert bodies(pair.qmb, "PLAIN.T", 20) == [b"%d" % number for number in range(20)]
    assert until_state(pair.qma, "PLAIN", "RUNNING")["RQMNAME"] == "QMB"
    assert until_state(pair.qmb, "PLAIN", "RUNNING")["CHLTYPE"] == "RCVR"


def sending(pair: Pair, name: str, kind: str, conname: bool) -> None:
    dialled = f"CONNAME('{pair.address('QMB')}')" if conname else ""
    run(
        pair.qma,
        f"DEFINE QLOCAL({name}.X) USAGE(XMITQ)\n"
        f"DEFINE QREMOTE({name}.R) RNAME({name}.T) RQMNAME(QMB) XMITQ({name}.X)\n"
        f"DEFINE CHANNEL({name}) CHLTYPE({kind}) XMITQ({name}.X) {dialled}",
    )
    pair.qma.put(f"{name}.R", b"pulled", persistent=True)


def receiving(pair: Pair, name: str, kind: str, conname: bool = False) -> None:
    dialled = f"CONNAME('{pair.address('QMA')}')" if conname else ""
    run(pair.qmb, f"DEFINE QLOCAL({name}.T)\nDEFINE CHANNEL({name}) CHLTYPE({kind}) {dialled}")


def test_svr_rcvr_the_server_dials(pair: Pair) -> None:
    sending(pair, "SVR.RCVR", "SVR", conname=True)
    receiving(pair, "SVR.RCVR", "RCVR")
    run(pair.qma, "START CHANNEL(SVR.RCVR)")
    assert bodies(pair.qmb, "SVR.RCVR.T", 1) == [b"pulled"]


def test_rqstr_svr_the_requester_dials(pair: Pair) -> None:
    sending(pair, "RQSTR.SVR", "SVR", conname=False)
    receiving(pair, "RQSTR.SVR", "RQSTR", conname=True)
    assert refusal(pair.qma, "START CHANNEL(RQSTR.SVR)").reason == 4061
    run(pair.qmb, "START CHANNEL(RQSTR.SVR)")
    assert bodies(pair.qmb, "RQSTR.SVR.T", 1) == [b"pulled"]
    assert until_state(pair.qma, "RQSTR.SVR", "RUNNING")["CHLTYPE"] == "SVR"
    assert until_state(pair.qmb, "RQSTR.SVR", "RUNNING")["CHLTYPE"] == "RQSTR"
    run(pair.qmb, "STOP CHANNEL(RQSTR.SVR) STATUS(INACTIVE)")
    until_state(pair.qma, "RQSTR.SVR", "INACTIVE")


def test_svr_rqstr_the_server_dials(pair: Pair) -> None:
    sending(pair, "SVR.RQSTR", "SVR", conname=True)
    receiving(pair, "SVR.RQSTR", "RQSTR", conname=True)
    run(pair.qma, "START CHANNEL(SVR.RQSTR)")
    assert bodies(pair.qmb, "SVR.RQSTR.T", 1) == [b"pulled"]


def test_rqstr_sdr_the_sender_calls_back(pair: Pair) -> None:
    sending(pair, "RQSTR.SDR", "SDR", conname=True)
    receiving(pair, "RQSTR.SDR", "RQSTR", conname=True)
    run(pair.qmb, "START CHANNEL(RQSTR.SDR)")
    assert bodies(pair.qmb, "RQSTR.SDR.T", 1) == [b"pulled"]
    assert until_state(pair.qma, "RQSTR.SDR", "RUNNING")["CHLTYPE"] == "SDR"
    assert until_state(pair.qmb, "RQSTR.SDR", "RUNNING")["CHLTYPE"] == "RQSTR"


@pytest.mark.parametrize("kind", ["SVRCONN", "SDR"])
def test_ends_that_do_not_fit_are_refused_and_say_so(pair: Pair, kind: str) -> None:
    name = f"MISFIT.{kind}"
    sending(pair, name, "SDR", conname=True)
    other = "" if kind == "SVRCONN" else f"XMITQ({name}.T) CONNAME('{pair.address('QMA')}')"
    run(pair.qmb, f"DEFINE QLOCAL({name}.T) USAGE(XMITQ)\nDEFINE CHANNEL({name}) CHLTYPE({kind}) {other}")
    run(pair.qma, f"START CHANNEL({name})")
    until_state(pair.qma, name, "RETRYING")
    assert f"channel {name} is {kind} here" in pair.b.log()
    run(pair.qma, f"STOP CHANNEL({name})")


def test_addresses_of_conname_are_tried_in_order(pair: Pair) -> None:
    pair.link("SECOND")
    both = f"127.0.0.1(1),{pair.address('QMB')}"
    run(pair.qma, f"ALTER CHANNEL(SECOND) CHLTYPE(SDR) CONNAME('{both}')")
    pair.qma.put("SECOND.R", b"x")
    assert bodies(pair.qmb, "SECOND.T", 1) == [b"x"]


def test_locladdr_is_where_a_channel_dials_from(pair: Pair) -> None:
    pair.link("FROM", sender="LOCLADDR('127.0.0.1(40000,40100)')")
    pair.qma.put("FROM.R", b"x")
    assert bodies(pair.qmb, "FROM.T", 1) == [b"x"]
    port = int(until_state(pair.qma, "FROM", "RUNNING")["LOCLADDR"].partition("(")[2].rstrip(")"))
    assert 40000 <= port <= 40100


def test_one_channel_at_a_time_serves_a_transmission_queue(pair: Pair) -> None:
    pair.link("FIRST", trigger=False)
    run(pair.qma, "START CHANNEL(FIRST)")
    until_state(pair.qma, "FIRST", "RUNNING")
    run(
        pair.qma,
        f"DEFINE CHANNEL(OTHER) CHLTYPE(SDR) XMITQ(FIRST.X) CONNAME('{pair.address('QMB')}')"
        "\nSTART CHANNEL(OTHER)",
    )
    until_state(pair.qma, "OTHER", "RETRYING")
    run(pair.qma, "STOP CHANNEL(OTHER)")
    assert "2042" in pair.a.log()
