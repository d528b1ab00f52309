"""The local socket: a queue manager's door for programs of the same machine, in its own folder.

The kernel says who is at the other end, so nobody needs a password. A path may be longer than the 107 bytes
that a socket's address takes: it is reached through the folder's descriptor then. Used by both ends.
"""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "socket"
ADDRESS_BYTES_MAX = 107


def path_of(folder: Path) -> Path:
    """Return the socket's path."""
    return folder / NAME


def listen(folder: Path) -> socket.socket:
    """Return the listening socket, in place of what a killed process left; the folder's lock is held."""
    path_of(folder).unlink(missing_ok=True)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _address(folder) as address:
        sock.bind(address)
    path_of(folder).chmod(0o666)  # the folder's mode says who gets here
    sock.listen(1024)
    return sock


def connect(folder: Path, timeout: float | None) -> socket.socket:
    """Connect to a running queue manager; OSError when none is there."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(timeout)
    try:
        with _address(folder) as address:
            sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


def remove(sock: socket.socket) -> None:
    """Remove the file of a listening socket that closes."""
    try:
        os.unlink(os.path.realpath(sock.getsockname()))  # noqa: PTH108 - a name, not a path of ours
    except OSError:
        pass


@contextmanager
def _address(folder: Path) -> Iterator[str]:
    path = str(path_of(folder))
    if len(os.fsencode(path)) <= ADDRESS_BYTES_MAX:
        yield path
        return
    fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}/{NAME}"
    finally:
        os.close(fd)
