"""The journal's files: their settings, names and headers, and a list of the existing ones.

A position in the log is a byte offset in an endless file that is split into segments of equal size; segment
= position // segment_bytes. Nothing here writes to a segment (`_segment.pyx` does). The journal, its reader
and the host (settings of qm.ini) call it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.failures import file_failure
from penstock.store.file_header import HEADER_BYTES, FileHeader, decode_header
from penstock.store.files import read_part

if TYPE_CHECKING:
    from pathlib import Path

PAGE_BYTES = 4096
SEGMENT_MAGIC = b"PSTKJRNL"
FIRST_POSITION = PAGE_BYTES  # of the first record of a new journal
BUFFER_PAGES_DEFAULT = 512
FILES_MAX = 511  # MQ's limit for primary and secondary files together
_NAME = re.compile(r"S(\d{7,18})\.LOG")


class LogType(Enum):
    """What happens to journal files that a restart no longer needs."""

    CIRCULAR = "CIRCULAR"  # they are used again
    LINEAR = "LINEAR"  # they are kept until they are archived or removed


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The Log stanza of qm.ini, with MQ's names, defaults and ranges; 8012 for a value out of range."""

    log_type: LogType = LogType.CIRCULAR
    primary_files: int = 3
    secondary_files: int = 10
    file_pages: int = 4096
    buffer_pages: int = BUFFER_PAGES_DEFAULT

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not isinstance(self.log_type, LogType):
            raise error(
                mq.PSRC_INI_ERROR, f"LogType is {self.log_type!r}; it is CIRCULAR or LINEAR", key="LogType"
            )
        _check_range("LogPrimaryFiles", self.primary_files, 2, 510)
        _check_range("LogSecondaryFiles", self.secondary_files, 1, 509)
        _check_range("LogFilePages", self.file_pages, 64, 65535)
        _check_range("LogBufferPages", self.buffer_pages, 0, 4096)
        if self.primary_files + self.secondary_files > FILES_MAX:
            text = f"LogPrimaryFiles + LogSecondaryFiles is {self.primary_files + self.secondary_files}; "
            raise error(mq.PSRC_INI_ERROR, f"{text}at most {FILES_MAX}", key="LogSecondaryFiles")

    @property
    def segment_bytes(self) -> int:
        """Bytes of one journal file."""
        return self.file_pages * PAGE_BYTES

    @property
    def buffer_bytes(self) -> int:
        """Number of unwritten bytes at which the writer starts by itself."""
        return (self.buffer_pages or BUFFER_PAGES_DEFAULT) * PAGE_BYTES


def _check_range(key: str, value: int, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise error(
            mq.PSRC_INI_ERROR, f"{key} is {value!r}; it must be {low} to {high}", key=key, value=value
        )


def segment_name(number: int) -> str:
    """Return the name of the file of a segment."""
    return f"S{number:07d}.LOG"


def segment_numbers(folder: Path) -> list[int]:
    """Return the numbers of the journal files in the folder, sorted; 8015 when the folder is missing."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError as failure:
        raise file_failure(failure, "listing", folder) from failure
    return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))


def read_segment_header(folder: Path, number: int) -> FileHeader | None:
    """Return the header of a segment's file; None if it is damaged or another segment's."""
    path = folder / segment_name(number)
    header = decode_header(read_part(path, 0, HEADER_BYTES), SEGMENT_MAGIC, path)
    return header if header is not None and header.number == number and header.pages >= 1 else None


@dataclass(frozen=True, slots=True)
class JournalIdentity:
    """The common properties of all files of one journal."""

    journal: int
    segment_bytes: int


def find_identity(folder: Path) -> JournalIdentity:
    """Return the journal's identity from the newest file with a valid header; 8015 without any."""
    for number in reversed(segment_numbers(folder)):
        header = read_segment_header(folder, number)
        if header is not None:
            return JournalIdentity(header.identity, header.pages * PAGE_BYTES)
    raise error(mq.PSRC_FOLDER_INCOMPLETE, f"no usable journal file in {folder}", path=str(folder))
