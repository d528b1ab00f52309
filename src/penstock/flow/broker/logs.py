"""The logs of a broker's workers: one file per group, which many processes append to, limited in size.

A log that has grown is copied beside itself and truncated while writers have it open: they append, so they
continue at its new end. A line that is written between the two steps is lost; log lines are not messages.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOG_BYTES_MAX = 16 << 20  # a group uses at most about twice as much: the log and the previous one


def trim_logs(folder: Path) -> None:
    """Move the text of every log that is too long to a second file, `main.log` to `main.log.1`."""
    for log in folder.glob("*.log"):
        if log.stat().st_size > LOG_BYTES_MAX:
            shutil.copyfile(log, log.with_name(f"{log.name}.1"))
            os.truncate(log, 0)
