"""Ships a flow project to workers that do not see the driver's disk.

`carry` makes text of a project, which travels in the arguments of its work; `folder_of` returns the project's
folder for a task: the named one, or the one that the text was unpacked to, once per machine and content. Code
is loaded from that folder, so no other user can write there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import zipfile
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.flow.project_content import content_of, digest_of
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping

CARRIED = "carried"
BYTES_MAX = 8 << 20  # as text: every batch takes it along
KEPT_SECONDS = 30 * 86400.0


def carry(project: Path) -> str:
    """Return a project as text; 8304 if it is too large."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for path, relative in content_of(project):
            archive.write(path, str(relative))
    text = b64encode(packed.getvalue()).decode()
    if len(text) > BYTES_MAX:
        raise error(
            mq.PSRC_FLOW_PROJECT,
            f"project {project} has {len(text):,} bytes when it is packed for workers, and may have "
            f"{BYTES_MAX:,}: keep files that are not part of the flows elsewhere",
        )
    return text


def folder_of(arguments: Mapping[str, Any]) -> str:
    """Return the folder of a work's project on this machine."""
    if CARRIED not in arguments:
        return str(arguments["project"])
    folder = _own_place() / arguments["stamp"]
    if not folder.exists() or digest_of(folder) != arguments["stamp"]:  # temporary files may be cleaned up
        _unpack(arguments[CARRIED], folder)
        _forget_unused(folder.parent)
    os.utime(folder)
    return str(folder)


def _own_place() -> Path:
    """Return the folder for projects of this user; 8406 if others could write there."""
    place = Path(tempfile.gettempdir()) / f"penstock-projects-{os.getuid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    found = place.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise error(mq.PSRC_SPARK_WORKER, f"{place} on this worker was not made by Penstock: remove it")
    return place


def _unpack(text: str, folder: Path) -> None:
    """Unpack beside the folder and rename: of several processes that do so, one is first."""
    aside = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        with zipfile.ZipFile(BytesIO(b64decode(text))) as archive:
            archive.extractall(aside / "new")
        if folder.exists():
            folder.rename(aside / "old")
        (aside / "new").rename(folder)
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _forget_unused(place: Path) -> None:
    """Remove projects that were not used for a month."""
    for folder in place.iterdir():
        if time.time() - folder.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
