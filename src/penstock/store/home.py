"""The home: the folder with queue managers, users, data sources and caches; `PENSTOCK_HOME` names it.

Rooms that keep a file there get its path here, and make folders that only their owner can read.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

HOME_VARIABLE = "PENSTOCK_HOME"
HOME_DEFAULT = "~/.penstock"
FOLDER_MODE = 0o700


def penstock_home(home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder that holds all queue managers: `home`, else PENSTOCK_HOME, else ~/.penstock."""
    return Path(home or os.environ.get(HOME_VARIABLE) or HOME_DEFAULT).expanduser().absolute()


def make_private(path: Path) -> None:
    """Create a folder, with its missing parents in the home, for the owner alone.

    An existing one that was open to others is closed; the home itself keeps its mode.
    """
    home = penstock_home()
    top = home if path.is_relative_to(home) else path
    top.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    for folder in reversed((path, *path.parents)):
        if folder != top and folder.is_relative_to(top):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
            if folder.stat().st_mode & 0o077:
                with contextlib.suppress(PermissionError):  # its owner's business
                    folder.chmod(FOLDER_MODE)
