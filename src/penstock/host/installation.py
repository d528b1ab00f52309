"""Where a queue manager's program, data and log are, and how full: what DISPLAY QMSTATUS shows of its host.

The keys are MQSC's, sizes are in its units (MB for file systems, KB for log files, percent for use). The
engine asks through `host_facts`, which `Host` plugs in; it reads sizes and changes nothing.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.host.media_image import log_facts
from penstock.store.segments import LogType

if TYPE_CHECKING:
    from penstock.host.host import Host

MEGABYTE = 1 << 20
NAME = "Penstock"


def facts(host: Host) -> dict[str, Any]:
    """Return what is known about the queue manager's installation, data and log."""
    log = host.settings.log
    journal = host.journal
    primary = log.primary_files * journal.segment_bytes
    data_size, data_used = _file_system(host.folder.path)
    log_size, log_used = _file_system(host.folder.log)
    return {
        "DATFSSZ": data_size,
        "DATFSUSE": data_used,
        "DATPATH": str(host.folder.path),
        "HOSTNAME": socket.gethostname(),
        "INSTDESC": f"{NAME} {penstock.__version__}",
        "INSTNAME": NAME,
        "INSTPATH": str(Path(penstock.__file__).parent),
        **_log_files(host),
        "LOGEXTSZ": journal.segment_bytes // 1024,
        "LOGFSSZ": log_size,
        "LOGFSUSE": log_used,
        "LOGINUSE": min(100, 100 * journal.used // primary),
        "LOGPATH": str(host.folder.log),
        "LOGPRIM": log.primary_files,
        "LOGSEC": log.secondary_files,
        "LOGTYPE": log.log_type.name,
        "LOGUTIL": 100 * journal.used // primary,
    }


def _log_files(host: Host) -> dict[str, Any]:
    """Return the oldest log files that a restart and a media recovery need; circular logging has no names."""
    if host.settings.log.log_type is not LogType.LINEAR:
        return {}
    told = log_facts(host)
    return {
        "CURRLOG": told["current"],
        "MEDIALOG": told["media"],
        "MEDIASZ": told["media_bytes"] // MEGABYTE,
        "RECLOG": told["restart"],
        "RECSZ": told["restart_bytes"] // MEGABYTE,
        "REUSESZ": len(told["not_needed"]) * host.journal.segment_bytes // MEGABYTE,
    }


def _file_system(path: Path) -> tuple[int, int]:
    """Return the size of the file system below a folder in MB, and how much of it is used in percent."""
    room = os.statvfs(path)
    size = room.f_blocks * room.f_frsize
    used = (room.f_blocks - room.f_bavail) * room.f_frsize
    return size // MEGABYTE, 100 * used // size if size else 0
