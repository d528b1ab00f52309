"""A channel changes its transmission queue while programs put: nothing stays behind, and the order stays."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.qmgr.clusters import switching
from penstock.qmgr.clusters.cluster_names import SHARED
from penstock.qmgr.putting import PutRequest
from tests.simulation.clusters import CLUSTER, Node, World

CHANNEL = "TO.N002"
OWN = f"SYSTEM.CLUSTER.TRANSMIT.{CHANNEL}"


@pytest.fixture
def node() -> Node:
    """A full repository that knows queue Q of N002."""
    world = World(1, 3)
    world.nodes["N002"].define("QLOCAL", "Q", CLUSTER=CLUSTER)
    for _ in range(4):
        world.heal()
    return world.nodes["N000"]


def opened(node: Node, bind: int, qmgr: str = "") -> Any:
    connection = node.engine.connect("test", "test", 1, node.now())
    return node.engine.open(connection, "Q", mq.MQOO_OUTPUT | bind, node.now(), qmgr=qmgr)


def put(node: Node, handle: Any, body: bytes, unit: Any = None) -> None:
    node.engine.put(handle, PutRequest(body, persistent=True), unit, node.now())
    node.sync()


def switched(node: Node, wanted: str) -> None:
    node.alter({"DEFCLXQ": wanted})
    for _ in range(100):
        done = node.engine.clusters.transmission.switching.switch(CHANNEL, node.now())
        node.sync()
        if done:
            return
    raise AssertionError("the change does not end")


def waiting(node: Node, name: str) -> list[bytes]:
    queue = node.engine.queues.get(name)
    return [] if queue is None else [bytes(each.body) for each in queue.messages() if each.state == 0]


@pytest.mark.parametrize(
    ("bind", "qmgr"),
    [(mq.MQOO_BIND_ON_OPEN, ""), (mq.MQOO_BIND_NOT_FIXED, ""), (mq.MQOO_BIND_ON_OPEN, "N002")],
)
def test_handles_that_are_open_put_to_the_new_queue(node: Node, bind: int, qmgr: str) -> None:
    handle = opened(node, bind, qmgr)
    put(node, handle, b"1")

    switched(node, "CHANNEL")
    put(node, handle, b"2")
    assert (waiting(node, OWN), waiting(node, SHARED)) == ([b"1", b"2"], [])

    switched(node, "SCTQ")
    put(node, handle, b"3")
    assert (waiting(node, OWN), waiting(node, SHARED)) == ([], [b"1", b"2", b"3"])


def test_a_channel_with_messages_in_open_units_stays_until_its_next_start(node: Node) -> None:
    handle, engine = opened(node, mq.MQOO_BIND_ON_OPEN), node.engine
    unit = engine.new_unit(None, node.now())
    put(node, handle, b"1", unit)

    switched(node, "CHANNEL")
    put(node, handle, b"2", unit)
    engine.commit(unit, node.now())
    node.sync()
    assert (waiting(node, OWN), waiting(node, SHARED)) == ([], [b"1", b"2"])

    switched(node, "CHANNEL")
    assert (waiting(node, OWN), waiting(node, SHARED)) == ([b"1", b"2"], [])


def test_what_is_committed_to_the_queue_that_was_left_is_collected(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    transmission = node.engine.clusters.transmission
    transmission.collector = told.append
    handle = opened(node, mq.MQOO_BIND_ON_OPEN)
    put(node, handle, b"1")
    monkeypatch.setattr(switching, "MOVED_AT_ONCE", 1)
    node.alter({"DEFCLXQ": "CHANNEL"})
    assert not transmission.switching.switch(CHANNEL, node.now())  # it has begun
    node.sync()
    unit = node.engine.new_unit(None, node.now())
    put(node, handle, b"late", unit)
    switched(node, "CHANNEL")
    assert told == []

    node.engine.commit(unit, node.now())
    node.sync()
    assert (told, waiting(node, SHARED)) == ([CHANNEL], [b"late"])

    while transmission.switching.collect(CHANNEL, node.now()):
        node.sync()
    assert (waiting(node, OWN), waiting(node, SHARED)) == ([b"1", b"late"], [])


def test_a_change_that_was_interrupted_is_finished_before_another_one(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(switching, "MOVED_AT_ONCE", 2)
    handle = opened(node, mq.MQOO_BIND_ON_OPEN)
    bodies = [b"%d" % number for number in range(5)]
    for body in bodies:
        put(node, handle, body)
    node.alter({"DEFCLXQ": "CHANNEL"})
    assert not node.engine.clusters.transmission.switching.switch(CHANNEL, node.now())
    node.sync()
    assert waiting(node, OWN) == bodies[:2]
    node.crash()

    switched(node, "SCTQ")

    assert (waiting(node, OWN), waiting(node, SHARED)) == ([], bodies)
    put(node, opened(node, mq.MQOO_BIND_ON_OPEN), b"5")
    assert waiting(node, SHARED) == [*bodies, b"5"]
