"""Two queue managers with a message channel from the near one to the far one: exactly once if persistent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.lab.load.queue_server import DEPTH_MAX, QMGR, QueueServer, command
from tests.bench.channel_servers import FAR, TRIGGER, depth, join, status
from tests.bench.peers.linked import LinkedPeer
from tests.bench.peers.penstock_client import PenstockClient

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.peers.peer import Work

DRAIN_SECONDS_MAX = 30.0


class PenstockChannel(LinkedPeer):
    """A sender and a receiver channel."""

    key = "channel"
    name = "Penstock"
    client = "penstock"
    durability = "synced before the confirm; exactly once"

    def __init__(self) -> None:
        super().__init__()
        self.near: PenstockClient = PenstockClient()
        self.far: PenstockClient = PenstockClient()

    def start(self, folder: Path) -> None:
        outgoing = f"DEFINE QLOCAL({FAR}) USAGE(XMITQ) MAXDEPTH({DEPTH_MAX}) {TRIGGER}"
        self.near.use(QueueServer(folder, [outgoing], QMGR))
        self.far.use(QueueServer(folder, [], FAR))
        join(self.near.server, self.far.server, self.far.server.process.port)

    def prepare(self, work: Work) -> None:
        self.far.prepare(work)
        with self.near.server.connect_locally() as qm:
            command(qm, f"DEFINE QREMOTE('{work.name}') RNAME('{work.name}') RQMNAME({FAR})")

    def clean(self, work: Work) -> None:
        with self.near.server.connect_locally() as qm:
            command(qm, f"DELETE QREMOTE('{work.name}')")
            give_up_at = time.monotonic() + DRAIN_SECONDS_MAX
            while depth(qm, FAR) or status(qm, f"{QMGR}.{FAR}").get("CURMSGS"):
                if time.monotonic() > give_up_at:
                    raise RuntimeError(f"the channel has not moved all messages in {DRAIN_SECONDS_MAX} s")
                time.sleep(0.01)
        self.far.clean(work)
