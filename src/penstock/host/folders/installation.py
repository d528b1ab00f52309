"""Where a queue manager's program, data and log are, and how full: what DISPLAY QMSTATUS shows of its host.

Sizes are in MQSC's units (MB for file systems, KB for log files, percent for use). `DISPLAY QMSTATUS` asks
through `host_facts`, which `Host` plugs in. It reads sizes and changes nothing else.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import penstock
from penstock.host.backups.media_image import log_facts, media_logs
from penstock.store.segments import LogType

if TYPE_CHECKING:
    from penstock.host.host import Host
    from penstock.model.status import QmgrStatus

__all__ = ["add_facts", "media_logs"]
MEGABYTE = 1 << 20
NAME = "Penstock"


def add_facts(host: Host, status: QmgrStatus) -> None:
    """Add facts about the queue manager's installation, data and log."""
    log = host.settings.log
    journal = host.journal
    primary = log.primary_files * journal.segment_bytes
    status.datfssz, status.datfsuse = _file_system(host.folder.path)
    status.datpath = str(host.folder.path)
    status.hostname = socket.gethostname()
    status.instdesc = f"{NAME} {penstock.__version__}"
    status.instname = NAME
    status.instpath = str(Path(penstock.__file__).parent)
    status.logextsz = journal.segment_bytes // 1024
    status.logfssz, status.logfsuse = _file_system(host.folder.log)
    status.loginuse = min(100, 100 * journal.used // primary)
    status.logpath = str(host.folder.log)
    status.logprim = log.primary_files
    status.logsec = log.secondary_files
    status.logtype = log.log_type.name
    status.logutil = 100 * journal.used // primary
    if log.log_type is LogType.LINEAR:
        _add_log_files(host, status)


def _add_log_files(host: Host, status: QmgrStatus) -> None:
    """Add the oldest log files that a restart and a media recovery need."""
    told = log_facts(host)
    status.currlog = told["current"]
    status.medialog = told["media"]
    status.mediasz = told["media_bytes"] // MEGABYTE
    status.reclog = told["restart"]
    status.recsz = told["restart_bytes"] // MEGABYTE
    status.reusesz = len(told["not_needed"]) * host.journal.segment_bytes // MEGABYTE


def _file_system(path: Path) -> tuple[int, int]:
    """Return the size of the file system below a folder in MB, and how much of it is used in percent."""
    room = os.statvfs(path)
    size = room.f_blocks * room.f_frsize
    used = (room.f_blocks - room.f_bavail) * room.f_frsize
    return size // MEGABYTE, 100 * used // size if size else 0
