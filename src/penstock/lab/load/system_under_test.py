"""A queue manager under test, and the ways into it: embedded, local socket, TCP, TLS.

A way is a small dictionary that a role is given, here or on another machine, and `connect` follows it. Queue
managers of tests are made for them and gone afterwards; no other one is ever touched.
"""

from __future__ import annotations

import shutil
import subprocess
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

EMBEDDED, LOCAL, CLIENT, TLS = "embedded", "local", "client", "tls"
TLS_CHANNEL = "LAB.TLS"


class Subject:
    """One queue manager under test."""

    def __init__(self, home: Path, server: QueueServer | None, host: str = LOOPBACK) -> None:
        self.home = home
        self._server = server
        self._host = host

    @property
    def sessions(self) -> set[int]:
        """The sessions of the server's processes; none when it is embedded."""
        return {self._server.process.session} if self._server else set()

    def way(self, via: str) -> dict[str, str]:
        """Return how a role connects."""
        if via in (EMBEDDED, LOCAL):
            return {"via": via, "home": str(self.home)}
        assert self._server is not None
        if via == CLIENT:
            return {"via": via, "address": self._server.address}
        self._use_tls()
        place = f"{self._host}:{self._server.process.port}"
        return {
            "via": via,
            "address": f"mqs://{place}/{QMGR}?channel={TLS_CHANNEL}&ca={self.home / 'ca.pem'}",
        }

    def define(self, commands: Sequence[str]) -> None:
        """Make definitions for a test."""
        with connect(self.way(LOCAL if self._server else EMBEDDED)) as qm:
            for text in commands:
                command(qm, text)

    def log_figures(self) -> dict[str, Any]:
        """Return the figures of the queue manager's log; nothing when it is embedded in the load."""
        if self._server is None:
            return {}
        with penstock.connect(QMGR, home=self.home, commands_only=True) as qm:
            figures: dict[str, Any] = msgspec.to_builtins(qm.status().log)
            return figures

    def _use_tls(self) -> None:
        folder = self.home / QMGR / "ssl"
        if not folder.exists():
            certify(self.home, folder)
            tls = "SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)"
            self.define([f"DEFINE CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('{USER}') {tls}"])


def connect(way: dict[str, str]) -> Any:
    """Come in by a way; each connection has a socket of its own."""
    if way["via"] == EMBEDDED:
        return penstock.embed(QMGR, home=way["home"])
    if way["via"] == LOCAL:
        return penstock.connect(QMGR, home=way["home"])
    return penstock.connect(way["address"], share="share" in way)


@contextmanager
def under_test(folder: Path, *, embedded: bool, host: str = LOOPBACK) -> Iterator[Subject]:
    """Run a new queue manager, in a process of its own unless it is embedded; gone afterwards."""
    home = Path(tempfile.mkdtemp(dir=folder))
    server = None
    try:
        if embedded:
            penstock.embed(QMGR, create=True, home=home).close()
        else:
            server = QueueServer(home, host=host)
        yield Subject(home, server, host)
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(home, ignore_errors=True)


def certify(home: Path, repository: Path) -> None:
    """Make a certificate for the queue manager by the program openssl; 8604 where there is none."""
    program = shutil.which("openssl")
    if program is None:
        raise error(mq.PSRC_LAB_PACKAGE, "the program openssl makes the certificate of TLS tests")
    names = f"subjectAltName=DNS:localhost,IP:{LOOPBACK}"
    words = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=laboratory")
    key, certificate = home / "tls.key", home / "ca.pem"
    subprocess.run(
        [program, *words, "-addext", names, "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    repository.mkdir(mode=0o700)
    label = repository / f"ibmwebspheremq{QMGR.lower()}.pem"
    label.write_bytes(certificate.read_bytes() + key.read_bytes())
    label.chmod(0o600)
