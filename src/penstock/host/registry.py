"""The queue managers that run in this process: one host a folder, shared by all who embed it.

The last user to leave closes the host. Not for other processes: the folder lock keeps them out.
"""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING

from penstock.host.starting import start

if TYPE_CHECKING:
    from penstock.host.folder import Folder
    from penstock.host.host import Host
    from penstock.store.faults import Faults

_lock = threading.Lock()
_hosts: dict[str, Host] = {}


def enter(folder: Folder, faults: Faults | None = None) -> Host:
    """Return the host of a folder, starting it for its first user."""
    with _lock:
        key = str(folder.path.resolve())
        host = _hosts.get(key)
        if host is None or host.closed:
            host = _hosts[key] = start(folder, faults)
        host.users += 1
        return host


def leave(host: Host) -> None:
    """Give a host back; the last user closes it."""
    with _lock:
        host.users -= 1
        if host.users > 0:
            return
        _hosts.pop(str(host.folder.path.resolve()), None)
    host.close()


def _close_all() -> None:
    with _lock:
        hosts = list(_hosts.values())
        _hosts.clear()
    for host in hosts:
        if not host.closed:
            host.close()


atexit.register(_close_all)
