"""B2: greetings that come with more, twice, or while this end dials too."""

from __future__ import annotations

import socket

import pytest

from penstock.channel import frames
from penstock.channel.line import Frame
from penstock.channel.terms import Terms
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Outgoing
from tests.channel_pairs import Pair, bodies, refusal, run, status, until_state
from tests.patience import until

pytestmark = pytest.mark.installed


def written(*several: Frame) -> bytes:
    out = Outgoing()
    for frame in several:
        out.frame(frame.kind, frame.flags, 0, frame.request, frame.unit, frame.payload)
    return b"".join(out.take())


def test_what_follows_a_greeting_in_one_write_is_read(pair: Pair) -> None:
    run(pair.qmb, "DEFINE CHANNEL(IN.ONE.WRITE) CHLTYPE(RCVR)")
    facts = {"channel": "IN.ONE.WRITE", "role": "sender", "from": "QMX", "qmid": "QMX_1", **Terms().facts()}
    with socket.create_connection(("127.0.0.1", pair.ports["QMB"]), timeout=120) as line:
        line.sendall(written(frames.greeting(protocol.HELLO, facts), Frame(protocol.GOODBYE)))
        while line.recv(1 << 16):
            pass
    until_state(pair.qmb, "IN.ONE.WRITE", "INACTIVE")


def server_and_requester(pair: Pair, name: str, conname: str) -> None:
    run(
        pair.qma,
        f"DEFINE QLOCAL({name}.X) USAGE(XMITQ)\nDEFINE QREMOTE({name}.R) RNAME({name}.T) RQMNAME(QMB)"
        f" XMITQ({name}.X)\nDEFINE CHANNEL({name}) CHLTYPE(SVR) XMITQ({name}.X) {conname}",
    )
    run(
        pair.qmb,
        f"DEFINE QLOCAL({name}.T)\nDEFINE CHANNEL({name}) CHLTYPE(RQSTR) CONNAME('{pair.address('QMA')}')",
    )


def test_a_requester_is_served_while_the_server_still_dials(pair: Pair) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as nobody:
        place = nobody.getsockname()
        with socket.create_connection(place):  # the kernel takes one; who dials next waits
            server_and_requester(pair, "BOTH.DIAL", f"CONNAME('127.0.0.1({place[1]})')")
            pair.qma.put("BOTH.DIAL.R", b"pulled", persistent=True)
            run(pair.qma, "START CHANNEL(BOTH.DIAL)")
            until(lambda: status(pair.qma, "BOTH.DIAL").get("STATUS") in ("STARTING", "BINDING"))
            run(pair.qmb, "START CHANNEL(BOTH.DIAL)")
            assert bodies(pair.qmb, "BOTH.DIAL.T", 1) == [b"pulled"]
            until_state(pair.qma, "BOTH.DIAL", "RUNNING")
            run(pair.qma, "STOP CHANNEL(BOTH.DIAL)")


def test_a_requester_that_is_refused_ends_no_retries(pair: Pair) -> None:
    server_and_requester(pair, "GOES.ON", "CONNAME('127.0.0.1(1)') SHORTRTY(999999999) SHORTTMR(1)")
    pair.qma.put("GOES.ON.R", b"goes on", persistent=True)
    run(pair.qma, "START CHANNEL(GOES.ON)")
    until_state(pair.qma, "GOES.ON", "RETRYING")
    run(pair.qma, "ALTER QLOCAL(GOES.ON.X) GET(DISABLED)")
    run(pair.qmb, "START CHANNEL(GOES.ON)")
    until(lambda: "GOES.ON.X is GET(DISABLED)" in pair.b.log())
    run(
        pair.qma,
        f"ALTER CHANNEL(GOES.ON) CHLTYPE(SVR) CONNAME('{pair.address('QMB')}')\n"
        "ALTER QLOCAL(GOES.ON.X) GET(ENABLED)",
    )
    assert bodies(pair.qmb, "GOES.ON.T", 1) == [b"goes on"]


def test_a_stopped_server_without_conname_serves_again_after_start(pair: Pair) -> None:
    server_and_requester(pair, "HELD.SVR", "")
    pair.qma.put("HELD.SVR.R", b"1", persistent=True)
    run(pair.qmb, "START CHANNEL(HELD.SVR)")
    assert bodies(pair.qmb, "HELD.SVR.T", 1) == [b"1"]
    run(pair.qma, "STOP CHANNEL(HELD.SVR)")
    until_state(pair.qma, "HELD.SVR", "STOPPED")
    until_state(pair.qmb, "HELD.SVR", "INACTIVE")
    run(pair.qma, "START CHANNEL(HELD.SVR)")
    until_state(pair.qma, "HELD.SVR", "INACTIVE")
    assert refusal(pair.qma, "START CHANNEL(HELD.SVR)").reason == 4061
    pair.qma.put("HELD.SVR.R", b"2", persistent=True)
    run(pair.qmb, "START CHANNEL(HELD.SVR)")
    assert bodies(pair.qmb, "HELD.SVR.T", 1) == [b"2"]
