"""Queue managers under test, and the ways in: embedded, local socket, TCP, TLS.

A way is a small dictionary that a role is given, here or on another machine, and `connect` follows it. Queue
managers of tests are made for them and gone afterwards; no other one is ever touched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import penstock
from penstock.lab.load.queue_server import QMGR, USER, QueueServer, command
from penstock.lab.load.server_process import LOOPBACK
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.tools.own_postgresql import OwnPostgresql

EMBEDDED, LOCAL, CLIENT, TLS = "embedded", "local", "client", "tls"
TLS_CHANNEL = "LAB.TLS"
COMMANDS_AT_ONCE = 500
INSIDE = ("DEFINE QLOCAL(LAB.INSIDE)",)  # what a trusted queue manager is asked by
TO_FILE = "FILE"  # the trace of everything, written by a program
TRACE_SECONDS = 3600.0  # longer than any window


class Subject:
    """One queue manager under test, with others that it works with."""

    def __init__(
        self,
        home: Path,
        server: QueueServer | None,
        host: str = LOOPBACK,
        others: Sequence[Subject] = (),
        database: OwnPostgresql | None = None,
    ) -> None:
        """`others`: the other end of message channels, or other members; `database`: a group's facility."""
        self.home = home
        self.name = server.name if server else QMGR
        self.others = tuple(others)
        self._database = database
        self.server = server
        self._host = host

    @property
    def far(self) -> Subject:
        """The queue manager at the other end of message channels."""
        return self.others[0]

    @property
    def members(self) -> tuple[Subject, ...]:
        """All queue managers, this one first."""
        return (self, *self.others)

    @property
    def sessions(self) -> set[int]:
        """The sessions of the processes of the servers; none when it is embedded."""
        return {each.server.process.session for each in self.members if each.server}

    @property
    def database(self) -> set[int]:
        """The processes of the group's database, each a session of its own; none without one."""
        return self._database.processes if self._database else set()

    @property
    def is_served(self) -> bool:
        """Whether it runs in a process of its own."""
        return self.server is not None

    @property
    def place(self) -> str:
        """Where message channels connect to: host and port."""
        assert self.server is not None
        return f"{LOOPBACK}({self.server.process.port})"

    def way(self, via: str) -> dict[str, str]:
        """Return how a role connects."""
        if via in (EMBEDDED, LOCAL):
            return {"via": via, "home": str(self.home), "name": self.name}
        assert self.server is not None
        if via == CLIENT:
            return {"via": via, "address": self.server.address}
        self._use_tls()
        place = f"{self._host}:{self.server.process.port}"
        return {
            "via": via,
            "address": f"mqs://{place}/{QMGR}?channel={TLS_CHANNEL}&ca={self.home / f'{self.name}.pem'}",
        }

    def define(self, commands: Sequence[str]) -> None:
        """Make definitions for a test, some hundred at a time."""
        with connect(self.way(LOCAL if self.server else EMBEDDED)) as qm:
            for first in range(0, len(commands), COMMANDS_AT_ONCE):
                command(qm, "\n".join(commands[first : first + COMMANDS_AT_ONCE]))

    def start_inside(self, count: int, arguments: dict[str, Any]) -> None:
        """Start server applications in the process of a trusted queue manager."""
        with connect(self.way(LOCAL)) as qm:
            qm.put("LAB.INSIDE", json.dumps({"count": count, "arguments": arguments}).encode())

    def log_figures(self) -> dict[str, Any]:
        """Return the figures of the logs of all together; nothing when it is embedded in the load."""
        if self.server is None:
            return {}
        with penstock.connect(self.name, home=self.home, commands_only=True) as qm:
            found: dict[str, Any] = msgspec.to_builtins(qm.status().log)
        for other in self.others:
            found = _added(found, other.log_figures())
        return found

    @contextmanager
    def traced(self, what: str) -> Iterator[None]:
        """Let the queue manager record its events meanwhile: those of a channel, or ALL; nothing without."""
        if not what:
            yield
            return
        if what == TO_FILE:
            with self._traced_to_file():
                yield
            return
        kind, _, name = what.partition(" ")
        with penstock.connect(self.name, home=self.home, commands_only=True) as qm:
            qm.trace(kind, name, seconds=TRACE_SECONDS)
            yield
            qm.trace(kind, name, seconds=-1.0)

    @contextmanager
    def _traced_to_file(self) -> Iterator[None]:
        """Let a program record everything into a file meanwhile."""
        program = str(Path(sys.executable).with_name("penstock"))
        words = [
            "trace",
            "follow",
            "--qmgr",
            self.name,
            "--file",
            str(self.home / "trace.jsonl"),
            "--number",
            "1000000000",
        ]
        home = {**os.environ, "PENSTOCK_HOME": str(self.home)}
        writer = subprocess.Popen([program, *words], env=home, stdout=subprocess.DEVNULL)
        try:
            yield
            if writer.poll() is not None:
                raise RuntimeError("the program that writes the trace to a file has ended")
        finally:
            writer.kill()
            writer.wait()

    def trust_each_other(self) -> None:
        """Give both queue managers a certificate that the other one trusts."""
        folders = [self.home / each.name / "ssl" for each in (self, self.far)]
        if folders[0].exists():
            return
        for each, folder in zip((self, self.far), folders, strict=True):
            certify(self.home, folder, each.name)
        trusted = b"".join((self.home / f"{each.name}.pem").read_bytes() for each in (self, self.far))
        for folder in folders:
            (folder / "trusted.pem").write_bytes(trusted)

    def _use_tls(self) -> None:
        folder = self.home / self.name / "ssl"
        if not folder.exists():
            certify(self.home, folder, self.name)
            tls = "SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)"
            self.define([f"DEFINE CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('{USER}') {tls}"])


