"""Tells a service manager that a process is ready (systemd, `Type=notify`); does nothing without one."""

from __future__ import annotations

import os
import socket

NOTIFY_SOCKET = "NOTIFY_SOCKET"


def notify(state: str) -> None:
    """Send a state such as READY=1 to the socket that the environment names.

    A manager that does not listen any more is its own trouble: the work goes on.
    """
    address = os.environ.get(NOTIFY_SOCKET, "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]  # an abstract one
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
            out.connect(address)
            out.sendall(state.encode())
    except OSError:
        return


def ready(text: str) -> None:
    """Report that this process serves now."""
    notify(f"READY=1\nSTATUS={text}\nMAINPID={os.getpid()}")
