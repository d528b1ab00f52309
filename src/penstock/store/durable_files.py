"""Ordinary files that must be on disk: of flows, brokers, exports and the console's audit log.

Not the store's own files: those go through `Files`, which a fault plan sees. An OSError stays one: the caller
knows what its file means. No room above `store` calls fsync; the laboratory measures it.
"""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def sync_file(file: IO[Any]) -> None:
    """Return when everything written to an open file is on disk; its name is durable after `sync_folder`."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Return when names created, changed and removed in a folder are on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
