"""Two NATS servers: a leaf node with subjects that pass (at most once), and a stream with a mirror.

The near server is the leaf, the far one its hub. A mirror copies the near stream to the far server over the
same link, at least once for the consumer. With `sync always` JetStream syncs before it confirms, by default
every two minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK
from tests.bench.peers.linked import LinkedPeer
from tests.bench.peers.nats_jetstream import NatsJetStream, run_async
from tests.ports import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.peers.peer import Work

STORE_BYTES = 1 << 30


class NatsLeaf(LinkedPeer):
    """Subjects of core NATS over a leaf link."""

    key = "leaf"
    name = "NATS leaf node"
    client = "nats-py"
    durability = "at most once, no disk"
    sync = ""

    def __init__(self) -> None:
        super().__init__()
        self.near: NatsJetStream = NatsJetStream()
        self.far: NatsJetStream = NatsJetStream()

    def start(self, folder: Path) -> None:
        port = free_port()
        self.far.configuration = f"leafnodes {{ host: {LOOPBACK}, port: {port} }}\n" + _jetstream(
            "hub", self.sync
        )
        self.near.configuration = (
            f'leafnodes {{ remotes: [ {{ url: "nats-leaf://{LOOPBACK}:{port}" }} ] }}\n'
            + _jetstream("leaf", self.sync)
        )
        for name, server in (("far", self.far), ("near", self.near)):
            (folder / name).mkdir()
            server.start(folder / name)


class NatsMirror(NatsLeaf):
    """A stream at the leaf, and its mirror at the hub, from which the consumer gets."""

    key = "mirror"
    name = "JetStream mirror"
    durability = "confirmed before it is synced"

    def prepare(self, work: Work) -> None:
        run_async(lambda: self._define(work))

    def clean(self, work: Work) -> None:
        run_async(lambda: self._delete(work))

    async def _define(self, work: Work) -> None:
        from nats.js.api import ExternalStream, StreamConfig, StreamSource

        near, far = await self.near.connect(), await self.far.connect()
        await near.jetstream().add_stream(name=work.name, subjects=[work.name], max_bytes=STORE_BYTES)
        source = StreamSource(name=work.name, external=ExternalStream(api="$JS.leaf.API"))
        mirror = StreamConfig(name=work.name, mirror=source, max_bytes=STORE_BYTES)
        await far.jetstream().add_stream(mirror)
        await _close(near, far)

    async def _delete(self, work: Work) -> None:
        near, far = await self.near.connect(), await self.far.connect()
        await far.jetstream().delete_stream(work.name)
        await near.jetstream().delete_stream(work.name)
        await _close(near, far)


class NatsMirrorSynced(NatsMirror):
    """The same, each message synced before it is confirmed."""

    key = "mirror-synced"
    name = "JetStream mirror, sync always"
    durability = "synced before the confirm"
    sync = "sync_interval: always"


def _jetstream(domain: str, sync: str) -> str:
    return f"jetstream {{ domain: {domain}\n {sync} }}\n"


async def _close(*clients: Any) -> None:
    for client in clients:
        await client.close()
