"""DEFBIND(GROUP): the messages of a group go to one instance, groups are distributed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.qmgr.clusters.cluster_names import SHARED
from penstock.qmgr.putting import PutRequest
from tests.simulation.clusters import CLUSTER, Node, World

GROUPS = [bytes([number]) * 24 for number in range(1, 5)]
CHANNELS = ("TO.N001", "TO.N002")


@pytest.fixture
def node() -> Node:
    """A full repository that knows queue Q of N001 and N002."""
    world = World(1, 3)
    for name in ("N001", "N002"):
        world.nodes[name].define("QLOCAL", "Q", CLUSTER=CLUSTER, DEFBIND="GROUP")
    for _ in range(4):
        world.heal()
    return world.nodes["N000"]


def put(node: Node, handle: Any, group: bytes, number: int, last: bool = False) -> None:
    flags = mq.MQMF_LAST_MSG_IN_GROUP if last else mq.MQMF_MSG_IN_GROUP
    fields = {"group_id": group, "seq_number": number, "flags": flags}
    node.engine.put(handle, PutRequest(group[:1], fields=fields), None, node.now())
    node.sync()


def targets(node: Node, *queues: str) -> dict[bytes, list[str]]:
    """Return by group the channels of its messages, in order."""
    found: dict[bytes, list[str]] = {}
    for name in queues:
        for message in node.engine.queues[name].messages():
            found.setdefault(message.onward.descriptor.group_id, []).append(
                message.correl_id.decode().strip()
            )
    return found


def test_a_group_stays_together_and_groups_are_distributed(node: Node) -> None:
    connection = node.engine.connect("test", "test", 1, node.now())
    handle = node.engine.open(connection, "Q", mq.MQOO_OUTPUT, node.now())

    for number in range(1, 4):
        for group in GROUPS:  # interleaved
            put(node, handle, group, number, last=number == 3)

    found = targets(node, SHARED)
    assert [len(set(channels)) for channels in found.values()] == [1] * 4
    assert Counter(channels[0] for channels in found.values()) == dict.fromkeys(CHANNELS, 2)


def test_a_group_that_is_open_follows_its_channel_to_another_queue(node: Node) -> None:
    connection = node.engine.connect("test", "test", 1, node.now())
    handle = node.engine.open(connection, "Q", mq.MQOO_OUTPUT, node.now())
    for group in GROUPS[:2]:
        put(node, handle, group, 1)

    node.alter({"DEFCLXQ": "CHANNEL"})
    for channel in CHANNELS:
        while not node.engine.clusters.transmission.switching.switch(channel, node.now()):
            node.sync()
    for group in GROUPS[:2]:
        put(node, handle, group, 2, last=True)

    own = [f"SYSTEM.CLUSTER.TRANSMIT.{channel}" for channel in CHANNELS]
    assert node.engine.queues[SHARED].depth == 0
    assert [len(set(channels)) for channels in targets(node, *own).values()] == [1, 1]
    assert [node.engine.queues[name].depth for name in own] == [2, 2]
