"""The folder of a broker: its layout, and files that are replaced atomically.

`PENSTOCK_HOME/brokers/NAME` has `deployed.json` (the desired state, written by commands), `status.json` (the
actual state, written by the broker), `projects/` (copies of deployed projects, one folder per version),
`logs/` and the lock of the running broker. A broker exists if its folder does.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.host.folders.folder_lock import Holder, end_holder, holder_of, lock_folder
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store.durable_files import sync_file, sync_folder
from penstock.store.home import make_private, penstock_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROKERS = "brokers"
DEFAULT = "default"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
PATIENCE_SECONDS = 10.0  # for a command that writes at the same moment


@dataclass(frozen=True)
class BrokerHome:
    """The folder of one broker."""

    name: str
    path: Path

    @property
    def deployed(self) -> Path:
        """The desired state."""
        return self.path / "deployed.json"

    @property
    def status(self) -> Path:
        """The actual state, as the broker last reported it."""
        return self.path / "status.json"

    @property
    def projects(self) -> Path:
        """Copies of the projects that were deployed."""
        return self.path / "projects"

    @property
    def logs(self) -> Path:
        """The workers' error output, one file per group."""
        return self.path / "logs"

    @property
    def failures(self) -> Path:
        """The last failures of every flow, one file per flow."""
        return self.path / "failures"

    @property
    def holder(self) -> Holder | None:
        """The process that runs the broker; None if it does not run."""
        return holder_of(self.path / "lock")

    def end(self, holder: Holder) -> None:
        """Ask the process that runs the broker to end."""
        end_holder(self.path / "lock", holder)

    def lock(self) -> Any:
        """Take the lock of the running broker; 8351 when another process has it."""
        try:
            return lock_folder(self.path / "lock")
        except MQError as raised:
            holder = self.holder
            if raised.reason != mq.PSRC_FOLDER_LOCKED or holder is None:
                raise
            what = f"broker {self.name} runs already, in process {holder.pid}"
            raise error(mq.PSRC_BROKER, what) from raised

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Yield the desired state for changing; one command at a time, written when the block ends without
        error.
        """
        with lock_folder(self.path / "change", PATIENCE_SECONDS):
            state = self.read_deployed()
            yield state
            state["generation"] += 1
            write_json(self.deployed, state)

    def read_deployed(self) -> dict[str, Any]:
        """Return the desired state."""
        return read_json(self.deployed) or {"generation": 0, "qmgr": "", "deployments": {}}

    def read_status(self) -> dict[str, Any]:
        """Return the broker's last report; it is meaningless if the broker does not run."""
        return read_json(self.status) or {"generation": 0, "workers": []}


def broker_home(name: str, create: bool = False) -> BrokerHome:
    """Return a broker's folder; 8351 if it does not exist and may not be created, or for an invalid name."""
    if not NAME.fullmatch(name):
        raise error(mq.PSRC_BROKER, f"{name!r} is no name for a broker: letters, digits, _ . -", broker=name)
    home = BrokerHome(name, penstock_home() / BROKERS / name)
    if create:
        for path in (home.projects, home.logs, home.failures):
            make_private(path)
    elif not home.path.is_dir():
        known = ", ".join(each.name for each in all_brokers()) or "none"
        raise error(mq.PSRC_BROKER, f"there is no broker {name}; there are: {known}", broker=name)
    return home


def all_brokers() -> list[BrokerHome]:
    """Return every broker of this home."""
    place = penstock_home() / BROKERS
    found = sorted(place.iterdir()) if place.is_dir() else []
    return [BrokerHome(path.name, path) for path in found if path.is_dir()]


def read_json(path: Path) -> Any:
    """Return the content of a file; None if it does not exist."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as cause:
        raise error(mq.PSRC_BROKER, f"{path} cannot be read: {cause}") from cause


def write_json(path: Path, value: Any, durable: bool = True) -> None:
    """Replace a file atomically: a reader, or a restart, sees the old content or the new."""
    aside = path.with_suffix(f".{os.getpid()}")
    with aside.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        if durable:
            sync_file(file)
    aside.replace(path)
    if durable:
        sync_folder(path.parent)
