"""Text logs that several processes may append to, kept small.

A log that is too long is copied to a second file and emptied while writers use it: they append, so they
continue at its new end. A line that is written between the two steps is lost, which is acceptable for a log.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

LOG_BYTES_MAX = 16 << 20  # there is at most about twice as much: the log and the one before
LOOK_SECONDS = 10.0
LOG_MODE = 0o600

logger = logging.getLogger(__name__)


def trim_log(log: Path, bytes_max: int = 0) -> None:
    """Move the text of a log that is too long to a file beside it, `main.log` to `main.log.1`.

    One process at a time does it; the others skip it. A failure is logged.
    """
    bytes_max = bytes_max or LOG_BYTES_MAX
    try:
        if log.stat().st_size > bytes_max:
            with log.open("r+b", buffering=0) as file:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file.fileno()).st_size > bytes_max:  # no other process was faster
                    _copy(file, log.with_name(f"{log.name}.1"))
                    file.truncate(0)
    except (FileNotFoundError, BlockingIOError):
        pass
    except OSError as failure:
        logger.warning("log_not_trimmed path=%s cause=%s", log, failure)


def _copy(file: BinaryIO, target: Path) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, LOG_MODE)
    with os.fdopen(descriptor, "wb") as writer:
        os.fchmod(descriptor, LOG_MODE)
        shutil.copyfileobj(file, writer)


def open_log(log: Path) -> int:
    """Return a descriptor that appends to a log; only its owner may read it."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, LOG_MODE)


def keep_short(log: Path, ended: threading.Event | None = None) -> None:
    """Trim a log from now on, as long as this process lives or until `ended` is set."""
    ending = ended or threading.Event()
    trim_log(log)

    def look() -> None:
        while not ending.wait(LOOK_SECONDS):
            trim_log(log)

    threading.Thread(target=look, daemon=True, name="log-trimmer").start()
