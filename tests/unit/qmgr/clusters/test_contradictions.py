"""What the error log says of definitions that contradict each other, and of members that were away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.qmgr import records
from penstock.qmgr.clusters import sender_proof
from penstock.qmgr.clusters.cluster_names import COMMAND
from tests.simulation.clusters import CLUSTER, Node, World


@pytest.fixture
def world() -> Iterator[World]:
    made = World(1, 4)
    made.nodes["N002"].alter({"REPOS": ""})
    for _ in range(4):
        made.heal()
    yield made
    made.heal()
    assert all(node.engine.queues[COMMAND].depth == 0 for node in made.nodes.values())


def log_of(node: Node, world: World) -> str:
    """Let everything arrive; return what one node has written meanwhile."""
    said = []
    for _ in range(6):
        for each in world.nodes.values():
            if each is node:
                each.journal.durable = each.journal.end
                said += [text for _, text in each.engine.wishes.notices]
            each.sync()
            for target, body in each.take_outgoing():
                world.nodes[target].deliver(each.name, body)
            each.run()
    return " ".join(said + [text for _, text in node.engine.wishes.notices])


def tell(node: Node, channel: str, owner: str, qmgr: str) -> None:
    """Have a queue manager advertise itself, with this CLUSRCVR."""
    body: dict[str, Any] = {"qmgr": qmgr, "repos": False, "suspended": False, "attributes": {}}
    facts = {"v": 1, "kind": "ADVERT", "cluster": CLUSTER, "from": owner, "qmgr": qmgr}
    packed = records.pack_value({**facts, "records": [[CLUSTER, "M", channel, owner, 1, body, 0.0, False]]})
    message = Message(packed, node.engine.ids.next(), persistent=True, put_time=node.now())
    sender_proof.sign(message, sender_proof.Sender(owner, qmgr, f"TO.{node.name}"))
    node.engine.put_message(node.engine.resolve(COMMAND), message, None, node.now())
    node.journal.durable = node.journal.end
    node.run()


@pytest.mark.parametrize(
    ("channel", "qmgr", "text"),
    [
        ("TO.AGAIN", "N003", "two queue managers called N003: STRANGER_9 and N003_1"),
        ("TO.N003", "OTHER", "Channel TO.N003 is the CLUSRCVR of OTHER and of N003"),
    ],
)
def test_names_that_two_members_have_are_noted(world: World, channel: str, qmgr: str, text: str) -> None:
    node = world.nodes["N000"]

    tell(node, channel, "STRANGER_9", qmgr)

    assert text in " ".join(said for _, said in node.engine.wishes.notices)


def test_instances_whose_defaults_differ_are_noted_where_they_are_known(world: World) -> None:
    world.nodes["N001"].define("QLOCAL", "STOCK", CLUSTER=CLUSTER, DEFBIND="NOTFIXED")
    world.heal()
    world.nodes["N003"].define("QLOCAL", "STOCK", CLUSTER=CLUSTER, CLWLPRTY=7)

    said = log_of(world.nodes["N000"], world)

    assert "Queue STOCK of cluster SIM has DEFBIND(OPEN) at N003 and DEFBIND(NOTFIXED) at N001" in said
    assert "CLWLPRTY" not in said  # which may differ


def test_a_member_that_was_restored_is_told_so(world: World) -> None:
    node = world.nodes["N003"]
    node.define("QLOCAL", "OLD", CLUSTER=CLUSTER)
    world.heal()
    node.back_up()
    node.define("QLOCAL", "LATER", CLUSTER=CLUSTER)
    world.heal()
    node.restore()
    world.time += 700.0
    world.tick()

    assert "knows LATER of this queue manager from a later time" in log_of(node, world)
    world.heal()
    world.check()


def test_a_member_that_was_removed_by_force_is_told_so(world: World) -> None:
    full, node = world.nodes["N000"], world.nodes["N003"]
    full.engine.clusters.upkeep.force_remove(CLUSTER, "N003_1", "", False, full.now())

    assert "was removed from cluster SIM by RESET CLUSTER" in log_of(node, world)


def test_a_member_that_was_forgotten_is_told_so(world: World) -> None:
    node = world.nodes["N003"]
    node.sync()
    node.down = True
    for _ in range(100):
        world.time += 86400.0
        world.tick()
        world.move(faults=False)
    node.down = False
    node.start()
    world.time += 700.0
    world.tick()

    assert "had forgotten this queue manager: it joins again" in log_of(node, world)
    for _ in range(4):
        world.heal()
    world.check()


def test_an_open_says_that_no_full_repository_has_answered(world: World) -> None:
    node = world.nodes["N003"]
    with pytest.raises(MQError) as first:
        node.engine.resolve("NOWHERE")
    world.time += 11.0
    world.tick()

    with pytest.raises(MQError) as failed:
        node.engine.resolve("NOWHERE")

    assert first.value.reason == failed.value.reason == 2189
    assert "no full repository of SIM has answered whether queue NOWHERE exists" in failed.value.detail
