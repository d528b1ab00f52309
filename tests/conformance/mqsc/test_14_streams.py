"""Clause 14: which queues may have a stream, and which may be one; who may say so."""

from __future__ import annotations

import pytest

import penstock
from tests.conformance.access.authority_steps import add_users, grant, let_in

DEFINITIONS = """
DEFINE QLOCAL(S)
DEFINE QLOCAL(Q) STREAMQ(S)
DEFINE QLOCAL(X) USAGE(XMITQ)
DEFINE QMODEL(M)
DEFINE QALIAS(TO.Q) TARGET(Q)
DEFINE QALIAS(TO.S) TARGET(S)
DEFINE QREMOTE(R) RNAME(N) RQMNAME(X)
DEFINE QLOCAL(N)
"""


@pytest.fixture
def streams(qm):
    for reply in qm.mqsc(DEFINITIONS):
        assert not reply.failed, reply.text
    return qm


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("DEFINE QLOCAL(NEW) STREAMQ(Q)", 3385),  # a chain: Q has a stream
        ("DEFINE QLOCAL(NEW) STREAMQ(TO.Q)", 3385),
        ("ALTER QLOCAL(S) STREAMQ(N)", 3387),  # a chain: S is the stream of Q
        ("ALTER QLOCAL(S) STREAMQ(Q)", 3385),  # a loop
        ("DEFINE QLOCAL(NEW) STREAMQ(NEW)", 3384),
        ("ALTER QLOCAL(N) STREAMQ(BACK)", 0),
        ("DEFINE QLOCAL(NEW) STREAMQ(M)", 3384),
        ("DEFINE QLOCAL(NEW) STREAMQ(SYSTEM.ADMIN.QMGR.EVENT)", 3384),
        ("DEFINE QLOCAL(NEW) STREAMQ(SYSTEM.DEFAULT.LOCAL.QUEUE)", 0),
        ("DEFINE QLOCAL(NEW) USAGE(XMITQ) STREAMQ(S)", 3386),
        ("ALTER QLOCAL(X) STREAMQ(S)", 3386),
        ("ALTER QLOCAL(Q) USAGE(XMITQ)", 3386),
        ("ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) STREAMQ(S)", 3386),
        ("ALTER QLOCAL(SYSTEM.ADMIN.PERFM.EVENT) STREAMQ(S)", 0),
        ("ALTER QMODEL(M) STREAMQ(S)", 0),
        ("DEFINE QLOCAL(NEW) STREAMQ(R)", 0),
        ("DEFINE QLOCAL(NEW) STREAMQ(NOT.THERE.YET)", 0),
        ("ALTER QLOCAL(Q) MAXDEPTH(7)", 0),
    ],
)
def test_streams_are_neither_chains_nor_loops(streams, command, reason):
    (reply,) = streams.mqsc(command)
    assert (reply.reason, reply.failed) == (reason, bool(reason))


def test_an_alias_does_not_become_a_way_round(streams):
    assert not streams.mqsc("DEFINE QLOCAL(NEW) STREAMQ(TO.S)")[0].failed
    assert streams.mqsc("ALTER QALIAS(TO.S) TARGET(Q)")[0].reason == 3385
    assert streams.mqsc("ALTER QALIAS(TO.S) TARGET(NEW)")[0].reason == 3385


def test_a_dynamic_queue_keeps_the_stream_of_its_model(streams):
    streams.mqsc("ALTER QMODEL(M) DEFTYPE(PERMDYN) STREAMQ(S)")
    with streams.open("M", dynamic_name="DYN", options=penstock.Open.OUTPUT):
        assert streams.mqsc("DISPLAY QLOCAL(DYN) STREAMQ")[0].attributes["STREAMQ"] == "S"
        assert streams.mqsc("ALTER QLOCAL(DYN) STREAMQ(N)")[0].reason == 3386
        assert not streams.mqsc("ALTER QLOCAL(DYN) MAXDEPTH(3)")[0].failed


def test_a_stream_needs_authority_for_both_queues_when_it_is_set_and_none_when_used(streams, penstock_home):
    add_users(penstock_home, bob="")
    let_in(streams, "PRINCIPAL('bob')")
    grant(
        streams,
        "PROFILE(N) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(CHG,PUT,DSP)",
        "PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(CRT)",
        "PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(DSP,PUT)",
    )
    with penstock.embed("QM1", user="bob") as bob:
        for command in (
            "ALTER QLOCAL(N) STREAMQ(S)",
            "DEFINE QLOCAL(B) STREAMQ(S)",
            "DEFINE QLOCAL(B) LIKE(Q)",
        ):
            assert bob.mqsc(command)[0].reason == 2035, command
        bob.put("Q", b"a")
        assert streams.get("S").body == b"a"
        grant(streams, "PROFILE(S) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(CHG)")
        assert not bob.mqsc("ALTER QLOCAL(N) STREAMQ(S)")[0].failed
        grant(streams, "PROFILE(S) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHRMV(CHG)")
        assert not bob.mqsc("ALTER QLOCAL(N) STREAMQ(S) MAXDEPTH(9)")[0].failed
