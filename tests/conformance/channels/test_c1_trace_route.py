"""C1: the route of a message over channels, hop by hop, with reports and with one reply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from penstock.tools.route_tracing import Request, trace_route
from tests.channel_pairs import Pair, depth, run, until_state

pytestmark = pytest.mark.installed


@pytest.fixture(scope="module")
def there_and_back(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """A channel to QMB, and one for what comes back, of queue managers that no other test uses."""
    pair = Pair(tmp_path_factory.mktemp("traced"))
    pair.link("TRACED")
    run(
        pair.qmb,
        "DEFINE QLOCAL(QMA) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)"
        " TRIGDATA(TRACED.BACK)\n"
        f"DEFINE CHANNEL(TRACED.BACK) CHLTYPE(SDR) XMITQ(QMA) CONNAME('{pair.address('QMA')}')",
    )
    run(pair.qma, "DEFINE CHANNEL(TRACED.BACK) CHLTYPE(RCVR)\nDEFINE QLOCAL(TRACED.REPORTS)")
    yield pair
    pair.stop()


def steps(operations: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["qmgr"], each["operation"]) for each in operations]


SENT = [("QMA", "put"), ("QMA", "get"), ("QMA", "send"), ("QMB", "receive")]


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("collect", [False, True])
@pytest.mark.parametrize("deliver", [False, True])
def test_each_hop_is_told_in_order(
    there_and_back: Pair, persistent: bool, collect: bool, deliver: bool
) -> None:
    request = Request(
        "TRACED.R",
        deliver=deliver,
        collect=collect,
        persistent=persistent,
        reply_to="TRACED.REPORTS" if persistent else "",
        wait_seconds=60.0,
    )
    route = trace_route(there_and_back.qma, request)
    assert route.is_complete
    assert steps(route.operations) == [*SENT, ("QMB", "put" if deliver else "discard")]
    assert route.operations[0]["remote_qmgr"] == "QMB"
    assert route.operations[2]["channel"] == route.operations[3]["channel"] == "TRACED"
    assert route.operations[-1]["queue"] == "TRACED.T"
    assert (there_and_back.qmb.get("TRACED.T", wait=60.0 if deliver else 0.0) is not None) == deliver


def test_traced_messages_among_others_keep_their_place(there_and_back: Pair) -> None:
    qma, qmb = there_and_back.qma, there_and_back.qmb
    with qma.unit_of_work():
        for number in range(30):
            qma.put("TRACED.R", b"%d" % number, persistent=True)
    request = Request("TRACED.R", deliver=True, persistent=True, reply_to="TRACED.REPORTS", wait_seconds=60.0)
    route = trace_route(qma, request)
    assert route.is_complete
    got = [qmb.get("TRACED.T", wait=60.0) for _ in range(31)]
    assert [each.body for each in got[:30]] == [b"%d" % number for number in range(30)]
    assert got[30].msg_id == route.msg_id


def test_a_route_that_stops_is_known_as_far_as_it_goes(there_and_back: Pair) -> None:
    there_and_back.link("STOPPED", trigger=False)
    route = trace_route(there_and_back.qma, Request("STOPPED.R", wait_seconds=0.3))
    assert not route.is_complete
    assert steps(route.operations) == [("QMA", "put")]
    assert route.operations[0]["remote_queue"] == "STOPPED.T"


def test_a_message_for_an_unknown_queue_is_discarded_with_the_reason(there_and_back: Pair) -> None:
    run(there_and_back.qma, "DEFINE QREMOTE(LOST) RNAME(NOWHERE) RQMNAME(QMB) XMITQ(TRACED.X)")
    route = trace_route(there_and_back.qma, Request("LOST", wait_seconds=60.0))
    assert route.is_complete
    assert (route.operations[-1]["operation"], route.operations[-1]["feedback"]) == ("discard", 2085)


def test_a_channel_discards_what_has_had_its_activities(there_and_back: Pair) -> None:
    request = Request("TRACED.R", deliver=True, activities_max=1, wait_seconds=60.0)
    route = trace_route(there_and_back.qma, request)
    assert route.is_complete
    assert steps(route.operations)[-1] == ("QMB", "discard")  # the sending channel's activity was the first
    assert depth(there_and_back.qmb, "TRACED.T") == 0
    until_state(there_and_back.qma, "TRACED", "RUNNING")
