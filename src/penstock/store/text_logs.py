"""Text logs that several processes may append to, kept small.

A log that has grown is copied beside itself and emptied, under the writers: they append, so they go on at
its new end. A line that is written between the two is lost; log lines are no messages.
"""

from __future__ import annotations

import os
import shutil
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOG_BYTES_MAX = 16 << 20  # there is at most about twice as much: the log and the one before
LOOK_SECONDS = 10.0


def trim_log(log: Path, bytes_max: int = 0) -> None:
    """Move the text of a log that is too long to a file beside it, `main.log` to `main.log.1`."""
    try:
        if log.stat().st_size > (bytes_max or LOG_BYTES_MAX):
            shutil.copyfile(log, log.with_name(f"{log.name}.1"))
            os.truncate(log, 0)
    except FileNotFoundError:
        pass


def open_log(log: Path) -> int:
    """Return a descriptor that appends to a log; only its owner may read it."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def keep_short(log: Path) -> None:
    """Trim a log from now on, as long as this process lives."""
    trim_log(log)

    def look() -> None:
        while True:
            threading.Event().wait(LOOK_SECONDS)
            trim_log(log)

    threading.Thread(target=look, daemon=True, name="log-trimmer").start()
