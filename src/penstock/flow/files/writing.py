"""Files that a flow writes: whole ones appear atomically; records are collected in `mqsitransit` until the
end.

A reader of the folder never sees half a file, except where the node appends to existing files. Writing is not
part of a unit of work: a flow that runs again writes again. A whole file then replaces itself; a record is
written twice, and a crash may leave a part of the last one.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from typing import TYPE_CHECKING

from penstock.flow.files.claims import ARCHIVE, move_to
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.durable_files import sync_file, sync_folder

if TYPE_CHECKING:
    from pathlib import Path

TRANSIT = "mqsitransit"
REPLACE, APPEND, FAIL, ARCHIVED = "replace", "append", "fail", "archive"
MODES = (REPLACE, APPEND, FAIL, ARCHIVED)


def write_whole(path: Path, data: bytes, mode: str) -> None:
    """Write a file atomically; an existing file is an error with "fail", and is archived with "archive"."""
    if mode == APPEND:
        append(path, data)
        return
    transit = path.parent / TRANSIT
    transit.mkdir(exist_ok=True)
    draft = transit / f".{path.name}.{secrets.token_hex(8)}"
    try:
        with draft.open("xb") as out:
            out.write(data)
            sync_file(out)
        put_in_place(draft, path, mode)
    finally:
        draft.unlink(missing_ok=True)


def append(path: Path, data: bytes) -> None:
    """Append bytes to a file, created if necessary; one writer at a time."""
    while True:
        with path.open("ab") as out:
            fcntl.flock(out, fcntl.LOCK_EX)
            if not _is_still(path, out.fileno()):
                continue  # it was finished while we waited: start the next
            out.write(data)
            sync_file(out)
            return


def _is_still(path: Path, handle: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(handle).st_ino
    except FileNotFoundError:
        return False


def append_in_transit(path: Path, data: bytes) -> None:
    """Append a record to an unfinished file."""
    transit = path.parent / TRANSIT
    transit.mkdir(exist_ok=True)
    append(transit / path.name, data)


def finish(path: Path, mode: str) -> bool:
    """Move a file with collected records to its destination; False if there is none."""
    gathered = path.parent / TRANSIT / path.name
    try:
        with gathered.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_still(gathered, file.fileno()):
                return False
            put_in_place(gathered, path, mode)
    except FileNotFoundError:
        return False
    return True


def put_in_place(draft: Path, path: Path, mode: str) -> None:
    """Give a finished file its name, atomically."""
    if mode == ARCHIVED and path.exists():
        move_to(path, path.parent / ARCHIVE, path.name)
    if mode == FAIL:
        try:
            os.link(draft, path)
        except FileExistsError as raised:
            raise error(mq.PSRC_FLOW_FILE, f"{path} is there already") from raised
        draft.unlink()
    else:
        draft.replace(path)
    sync_folder(path.parent)


def place_for(folder: Path, name: str, below: str = "") -> Path:
    """Return the path of a file; 8331 for names that would leave the folder."""
    target = folder / below if below else folder
    if not name or "/" in name or "\0" in name or name in (".", "..") or name.startswith("."):
        raise error(mq.PSRC_FLOW_FILE, f"{name!r:.100} is no name of a file")
    root = folder.resolve()
    resolved = target.resolve()
    if resolved != root and root not in resolved.parents:
        raise error(mq.PSRC_FLOW_FILE, f"{below!r:.100} leads out of {folder}")
    if not resolved.is_dir():
        raise error(mq.PSRC_FLOW_FILE, f"there is no folder {target}")
    return resolved / name
