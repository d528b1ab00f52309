"""Distinguishes a file from every copy of it: by its inode number and its creation time.

No copy has both: not one by `cp -a`, not a restored or unpacked one. Both stay when the file or its folder
is renamed, its owner or mode changes, or the machine restarts. If the file system has no creation time, the
time of the last status change is used; then a change of owner or mode makes another file. The clone of a
whole disk is not detected. Used by `host.incarnation`.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING

from penstock.model import constants as mq

if TYPE_CHECKING:
    from pathlib import Path

BORN, CHANGED = "born", "changed"
_AT_FDCWD = -100
_BUFFER_BYTES = 256  # struct statx: stx_mask at 0, stx_btime (seconds, nanoseconds) at 80
_MASK = struct.Struct("=I")
_TIME = struct.Struct("=qI")
_TIME_OFFSET = 80


def identity_of(path: Path) -> str:
    """Return the identity of a file, to be stored elsewhere."""
    return _identity(path, BORN) or _identity(path, CHANGED)


def is_same(path: Path, identity: str) -> bool:
    """Return whether a file has this identity; a file with several names never has."""
    try:
        return path.stat().st_nlink == 1 and _identity(path, identity.partition(" ")[0]) == identity
    except OSError:
        return False


def _identity(path: Path, kind: str) -> str:
    found = path.stat()
    moment = found.st_ctime_ns if kind == CHANGED else _birth_ns(path)
    return f"{kind} {found.st_ino} {moment}" if moment else ""


def _birth_ns(path: Path) -> int:
    """Return the creation time of a file in nanoseconds since 1970; 0 if it is unknown."""
    statx = getattr(ctypes.CDLL(None), "statx", None)
    buffer = ctypes.create_string_buffer(_BUFFER_BYTES)
    if statx is None or statx(_AT_FDCWD, os.fsencode(path), 0, mq.MQRC_PERSISTENT_NOT_ALLOWED, buffer) != 0:
        return 0
    if not _MASK.unpack_from(buffer)[0] & mq.MQRC_PERSISTENT_NOT_ALLOWED:
        return 0
    seconds, nanoseconds = _TIME.unpack_from(buffer, _TIME_OFFSET)
    return int(seconds * 1_000_000_000 + nanoseconds)
