"""What runs on Spark do, for those who look: a file for each, with its last batches, in `runs` of the home.

The program that started a run writes it, a few times a second at most, and holds a lock beside it: a run
without an end whose lock is free has been killed. The last runs are kept.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.home import write_json
from penstock.host.folders.folder_lock import holder_of, lock_folder
from penstock.store.home import make_private, penstock_home

if TYPE_CHECKING:
    from pathlib import Path

RUNS_KEPT = 20
BATCHES_KEPT = 120
WRITE_SECONDS = 0.5
SUMS = ("messages", "outputs", "bytes", "failed", "given_up", "lost")
RUNNING, ENDED, FAILED, KILLED = "running", "ended", "failed", "killed"


class RunFile:
    """Writes what one run does; `close` it."""

    def __init__(self, flow: str, master: str, qmgr: str) -> None:
        folder = _folder()
        make_private(folder)
        _forget_old(folder)
        name = f"{time.time_ns():x}-{os.getpid()}"
        self._path = folder / f"{name}.json"
        self._lock = lock_folder(folder / f"{name}.lock")
        self._written = 0.0
        self.facts: dict[str, Any] = {"flow": flow, "master": master, "qmgr": qmgr, "process": os.getpid()}
        self.facts |= {"started": time.time(), "ended": 0.0, "state": RUNNING, "error": "", "batches": 0}
        self.facts |= {**dict.fromkeys(SUMS, 0), "last": []}
        self._write()

    def note(self, facts: dict[str, Any]) -> None:
        """Note what a run has reported: a batch, or another event."""
        if "batches" not in facts:
            return
        own = self.facts
        batch = {name: facts[name] - own[name] for name in SUMS}
        batch |= {"time": time.time(), "seconds": facts.get("seconds", 0.0), "depth": facts.get("depth")}
        own |= {name: facts[name] for name in (*SUMS, "batches")}
        own["last"] = [*own["last"][1 - BATCHES_KEPT :], batch]
        if time.monotonic() - self._written >= WRITE_SECONDS:
            self._write()

    def close(self, error: str = "") -> None:
        """Note the end."""
        self.facts |= {"ended": time.time(), "state": FAILED if error else ENDED, "error": error}
        self._write()
        self._lock.release()

    def _write(self) -> None:
        self._written = time.monotonic()
        with suppress(OSError):  # a full disk ends no run
            write_json(self._path, self.facts, durable=False)


@dataclass(frozen=True)
class Run:
    """One run, as its file has it."""

    id: str
    facts: dict[str, Any]


def runs() -> list[Run]:
    """Return the runs that are kept, the newest first."""
    folder = _folder()
    paths = sorted(folder.glob("*.json"), reverse=True) if folder.is_dir() else []
    return [found for path in paths if (found := _read(path)) is not None]


def _read(path: Path) -> Run | None:
    try:
        facts: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if facts["state"] == RUNNING and holder_of(path.with_suffix(".lock")) is None:
        facts["state"] = KILLED
    return Run(path.stem, facts)


def _folder() -> Path:
    return penstock_home() / "runs"


def _forget_old(folder: Path) -> None:
    for path in sorted(folder.glob("*.json"), reverse=True)[RUNS_KEPT - 1 :]:
        lock = path.with_suffix(".lock")
        if holder_of(lock) is None:
            path.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)
