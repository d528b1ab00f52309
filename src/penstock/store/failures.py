"""Errors of the operating system as errors of the store.

The only module where an errno becomes a reason code; no OSError leaves room `store`. It decides nothing:
callers choose whether a failure stops them. `_writer`, `files` and the readers call it.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from pathlib import Path

JOURNAL_DAMAGED = 8002
FORMAT_TOO_NEW = 8003
JOURNAL_STOPPED = 8004
DISK_FULL = 8005
READ_ONLY = 8006
MESSAGE_FILE_DAMAGED = 8010
CHECKPOINT_DAMAGED = 8011
SETTING_WRONG = 8012
IO_ERROR = 8013
FOLDER_INCOMPLETE = 8015
WRONG_JOURNAL = 8016
DATA_LENGTH_ERROR = 2010
RESOURCE_PROBLEM = 2102

DESCRIPTORS_USED_UP = (errno.EMFILE, errno.ENFILE)  # of this process, of the machine
_REASONS = {
    errno.EMFILE: RESOURCE_PROBLEM,
    errno.ENFILE: RESOURCE_PROBLEM,
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: DISK_FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
    errno.ENOENT: FOLDER_INCOMPLETE,
    errno.ENOTDIR: FOLDER_INCOMPLETE,
    errno.ECANCELED: JOURNAL_STOPPED,
}


def file_failure(failure: OSError, doing: str, path: str | Path) -> MQError:
    """Return the error for a file operation that the operating system refused."""
    code = failure.errno or 0
    advice = "; raise the limit of open files" if code in DESCRIPTORS_USED_UP else ""
    text = f"{doing} {path} failed: {failure.strerror or failure} (errno {code}){advice}"
    return error(_REASONS.get(code, IO_ERROR), text, path=str(path), errno=code, doing=doing)


def journal_stopped(code: int, step: str) -> MQError:
    """Return the error of every call after the writer stopped: what failed, and the system's text."""
    text = f"the {step} a journal file failed: {os.strerror(code)} (errno {code})"
    return error(JOURNAL_STOPPED, text, errno=code)


def journal_closed() -> MQError:
    """Return the error of a call on a journal that was closed."""
    return error(JOURNAL_STOPPED, "the journal is closed", errno=0)


def journal_of_parent() -> MQError:
    """Return the error of a call in the child of a fork: the journal stayed with its parent."""
    return error(JOURNAL_STOPPED, "the journal belongs to the process that opened it", errno=0)


def record_too_long(length: int, limit: int) -> MQError:
    """Return the error of a record that the journal does not take."""
    return error(DATA_LENGTH_ERROR, f"a journal record of {length} bytes; at most {limit}", length=length)
