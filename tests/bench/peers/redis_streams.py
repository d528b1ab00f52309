"""Redis from Debian's package, driven by redis-py with hiredis: streams with consumer groups, and pub/sub.

Two servers run: one without any file for work that need not survive, one that syncs its file for each
command (`appendfsync always`) for durable work. Redis counts an XACK or XDEL as a write too and syncs it.
"""

from __future__ import annotations

import selectors
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.peers.peer import Peer, Work, version_line
from tests.ports import free_port

if TYPE_CHECKING:
    from penstock.lab.load.crew import Role

SERVER = "redis-server"
GROUP = "group"
BATCH = 100
BURST = 20
WAIT_MS = 5000
TRIM_EVERY = 100


class RedisStreams(Peer):
    """XADD, XREADGROUP, XACK; PUBLISH and SUBSCRIBE for the fan-out."""

    key = "redis"
    name = "Redis"
    client = "redis"

    def missing(self) -> str:
        return "" if shutil.which(SERVER) else "apt-get install redis-server"

    def version(self) -> str:
        return version_line(subprocess.run([SERVER, "--version"], capture_output=True, text=True).stdout)

    def start(self, folder: Path) -> None:
        for name, options in (
            ("memory", ["--appendonly", "no"]),
            ("durable", ["--appendonly", "yes", "--appendfsync", "always"]),
        ):
            place = folder / name
            place.mkdir()
            port = free_port()
            command = [SERVER, "--bind", LOOPBACK, "--port", str(port), "--dir", str(place), "--save", ""]
            server = ServerProcess([*command, *options], folder / f"{name}.log", port)
            self.servers.append(server)
            server.start()

    def prepare(self, work: Work) -> None:
        self._connect(work).xgroup_create(work.name, GROUP, "0", mkstream=True)

    def clean(self, work: Work) -> None:
        self._connect(work).flushall()

    def requester(self, role: Role, work: Work) -> None:
        client = self._connect(work)
        replies = f"{work.name}.{role.place}"
        last: Any = "0"
        number = 0
        role.ready()
        while True:
            number += 1
            correlation = b"%024d" % number
            client.xadd(work.name, {"r": replies, "c": correlation, "b": work.body})
            found = client.xread({replies: last}, count=1, block=WAIT_MS)
            last, fields = found[0][1][0]
            assert fields[b"c"] == correlation
            if number % TRIM_EVERY == 0:
                client.xtrim(replies, maxlen=1)
            role.count()

    def replier(self, role: Role, work: Work) -> None:
        client = self._connect(work)
        name = f"replier{role.place}"
        role.ready()
        while True:
            found = client.xreadgroup(GROUP, name, {work.name: ">"}, count=BATCH, block=WAIT_MS, noack=True)
            together = client.pipeline(transaction=False)
            for _, fields in found[0][1] if found else ():
                together.xadd(fields[b"r"], {"c": fields[b"c"], "b": fields[b"b"]})
            together.execute()

    def producer(self, role: Role, work: Work) -> None:
        client = self._connect(work)
        role.ready()
        while True:
            together = client.pipeline(transaction=False)
            for _ in range(BATCH):
                together.xadd(work.name, {"b": work.body})
            together.execute()
            role.count(BATCH)

    batch_producer = producer  # on the durable server: the reply to the pipeline comes after the sync

    def consumer(self, role: Role, work: Work) -> None:
        client = self._connect(work)
        name = f"consumer{role.place}"
        role.ready()
        while True:
            found = client.xreadgroup(
                GROUP, name, {work.name: ">"}, count=BATCH, block=WAIT_MS, noack=not work.durable
            )
            if not found:
                continue
            ids = [entry for entry, _ in found[0][1]]
            together = client.pipeline(transaction=False)
            if work.durable:
                together.xack(work.name, GROUP, *ids)
            together.xdel(work.name, *ids)
            together.execute()
            role.count(len(ids))

    def confirmed_producer(self, role: Role, work: Work) -> None:
        client = self._connect(work)
        role.ready()
        while True:
            client.xadd(work.name, {"b": work.body})
            role.count()

    def publisher(self, role: Role, work: Work) -> None:
        client = self._connect(work)
        role.ready()
        while True:
            together = client.pipeline(transaction=False)
            for _ in range(BURST):
                together.publish(work.name, work.body)
            together.execute()
            role.count(BURST)

    def subscriber(self, role: Role, work: Work, subscriptions: int) -> None:
        selector = selectors.DefaultSelector()
        for _ in range(subscriptions):
            listener = self._connect(work).pubsub(ignore_subscribe_messages=True)
            listener.subscribe(work.name)
            listener.get_message(timeout=1)
            selector.register(listener.connection._sock, selectors.EVENT_READ, listener)
        role.ready()
        while True:
            for key, _ in selector.select():
                while key.data.get_message(timeout=0):
                    role.count()

    def _connect(self, work: Work) -> Any:
        import redis

        return redis.Redis(LOOPBACK, self.servers[1 if work.durable else 0].port, protocol=2)
