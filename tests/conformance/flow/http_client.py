"""Talks to the HTTP server of a flow over real sockets; runs listeners in threads of their own."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from penstock.flow import CompiledFlow, Flow, Project
from penstock.flow.running.listener import listener_for


@contextmanager
def listening(qm: Any, *flows: Flow, folder: Path | None = None) -> Iterator[list[Any]]:
    """Run every input of some flows, each in a thread of its own."""
    stop = threading.Event()
    listeners = []
    project = Project(folder or ".")
    for flow in flows:
        compiled = CompiledFlow(flow, project)
        listeners += [listener_for(compiled, label, lambda: qm) for label in compiled.inputs]
    threads = [threading.Thread(target=each.run, args=(stop,)) for each in listeners]
    for thread in threads:
        thread.start()
    try:
        yield listeners
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def ask(
    port: int, path: str, body: bytes = b"", method: str = "POST", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Send a request and return status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): v for name, v in headers.items()})
        found = connection.getresponse()
        return found.status, {name.lower(): value for name, value in found.getheaders()}, found.read()
    finally:
        connection.close()


def raw(port: int, data: bytes, wait: float = 60.0) -> bytes:
    """Send bytes as they are and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: sock.recv(65536), b""))
