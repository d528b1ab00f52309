"""ActiveMQ Classic from Debian's package, over STOMP, driven by stomp.py; KahaDB keeps what must survive.

Its broker needs seconds of work before the Java machine has compiled it: the round that every system
runs unmeasured first is there for this one. STOMP gives a receipt when a persistent message is synced.
"""

from __future__ import annotations

import shutil
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.peers.peer import Peer, Work, version_line
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.load.crew import Role

JARS = Path("/usr/share/activemq/lib")
HEAP = "-Xmx4g"
BURST = 50
BATCH = 100
PREFETCH = "1000"
WAIT_SECONDS = 5.0


class ActiveMQ(Peer):
    """Queues under /queue/; persistent messages with a receipt."""

    key = "activemq"
    name = "ActiveMQ"
    client = "stomp.py"

    def missing(self) -> str:
        return "" if JARS.is_dir() and shutil.which("java") else "apt-get install activemq"

    def version(self) -> str:
        with zipfile.ZipFile(JARS / "activemq-broker.jar") as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode()
        return version_line(manifest.partition("Implementation-Version:")[2])

    def start(self, folder: Path) -> None:
        port = free_port()
        jars = ":".join(str(jar) for jar in sorted(JARS.rglob("*.jar")))
        address = (
            f"broker:(stomp://{LOOPBACK}:{port}?transport.tcpNoDelay=true)"
            f"?useJmx=false&advisorySupport=false&brokerName=bench&dataDirectory={folder / 'data'}"
        )
        command = ["java", HEAP, "-cp", jars, "org.apache.activemq.console.Main", "start", address]
        server = ServerProcess(command, folder / "server.log", port)
        server.start()
        self.servers = [server]

    def requester(self, role: Role, work: Work) -> None:
        replied = threading.Semaphore(0)
        client = self._connect(lambda _: replied.release())
        replies = f"{_queue(work)}.{role.place}"
        client.subscribe(replies, id="1", ack="auto")
        body = work.body.decode()
        number = 0
        role.ready()
        while True:
            number += 1
            headers = {"reply-to": replies, "correlation-id": str(number), "persistent": "false"}
            client.send(_queue(work), body, headers=headers)
            assert replied.acquire(timeout=WAIT_SECONDS)
            role.count()

    def replier(self, role: Role, work: Work) -> None:
        def received(frame: Any) -> None:
            headers = {"correlation-id": frame.headers["correlation-id"], "persistent": "false"}
            client.send(frame.headers["reply-to"], frame.body, headers=headers)

        client = self._connect(received)
        client.subscribe(_queue(work), id="1", ack="auto")
        role.ready()
        threading.Event().wait()

    def producer(self, role: Role, work: Work) -> None:
        client = self._connect()
        body = work.body.decode()
        role.ready()
        while True:
            for _ in range(BURST):
                client.send(_queue(work), body, headers={"persistent": "false"})
            role.count(BURST)

    def consumer(self, role: Role, work: Work) -> None:
        client = self._connect(lambda _: role.count())
        client.subscribe(_queue(work), id="1", ack="auto", headers={"activemq.prefetchSize": PREFETCH})
        role.ready()
        threading.Event().wait()

    def confirmed_producer(self, role: Role, work: Work) -> None:
        confirmed = threading.Semaphore(0)
        client = self._connect(on_receipt=lambda _: confirmed.release())
        body = work.body.decode()
        number = 0
        role.ready()
        while True:
            number += 1
            client.send(_queue(work), body, headers={"persistent": "true", "receipt": str(number)})
            assert confirmed.acquire(timeout=WAIT_SECONDS)
            role.count()

    def batch_producer(self, role: Role, work: Work) -> None:
        confirmed = threading.Semaphore(0)
        client = self._connect(on_receipt=lambda _: confirmed.release())
        body = work.body.decode()
        role.ready()
        while True:
            unit = client.begin()
            for _ in range(BATCH):
                client.send(_queue(work), body, headers={"persistent": "true", "transaction": unit})
            client.commit(unit, headers={"receipt": unit})
            assert confirmed.acquire(timeout=WAIT_SECONDS)
            role.count(BATCH)

    def _connect(
        self,
        on_message: Callable[[Any], Any] | None = None,
        on_receipt: Callable[[Any], Any] | None = None,
    ) -> Any:
        import stomp

        listener = stomp.ConnectionListener()
        listener.on_message = on_message or listener.on_message
        listener.on_receipt = on_receipt or listener.on_receipt
        client = stomp.Connection([(LOOPBACK, self.servers[0].port)])
        client.set_listener("bench", listener)
        client.connect(wait=True)
        return client


def _queue(work: Work) -> str:
    return f"/queue/{work.name}"
