"""Roles around a flow: the flow itself, a client that keeps messages outstanding, a program that copies.

The flow runs as `penstock flow run` runs it, as a client of the queue manager in a process of its own; its
client puts to the input queue and gets from the output queue, as the broker's performance report did.
"""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from penstock.lab.flows import flow_catalogue
from penstock.lab.load.roles import WAIT_SECONDS
from penstock.lab.load.system_under_test import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.load.crew import Role

READY_POLL_SECONDS = 0.01
BATCH = 20


def flow(role: Role, way: dict[str, str], flow: dict[str, Any], folder: str, instances: int = 1) -> None:
    """Run a flow until the end."""
    from penstock.flow.running.inline import InlineRun

    compiled = flow_catalogue.compiled(flow, Path(folder))
    run = InlineRun(compiled, lambda: connect(way), instances=instances)
    run.start()
    pause = threading.Event()
    while not run.ready and run.running:
        pause.wait(READY_POLL_SECONDS)
    role.ready()
    while not run.join_for(3600.0):
        pass


def client(
    role: Role,
    way: dict[str, str],
    source: str,
    target: str,
    bodies: dict[str, Any],
    outstanding: int = 1,
    persistent: bool = False,
    first: int = 0,
) -> None:
    """Keep some messages on their way through a flow; a response is the time from the put to the get.

    The first ones go through before the common start: they pay for what a flow opens when it is first used.
    """
    made = flow_catalogue.bodies(bodies)
    qm = connect(way)
    for _ in range(first):
        qm.put(source, made[0])
        qm.get(target, wait=WAIT_SECONDS)
    role.ready()
    sent: deque[int] = deque()
    number = 0
    while True:
        while len(sent) < outstanding:
            sent.append(perf_counter_ns())
            qm.put(source, made[number % len(made)], persistent=persistent)
            number += 1
        message = qm.get(target, wait=WAIT_SECONDS)
        if message is None:
            role.failed()
            sent.clear()
            continue
        role.took(perf_counter_ns() - sent.popleft())
        role.count(0, message.length)


def copy(role: Role, way: dict[str, str], requests: str, replies: str) -> None:
    """Play the other application of an aggregation: copy requests to replies."""
    qm = connect(way)
    role.ready()
    while True:
        with qm.unit_of_work():
            found = qm.get_many(requests, BATCH, wait=WAIT_SECONDS)
            for each in found:
                qm.put(replies, each.body, correl_id=each.msg_id, persistent=each.persistent)
        role.count(len(found))


def drain(role: Role, way: dict[str, str], queues: list[str]) -> None:
    """Empty many queues in turn: the subscribers that are not the client."""
    qm = connect(way)
    role.ready()
    while True:
        found = sum(len(qm.get_many(queue, 100)) for queue in queues)
        role.count(found)
        if not found:
            qm.get_many(queues[0], 1, wait=0.05)


ROLES: dict[str, Callable[..., None]] = {"flow": flow, "client": client, "copy": copy, "drain": drain}
