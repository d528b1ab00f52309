"""The incarnation of a queue manager: an id that its folder shares with no copy of it.

A plain restart keeps it. A folder that was restored, copied or unpacked elsewhere gets a new one at its first
start, because two queue managers that both go on from the same state must not be taken for one: message
channels name their batches by it. The id is in `incarnation`, beside the identity of the empty file
`incarnation.mark`, which a copy cannot have. Format: docs/internals/incarnation-format.md. Called by
`starting`, with the folder's lock held.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.file_identity import identity_of, is_same
from penstock.store.files import Files

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.store.faults import Faults

NAME = "incarnation"
MARK_NAME = "incarnation.mark"
PASSING_NAME = "incarnation.new"
FORMAT = 1
ID_BYTES = 16
FILE_BYTES_MAX = 4096


@dataclass(frozen=True)
class Incarnation:
    """The contents of the file."""

    id: str
    since: str  # when the folder became a queue manager of its own
    copy_of: str = ""  # the incarnation whose copy it is
    mark: str = ""


def incarnation_of(folder: Path, faults: Faults | None = None) -> tuple[Incarnation, bool]:
    """Return the incarnation of a folder, and whether it is a new one because the folder had none."""
    found = _read(folder / NAME)
    if found is not None and is_same(folder / MARK_NAME, found.mark):
        return found, False
    return _renew(folder, found.id if found is not None else "", Files(faults)), True


def _renew(folder: Path, copy_of: str, files: Files) -> Incarnation:
    """Make a new mark first: until the file that names it exists, the folder has no incarnation."""
    files.unlink(folder / MARK_NAME)
    files.replace(folder / MARK_NAME, folder / PASSING_NAME, b"")
    since = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
    made = Incarnation(secrets.token_hex(ID_BYTES), since, copy_of, identity_of(folder / MARK_NAME))
    text = json.dumps({"format": FORMAT, **asdict(made)}, indent=1) + "\n"
    files.replace(folder / NAME, folder / PASSING_NAME, text.encode())
    return made


def _read(path: Path) -> Incarnation | None:
    """Return the contents of a file; None if it is missing or unreadable: then a new one is made."""
    try:
        with path.open("rb") as file:
            facts = json.loads(file.read(FILE_BYTES_MAX))
        if int(facts["format"]) > FORMAT:
            what = f"{path} has format {facts['format']}; this release knows {FORMAT}"
            raise error(mq.PSRC_FORMAT_TOO_NEW, what, path=str(path))
        return Incarnation(*(str(facts[name]) for name in ("id", "since", "copy_of", "mark")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
