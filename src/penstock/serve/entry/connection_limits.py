"""The maximum number of connections, by the limit of open files and qm.ini.

Every client is an open file. Some files are kept back for the journal, checkpoints, message files and the
error log, so that no number of clients can take them away. Worked out once at start.
"""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.host.folders.ini import ChannelSettings

FILES_KEPT_BACK = 96  # 40 message files; journal, checkpoint, error log, users, certificates, metrics
FILES_MAX = 1 << 20  # that are requested if the system sets no limit
GREETING_SHARE = 16  # one in this many connections may be connecting while all channels are in use
GREETING_MIN = 4
SOCKETS_MIN = 32
CHANNELS_MAX = 65535


@dataclass(frozen=True)
class ConnectionLimits:
    """How many sockets there may be, and how many of them channel instances."""

    sockets: int
    channels: int  # as DISPLAY CHSTATUS counts them: instances, and channels that are stopped
    active: int  # instances
    warnings: tuple[str, ...] = ()


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows it to; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return FILES_MAX if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def limits_of(settings: ChannelSettings) -> ConnectionLimits:
    """Return the limits of this process, which serves a queue manager; 2102 when it has too few files."""
    return work_out(settings, raise_file_limit(), len(os.listdir("/dev/fd")))  # noqa: PTH208


def work_out(settings: ChannelSettings, files_max: int, files_open: int) -> ConnectionLimits:
    """Return the maximum number of connections of a process with this limit of files, some of them open."""
    sockets = files_max - files_open - FILES_KEPT_BACK
    if sockets < SOCKETS_MIN:
        needed = files_open + FILES_KEPT_BACK + SOCKETS_MIN
        raise error(
            mq.MQRC_RESOURCE_PROBLEM,
            f"the limit of open files is {files_max}; a queue manager needs {needed}",
        )
    possible = min(CHANNELS_MAX, sockets - max(GREETING_MIN, sockets // GREETING_SHARE))
    warnings = tuple(
        f"{key}={value} is more than the limit of {files_max} open files allows: {possible} it is"
        for key, value in (
            ("MaxChannels", settings.max_channels),
            ("MaxActiveChannels", settings.max_active_channels),
        )
        if value > possible
    )
    channels = min(settings.max_channels or possible, possible)
    return ConnectionLimits(
        sockets, channels, min(settings.max_active_channels or channels, channels), warnings
    )
