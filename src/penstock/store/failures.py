"""Errors of the operating system as errors of the store.

The only module where an errno becomes a reason code; no OSError leaves room `store`. It decides nothing:
callers choose whether a failure stops them. `_writer`, `files` and the readers call it.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from pathlib import Path


DESCRIPTORS_USED_UP = (errno.EMFILE, errno.ENFILE)  # of this process, of the machine
_REASONS = {
    errno.EMFILE: mq.MQRC_RESOURCE_PROBLEM,
    errno.ENFILE: mq.MQRC_RESOURCE_PROBLEM,
    errno.ENOSPC: mq.PSRC_DISK_NEARLY_FULL,
    errno.EDQUOT: mq.PSRC_DISK_NEARLY_FULL,
    errno.EFBIG: mq.PSRC_DISK_NEARLY_FULL,  # a limit of file sizes: there is no more room either
    errno.EROFS: mq.PSRC_FOLDER_READ_ONLY,
    errno.EACCES: mq.PSRC_FOLDER_READ_ONLY,
    errno.EPERM: mq.PSRC_FOLDER_READ_ONLY,
    errno.ENOENT: mq.PSRC_FOLDER_INCOMPLETE,
    errno.ENOTDIR: mq.PSRC_FOLDER_INCOMPLETE,
    errno.ECANCELED: mq.PSRC_JOURNAL_STOPPED,
}


def file_failure(failure: OSError, doing: str, path: str | Path) -> MQError:
    """Return the error for a file operation that the operating system refused."""
    code = failure.errno or 0
    advice = "; raise the limit of open files" if code in DESCRIPTORS_USED_UP else ""
    text = f"{doing} {path} failed: {failure.strerror or failure} (errno {code}){advice}"
    return error(_REASONS.get(code, mq.PSRC_IO_ERROR), text, path=str(path), errno=code, doing=doing)


def journal_stopped(code: int, step: str) -> MQError:
    """Return the error of every call after the writer stopped: what failed, and the system's text."""
    text = f"the {step} a journal file failed: {os.strerror(code)} (errno {code})"
    return error(mq.PSRC_JOURNAL_STOPPED, text, errno=code)


def journal_closed() -> MQError:
    """Return the error of a call on a journal that was closed."""
    return error(mq.PSRC_JOURNAL_STOPPED, "the journal is closed", errno=0)


def journal_of_parent() -> MQError:
    """Return the error of a call in the child of a fork: the journal stayed with its parent."""
    return error(mq.PSRC_JOURNAL_STOPPED, "the journal belongs to the process that opened it", errno=0)


def record_too_long(length: int, limit: int) -> MQError:
    """Return the error of a record that the journal does not take."""
    return error(
        mq.MQRC_DATA_LENGTH_ERROR, f"a journal record of {length} bytes; at most {limit}", length=length
    )
