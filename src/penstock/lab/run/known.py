"""Which runs of the laboratory began on this home: paths of their folders, for the console.

The list is a hint: a run whose folder is gone is left out, and a list that cannot be read or written stops no
run. The runs themselves contain no path.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from penstock.lab.run.folder import RunFolder
from penstock.model.errors import MQError
from penstock.store.home import penstock_home

NAME = "lab-runs.json"
KEPT = 50


def remember(folder: RunFolder) -> None:
    """Put a run first on the list."""
    home = penstock_home()
    path = str(folder.path.resolve())
    paths = [path, *(each for each in _paths(home) if each != path)][:KEPT]
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        part = home / f".{NAME}"
        part.write_text(json.dumps(paths, indent=1) + "\n")
        part.rename(home / NAME)


def known(home: Path | None = None) -> list[RunFolder]:
    """Return the runs whose folders are still there, the newest first."""
    found = []
    for path in _paths(penstock_home(home)):
        with contextlib.suppress(MQError, OSError, ValueError):
            found.append(RunFolder.existing(Path(path)))
    return found


def _paths(home: Path) -> list[str]:
    try:
        return [str(each) for each in json.loads((home / NAME).read_text())]
    except (OSError, ValueError):
        return []
