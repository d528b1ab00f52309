"""The connections of one person to the queue managers of the home, each with that person's authority.

On a laptop the person is the user who runs the web process, and connects like any program. On a team's server
the web process is an administrator and acts as the person who logged in. A connection that broke is made
again at the next use.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import penstock
from penstock.host.folders.folder import list_folders
from penstock.host.folders.folder_lock import state_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager

APPLICATION = "penstock console"
RUNNING = "Running"


class Connections:
    """One person's connections, by queue manager."""

    def __init__(self, act_as: str = "") -> None:
        self._act_as = act_as
        self._lock = threading.Lock()
        self._open: dict[str, ClientQueueManager] = {}

    def to(self, name: str) -> ClientQueueManager:
        """Return a connection; 2058 for an unknown queue manager, 2059 for one that does not run."""
        with self._lock:
            found = self._open.get(name)
            if found is not None and not found.closed:
                return found
            made = penstock.connect(name, application=APPLICATION, act_as=self._act_as, share=False)
            self._open[name] = made
            return made

    def drop(self, name: str) -> None:
        """Forget a connection that is broken."""
        with self._lock:
            found = self._open.pop(name, None)
        if found is not None:
            found.close()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            ended, self._open = list(self._open.values()), {}
        for each in ended:
            try:
                each.close()
            except MQError:
                continue


def queue_managers() -> dict[str, str]:
    """Return the queue managers of this home with their states."""
    return {folder.name: state_of(folder.lock)[0] for folder in list_folders()}


def check_known(name: str) -> str:
    """Return the name of a queue manager of this home; 2058 for any other."""
    if name not in queue_managers():
        raise error(mq.MQRC_Q_MGR_NAME_ERROR, f"there is no queue manager {name} in this home")
    return name


BROKEN = (mq.MQRC_CONNECTION_BROKEN, mq.MQRC_HCONN_ERROR, mq.MQRC_Q_MGR_NOT_AVAILABLE)
