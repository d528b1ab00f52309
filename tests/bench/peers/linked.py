"""Two servers of a system and what moves messages from the near one to the far one, as one peer.

A producer sends to the near server, a consumer receives from the far one; what is between them is compared.
A producer waits while too many messages are on their way: a backlog at the near server would make its own
work, and what was sent and not received is no throughput.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.bench.peers.peer import Peer, Work

if TYPE_CHECKING:
    from penstock.lab.load.crew import Role

AHEAD_MAX = 20_000  # messages on their way
PAUSE_SECONDS = 0.001


class Windowed:
    """The role of a producer that waits for the consumer: `count` returns when more may be sent."""

    def __init__(self, role: Role) -> None:
        self._role = role
        self._sent = 0
        self.place, self.ready = role.place, role.ready

    def count(self, operations: int = 1) -> None:
        self._role.count(operations)
        self._sent += operations
        while self._sent - sum(self._role.done_by("consumer")) > AHEAD_MAX:
            time.sleep(PAUSE_SECONDS)


class LinkedPeer(Peer):
    """Near and far, both peers by themselves."""

    near: Peer
    far: Peer

    def missing(self) -> str:
        return self.near.missing()

    def version(self) -> str:
        return self.near.version()

    @property
    def sessions(self) -> set[int]:
        return self.near.sessions | self.far.sessions

    def stop(self) -> None:
        self.near.stop()
        self.far.stop()

    def prepare(self, work: Work) -> None:
        self.far.prepare(work)
        self.near.prepare(work)

    def clean(self, work: Work) -> None:
        self.near.clean(work)
        self.far.clean(work)

    def producer(self, role: Role, work: Work) -> None:
        sender = self.near.batch_producer if work.durable else self.near.producer
        sender(Windowed(role), work)  # type: ignore[arg-type]

    def consumer(self, role: Role, work: Work) -> None:
        self.far.consumer(role, work)
