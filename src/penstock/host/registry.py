"""The queue managers that run in this process: one host per folder, shared by all who embed it.

The last user to leave closes the host; a caller that embeds it meanwhile waits until that is
done. Not for other processes: the folder lock keeps them out.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING

from penstock.host.folders.folder_lock import RUNNING
from penstock.host.starting import start

if TYPE_CHECKING:
    from penstock.host.folders.folder import Folder
    from penstock.host.host import Host
    from penstock.store.faults import Faults

_lock = threading.Lock()
_doors: dict[str, threading.Lock] = {}  # one a folder; held while it is started or closed
_hosts: dict[str, Host] = {}


def enter(folder: Folder, faults: Faults | None = None, state: str = RUNNING) -> Host:
    """Return the host of a folder, starting it for its first user; it is in `state` then.

    A server sets the state RUNNING itself, when clients can reach it.
    """
    key = _key(folder)
    with _door(key):
        host = _hosts.get(key)
        if host is not None and host.failure is not None and not host.gone:
            raise host.failure_again()
        if host is None or host.closed:
            host = _hosts[key] = start(folder, faults)
            host.enter_state(state)
        host.users += 1
        return host


def leave(host: Host) -> None:
    """Give a host back; the last user closes it."""
    key = _key(host.folder)
    with _door(key):
        host.users -= 1
        if host.users > 0:
            return
        if _hosts.get(key) is host:
            del _hosts[key]
        host.close()


def _key(folder: Folder) -> str:
    """Return a key that is the same for every path to a folder."""
    try:
        found = folder.path.stat()
    except OSError:
        return str(folder.path)
    return f"{found.st_dev}:{found.st_ino}"


def _door(key: str) -> threading.Lock:
    with _lock:
        return _doors.setdefault(key, threading.Lock())


def _close_all() -> None:
    hosts = list(_hosts.values())
    _hosts.clear()
    for host in hosts:
        if not host.closed:
            host.close()


def _forget_after_fork() -> None:
    """Start again in a child: its parent's locks may be held by threads that it does not have."""
    global _lock
    _lock = threading.Lock()
    _doors.clear()
    _hosts.clear()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget_after_fork)
