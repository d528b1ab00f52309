"""A copy of a queue manager that can be started elsewhere.

Taken while it runs: after a checkpoint, files are copied with checkpoints held off, the journal
last. The copy then is what a crash at that moment would have left, and starts like that.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from penstock.host import checkpointing
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.host.host import Host

LEFT_OUT = shutil.ignore_patterns("lock", "*.new", "*.tmp")


def backup(host: Host, target: Path) -> Path:
    """Copy everything that a start needs to `target`, which must not exist; return it."""
    if target.exists():
        raise error(8008, f"{target} exists already", path=str(target))
    checkpointing.checkpoint(host)
    partial = target.with_name(target.name + ".partial")
    try:
        with host.checkpoint_lock, host.files_lock:
            host.journal.wait(host.journal.end)
            shutil.copytree(host.folder.path, partial, ignore=LEFT_OUT)
        partial.rename(target)
    except OSError as failure:
        shutil.rmtree(partial, ignore_errors=True)
        raise error(8006, f"the backup to {target} failed: {failure.strerror}", path=str(target)) from failure
    return target
