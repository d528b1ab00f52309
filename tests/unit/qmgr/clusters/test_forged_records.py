"""Records from a stranger never enter a repository, by whatever way a program or a channel brings them."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.headers import TransmissionHeader
from penstock.model.message import Descriptor, Message
from penstock.model.onward import Onward
from penstock.qmgr import records
from penstock.qmgr.channels.delivery import Delivery, Destinations, put
from penstock.qmgr.clusters.cluster_names import COMMAND
from penstock.qmgr.putting import PutRequest
from tests.simulation.clusters import CLUSTER, Node, World
from tests.unit.channel.test_ends import NOW, Pair


@pytest.fixture
def world() -> World:
    made = World(1, 4)  # N003 is no full repository
    made.nodes["N001"].define("QLOCAL", "ORDERS", CLUSTER=CLUSTER)
    for _ in range(4):
        made.heal()
    return made


def forged(claims: str, name: str = "") -> bytes:
    """Return an advertisement that removes ORDERS of N001, and makes a queue EVIL of it."""
    values = [
        [CLUSTER, "Q", "ORDERS", "N001_1", 1 << 40, None, 0.0, False],
        [CLUSTER, "Q", "EVIL", "N001_1", 1 << 40, {"type": "QLOCAL", "attributes": {}}, 0.0, False],
    ]
    facts = {"v": 1, "kind": "ADVERT", "cluster": CLUSTER, "from": claims, "qmgr": name, "records": values}
    return records.pack_value(facts)


def queues(node: Node) -> set[str]:
    node.sync()
    node.run()
    return {key.name for key in node.live() if key.kind == "Q"}


def message(body: bytes, **described: Any) -> Message:
    made = Message(body, b"\1" * 24, persistent=True, put_time=1.0)
    made.descriptor = Descriptor(**described)
    made.properties = {"cluster.partner": "N001_1", "cluster.names": CLUSTER}
    return made


@pytest.mark.parametrize("name", [COMMAND, "BY.ALIAS"])
def test_a_program_may_not_put_to_the_repository(world: World, name: str) -> None:
    node = world.nodes["N000"]
    node.define("QALIAS", "BY.ALIAS", TARGET=COMMAND)
    connection = node.engine.connect("forger", "program", 1, node.now())
    request = PutRequest(forged("N001_1"), properties={"cluster.partner": "N001_1"})

    with pytest.raises(MQError) as failed:
        node.engine.put1(connection, node.engine.resolve(name), request, None, node.now())

    assert (failed.value.reason, queues(node)) == (2035, {"ORDERS"})


def test_what_reaches_the_queue_without_a_channel_is_not_believed(world: World) -> None:
    node = world.nodes["N000"]

    node.engine.put_message(node.engine.resolve(COMMAND), message(forged("N001_1")), None, node.now())

    assert queues(node) == {"ORDERS"}


@pytest.mark.parametrize("target", ["N001", ""])
def test_a_program_may_not_send_to_the_repository_of_another(world: World, target: str) -> None:
    node = world.nodes["N003"]
    node.define("QREMOTE", "BY.REMOTE", RNAME=COMMAND, RQMNAME="N001")

    with pytest.raises(MQError) as failed:
        node.engine.resolve(COMMAND if target else "BY.REMOTE", target)

    assert failed.value.reason == 2035


@pytest.mark.parametrize(
    ("delivery", "onward"),
    [
        (Delivery(channel="PLAIN.RCVR"), Onward(COMMAND, "", Descriptor())),
        (Delivery(channel="TO.N000", clusters=(CLUSTER,)), Onward("BY.ALIAS", "N000", Descriptor())),
        (Delivery(channel="PLAIN.RCVR"), Onward(COMMAND, "N001", Descriptor())),
    ],
    ids=["by another channel", "by an alias", "through a member to the next"],
)
def test_a_channel_brings_nothing_that_a_repository_has_not_sent(
    world: World, delivery: Delivery, onward: Onward
) -> None:
    node = world.nodes["N000"]
    node.define("QALIAS", "BY.ALIAS", TARGET=COMMAND)
    destinations = Destinations(node.engine, delivery)
    destinations.partner, destinations.partner_name = "N003_1", "N003"

    with pytest.raises(MQError) as failed:
        put(node.engine, destinations, onward, message(forged("N001_1", "N001")), None, node.now())

    assert (failed.value.reason, queues(node)) == (2035, {"ORDERS"})


@pytest.mark.parametrize(
    ("qmid", "qmgr", "claims"),
    [("N003_1", "N003", "N001_1"), ("N003_1", "N003", "N003_1"), ("N001_1", "STRANGER", "N001_1")],
    ids=["another's name in the message", "records of another owner", "another's QMID in the greeting"],
)
def test_the_partner_of_the_channel_counts_not_the_message(
    world: World, qmid: str, qmgr: str, claims: str
) -> None:
    node = world.nodes["N000"]
    destinations = Destinations(node.engine, Delivery(channel="TO.N000", clusters=(CLUSTER,)))
    destinations.partner, destinations.partner_name = qmid, qmgr

    put(
        node.engine,
        destinations,
        Onward(COMMAND, "", Descriptor()),
        message(forged(claims, qmgr)),
        None,
        node.now(),
    )

    assert queues(node) == {"ORDERS"}


def test_a_header_that_a_program_wrote_does_not_lead_to_a_repository() -> None:
    pair = Pair()
    pair.start()
    body = forged("N001_1")
    inner = Message(body, b"\1" * 24, persistent=True, put_time=NOW)
    written = message(TransmissionHeader(COMMAND, "QMB", inner).pack() + body, format=mq.MQFMT_XMIT_Q_HEADER)
    queue = pair.source.queues["QMB"]
    pair.source.enqueue(queue, written, None)

    pair.settle()

    assert (pair.left(), pair.source.queues["DLQ"].depth) == (0, 1)
    assert pair.target.queues[COMMAND].depth == 0
