"""Penstock itself, driven as its peers are: a server process, clients over TCP, one connection a role.

Requesters share one reply queue and wait there by correlation id, as in the seeds: `qm.request` sends a put
and its get together, with the reply queue's name in the request. Repliers read ahead (DEFREADA(YES)), as
RabbitMQ and NATS push, and put replies without waiting for an answer (MQPMO_ASYNC_RESPONSE). Durable messages
never are: a put returns when the message is on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import penstock
from penstock.lab.load.queue_server import DEPTH_MAX, QueueServer, command
from tests.bench.peers.fan_out import PROCESSES_MAX
from tests.bench.peers.peer import Peer, Work

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.lab.load.crew import Role

ASYNC = int(penstock.Put.ASYNC_RESPONSE)
BATCH = 100
WAIT_SECONDS = 5.0


class PenstockClient(Peer):
    """Queues and topics of one queue manager."""

    key = "penstock"
    name = "Penstock"
    client = "penstock"

    def missing(self) -> str:
        return "" if hasattr(penstock, "connect") else "a version with client channels"

    def version(self) -> str:
        return penstock.__version__

    def start(self, folder: Path) -> None:
        self.use(QueueServer(folder))

    def use(self, server: QueueServer) -> None:
        """Work with a server that runs; it is stopped with this peer."""
        self.server = server
        self.servers = [server.process]

    def prepare(self, work: Work) -> None:
        with self.server.connect_locally() as qm:
            for queue in _queues(work):
                command(qm, f"DEFINE QLOCAL('{queue}') MAXDEPTH({DEPTH_MAX}) DEFREADA(YES)")

    def clean(self, work: Work) -> None:
        with self.server.connect_locally() as qm:
            for queue in _queues(work):
                command(qm, f"DELETE QLOCAL('{queue}') PURGE")

    def requester(self, role: Role, work: Work) -> None:
        qm = self.server.connect()
        replies = _replies(work)
        role.ready()
        while True:
            assert qm.request(work.name, work.body, replies, wait=WAIT_SECONDS) is not None
            role.count()

    def replier(self, role: Role, work: Work) -> None:
        qm = self.server.connect()
        role.ready()
        while True:
            request = qm.get(work.name, wait=WAIT_SECONDS)
            if request is not None:
                qm.put(request.reply_to, request.body, correl_id=request.msg_id, options=ASYNC)

    def producer(self, role: Role, work: Work) -> None:
        self._put_batches(role, work)

    def batch_producer(self, role: Role, work: Work) -> None:
        self._put_batches(role, work)

    def consumer(self, role: Role, work: Work) -> None:
        qm = self.server.connect()
        role.ready()
        while True:
            role.count(len(qm.get_many(work.name, BATCH, wait=WAIT_SECONDS)))

    def confirmed_producer(self, role: Role, work: Work) -> None:
        qm = self.server.connect()
        role.ready()
        while True:
            qm.put(work.name, work.body, persistent=True)
            role.count()

    def publisher(self, role: Role, work: Work) -> None:
        qm = self.server.connect()
        role.ready()
        while True:
            qm.publish(work.name, work.body)
            role.count()

    def subscriber(self, role: Role, work: Work, subscriptions: int) -> None:
        qm = self.server.connect()
        queue = (
            f"{work.name}.{role.place}"  # one for the subscriptions of this process, as programs with many do
        )
        held = [qm.subscribe(work.name, queue=queue) for _ in range(subscriptions)]
        role.ready()
        while held:
            role.count(len(qm.get_many(queue, BATCH, wait=WAIT_SECONDS)))

    def _put_batches(self, role: Role, work: Work) -> None:
        qm = self.server.connect()
        bodies = [work.body] * BATCH
        role.ready()
        while True:
            qm.put_many(work.name, bodies, persistent=work.durable)
            role.count(BATCH)


def _queues(work: Work) -> list[str]:
    return [work.name, _replies(work), *(f"{work.name}.{place}" for place in range(PROCESSES_MAX))]


def _replies(work: Work) -> str:
    return f"{work.name}.REPLIES"