def connect(way: dict[str, str]) -> Any:
    """Connect by a binding; each connection has a socket of its own."""
    if way["via"] == EMBEDDED:
        return penstock.embed(way["name"], home=way["home"])
    if way["via"] == LOCAL:
        return penstock.connect(way["name"], home=way["home"])
    user, password = way.get("user"), way.get("password")
    return penstock.connect(way["address"], share="share" in way, user=user, password=password)


@contextmanager
def under_test(
    folder: Path, *, embedded: bool, host: str = LOOPBACK, trusted: bool = False
) -> Iterator[Subject]:
    """Run a new queue manager, in a process of its own unless it is embedded; gone afterwards."""
    home = Path(tempfile.mkdtemp(dir=folder))
    server = None
    try:
        if embedded:
            penstock.embed(QMGR, create=True, home=home).close()
        else:
            server = QueueServer(home, INSIDE if trusted else (), host=host, trusted=trusted)
        yield Subject(home, server, host)
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(home, ignore_errors=True)


def _added(mine: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Return the counts of logs together, with the mean time of a sync over all."""
    sums = {name: mine[name] + others[name] for name in ("syncs", "records", "bytes_written")}
    seconds = sum(each["sync_seconds_mean"] * each["syncs"] for each in (mine, others))
    return sums | {"sync_seconds_mean": seconds / sums["syncs"] if sums["syncs"] else 0.0}


def certify(home: Path, repository: Path, name: str) -> None:
    """Make a certificate for the queue manager by the program openssl; 8604 where there is none."""
    program = shutil.which("openssl")
    if program is None:
        raise error(mq.PSRC_LAB_PACKAGE, "the program openssl makes the certificate of TLS tests")
    names = f"subjectAltName=DNS:localhost,IP:{LOOPBACK}"
    words = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=laboratory")
    key, certificate = home / f"{name}.key", home / f"{name}.pem"
    subprocess.run(
        [program, *words, "-addext", names, "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    repository.mkdir(mode=0o700)
    label = repository / f"ibmwebspheremq{name.lower()}.pem"
    label.write_bytes(certificate.read_bytes() + key.read_bytes())
    label.chmod(0o600)
