"""A queue manager in a process of its own, for benchmarks over sockets.

Its definitions are made while it is embedded, then `penstock qmgr start` runs it as users do. Connections
are made in the process that uses them: none survives a fork.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.load.ports import free_port
from penstock.lab.load.server_process import LOOPBACK, ServerProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.face.blocking import BlockingQueueManager

QMGR = "BENCH"
CHANNEL = "BENCH.SVRCONN"
USER = "bench"  # no administrator: clients pass the rules and authority checks that applications pass
DEPTH_MAX = 999_999_999
TRUSTED = "penstock.lab.load.trusted_server"
LISTEN = {LOOPBACK: LOOPBACK}  # other hosts are reached by all addresses of the machine
ADMIT = (
    f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) TRPTYPE(TCP) MCAUSER('{USER}')",
    f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(CONNECT, INQ)",
    f"SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('{USER}') AUTHADD(ALLMQI)",
    f"SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('{USER}') AUTHADD(ALLMQI)",
)


class QueueServer:
    """One queue manager, started and stopped."""

    def __init__(
        self,
        home: Path,
        commands: Sequence[str] = (),
        name: str = QMGR,
        settings: str = "",
        host: str = LOOPBACK,
        trusted: bool = False,
    ) -> None:
        """Make it with these commands, add settings to its qm.ini, and start it.

        One that is `trusted` starts applications in its own process (`lab/load/trusted_server.py`).
        """
        self.home = home
        self.name = name
        self._host = host
        with penstock.embed(name, create=True, home=home) as qm:
            for text in (*ADMIT, *commands):
                command(qm, text)
        with (home / name / "qm.ini").open("a") as ini:
            ini.write(settings)
        port = free_port()
        program = str(Path(sys.executable).with_name("penstock"))
        words = [program, "qmgr", "start", name, "--port", str(port), "--address", LISTEN.get(host, "*")]
        if trusted:
            words = [sys.executable, "-m", TRUSTED, str(home), name, str(port)]
        self.process = ServerProcess(
            words,
            home / "server.log",
            port,
            {"PENSTOCK_HOME": str(home)},
        )
        self.process.start()

    @property
    def address(self) -> str:
        """Where clients connect to."""
        return f"mq://{self._host}:{self.process.port}/{self.name}?channel={CHANNEL}"

    def connect(self) -> Any:
        """Connect over TCP, by a socket of its own: one that others of the process share is no channel."""
        return penstock.connect(self.address, share=False)

    def connect_locally(self) -> Any:
        """Connect by the local socket."""
        return penstock.connect(self.name, home=self.home)

    def stop(self) -> None:
        """Stop it; its folder stays."""
        self.process.stop()


def command(qm: BlockingQueueManager, text: str) -> None:
    """Run an MQSC command that has to succeed."""
    for reply in qm.mqsc(text):
        if not reply.id.endswith("I"):
            raise RuntimeError(f"{text}: {reply.text}")
