"""The way of a lone message without a queue manager: two programs that write, sync, and pass it on.

A client sends to the near station, that to the far one, that back to the client. A station writes what it
reads to a file of its own, syncs, and sends. Nothing between two queue managers that each have a message on
disk before they pass it on can be quicker on the same machine and disk.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.lab.load.server_process import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READ_BYTES = 64 << 10
FILE_BYTES = 1 << 20  # written from the beginning again when it is full


@contextmanager
def bare_way(folder: Path) -> Iterator[Callable[[bytes], None]]:
    """Yield a function that sends a message through both stations and waits for it."""
    with ExitStack() as stack:
        home = stack.enter_context(socket.create_server((LOOPBACK, 0)))
        port = int(home.getsockname()[1])
        for name in ("far", "near"):  # each knows the port of the next
            port = _station(stack, folder / f"station.{name}", port)
        near = stack.enter_context(socket.create_connection((LOOPBACK, port)))
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back, _ = home.accept()
        stack.enter_context(back)

        def send(message: bytes) -> None:
            near.sendall(message)
            missing = len(message)
            while missing:
                missing -= len(back.recv(missing)) or _broken()

        yield send


def _station(stack: ExitStack, file: Path, next_port: int) -> int:
    """Start a station that passes on to a port; return its own."""
    command = [sys.executable, "-m", __name__, str(file), str(next_port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stack.callback(file.unlink, missing_ok=True)
    stack.callback(process.wait)
    stack.callback(process.kill)
    assert process.stdout is not None
    stack.enter_context(process.stdout)
    return int(process.stdout.readline())


def _broken() -> int:
    raise ConnectionError("a station has ended")


def pass_on(file: Path, next_port: int) -> None:
    """Be a station, for one connection."""
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(descriptor, 0, FILE_BYTES)
    os.fsync(descriptor)
    at = 0
    with (
        socket.create_server((LOOPBACK, 0)) as listener,
        socket.create_connection((LOOPBACK, next_port)) as onward,
    ):
        onward.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print(listener.getsockname()[1], flush=True)
        source, _ = listener.accept()
        with source:
            while data := source.recv(READ_BYTES):
                at = 0 if at + len(data) > FILE_BYTES else at
                os.pwrite(descriptor, data, at)
                os.fdatasync(descriptor)
                at += len(data)
                onward.sendall(data)


if __name__ == "__main__":
    pass_on(Path(sys.argv[1]), int(sys.argv[2]))
