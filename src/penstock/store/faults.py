"""Planned failures for crash tests: a torn write, a lost write or name, a full or broken disk.

A `Faults` plan is passed to `open_journal`, `MessageFiles` and `write_checkpoint`; it counts the operations
of all of them together and fails one. Nothing here runs in production, where the plan is None; the code that
obeys it is the shipped code (`_disk.pyx`, `files.py`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.store import _disk
from penstock.store._disk import LOSE_ALL, LOSE_NOTHING, LOSE_OLDEST

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOSE_ALL", "LOSE_NOTHING", "LOSE_OLDEST", "Faults"]


@dataclass(frozen=True, slots=True)
class NameChange:
    """A name in a folder that is not synced yet: its previous state."""

    name: Path
    before: Path | None  # a second name for the same file; None: it did not exist
    moved_from: Path | None = None


class Faults(_disk.Faults):
    """A plan of one accident: at operation `stop_at`, tear, lose or fail, then freeze.

    Operations are counted from 1 over every write, sync, rename, unlink and truncate of the store;
    with `stop_at=0` they are only counted. A write that stops is torn after `tear_bytes` bytes.
    `lose=LOSE_ALL` also takes back every write that was not synced, `LOSE_OLDEST` only the first of
    them. `error` makes the operation fail with that errno; with `lasting=False` it fails once and
    the store goes on.
    """

    def __init__(self, **plan: Any) -> None:
        self.keeps_names = plan.get("lose", LOSE_NOTHING) == LOSE_ALL
        self._changes: list[NameChange] = []
        self._kept = 0

    def about_to_name(self, name: Path, moved_from: Path | None = None) -> None:
        """Record that `name` is about to be created, replaced or removed."""
        if self.keeps_names and not self.frozen:
            before = self._keep(name) if name.exists() else None
            self._changes.append(NameChange(name, before, moved_from))

    def names_synced(self, folder: Path) -> None:
        """The folder is synced: its names can no longer be lost."""
        for change in [change for change in self._changes if change.name.parent == folder]:
            self._changes.remove(change)
            if change.before is not None:
                change.before.unlink()

    def lose_names(self) -> None:
        """Undo names that were not synced, newest first. Tests call it after the failure."""
        for change in reversed(self._changes):
            if change.moved_from is not None and change.name.exists():
                change.name.rename(change.moved_from)
            change.name.unlink(missing_ok=True)
            if change.before is not None:
                change.before.rename(change.name)
        self._changes.clear()

    def _keep(self, name: Path) -> Path:
        self._kept += 1
        kept = name.with_name(f".kept-{self._kept}")
        os.link(name, kept)
        return kept
