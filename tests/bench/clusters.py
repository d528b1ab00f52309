"""K1: a put to a cluster queue whose instance is chosen for every message, against a put to a remote queue.

Both end on a transmission queue of the same engine, in this process and without a disk, so the row has the
cost of the choice alone, in processor time. The targets are 1.15 with two instances and 1.5 with a hundred.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Row, at_most
from penstock.model import constants as mq
from penstock.qmgr.putting import PutRequest
from tests.simulation.clusters import CLUSTER, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting

BODY = bytes(2048)


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(20_000, 2_000)
    for instances, target in ((2, 1.15), (100, 1.5)):
        node = _member(instances)
        values = setting.interleave(
            lambda n=node: _seconds(n, "MANY", count), lambda n=node: _seconds(n, "ONE", count)
        )
        what = f"K1 put to a cluster queue with {instances} instances, NOTFIXED"
        yield Row(what, "a remote queue", "us", *values, target=at_most(target))


def _member(instances: int) -> Any:
    """Return a full repository that knows so many instances of MANY, and a remote queue ONE."""
    world = World(1, instances + 1)
    nodes = list(world.nodes.values())
    for node in nodes[1:]:
        node.define("QLOCAL", "MANY", CLUSTER=CLUSTER, DEFBIND="NOTFIXED")
    for _ in range(4):
        world.heal()
    node = nodes[0]
    node.define("QLOCAL", "XMIT", USAGE="XMITQ", MAXDEPTH=999_999_999)
    node.define("QREMOTE", "ONE", RNAME="MANY", RQMNAME="ELSEWHERE", XMITQ="XMIT")
    node.engine.alter(
        node.engine.objects.find("QUEUE", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"),
        {"MAXDEPTH": 999_999_999},
        node.now(),
    )
    assert len(node.instances("MANY")) == instances
    return node


def _seconds(node: Any, name: str, count: int) -> float:
    """Return the processor time of a put by an open handle, in microseconds."""
    engine, now = node.engine, node.now()
    connection = engine.connect("bench", "bench", 1, now)
    handle = engine.open(connection, name, mq.MQOO_OUTPUT, now)
    request = PutRequest(BODY)
    began = time.thread_time()
    for _ in range(count):
        engine.put(handle, request, None, now)
    spent = time.thread_time() - began
    queue = engine.queues["XMIT" if name == "ONE" else "SYSTEM.CLUSTER.TRANSMIT.QUEUE"]
    for message in list(queue.messages()):
        engine.remove(queue, message, None, now)
    return spent / count * 1e6
