"""The logs of a broker's workers: one file a group, that many processes append to, kept small.

A log that has grown is copied beside itself and emptied, under the writers: they append, so they go on at
its new end. A line that is written between the two is lost; log lines are no messages.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOG_BYTES_MAX = 16 << 20  # a group has at most about twice as much: the log and the one before


def trim_logs(folder: Path) -> None:
    """Move the text of every log that is too long to a file beside it, `main.log` to `main.log.1`."""
    for log in folder.glob("*.log"):
        if log.stat().st_size > LOG_BYTES_MAX:
            shutil.copyfile(log, log.with_name(f"{log.name}.1"))
            os.truncate(log, 0)
