"""The flow projects on this machine that people may deploy from, and write tests into.

They are named by the command that starts the console (`--projects`): that folder and the folders in it that
are flow projects. Nothing else of the disk can be reached from a browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.flow.importer.workspace import FLOW_ENDINGS
from penstock.flow.project import FLOWS
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

PROJECTS_MAX = 200


@dataclass(frozen=True)
class Projects:
    """The projects of some folders."""

    folders: tuple[Path, ...] = ()

    def found(self) -> list[Path]:
        """Return the projects, by name."""
        places = [each for folder in self.folders if folder.is_dir() for each in (folder, *folder.iterdir())]
        return sorted((each for each in places if is_project(each)), key=lambda each: each.name)[
            :PROJECTS_MAX
        ]

    def path_of(self, name: str) -> Path:
        """Return the project of a name; 8305 for any other."""
        for each in self.found():
            if each.name == name:
                return each
        where = ", ".join(map(str, self.folders)) or "no folder: start the console with --projects DIR"
        raise error(mq.PSRC_FLOW_PROJECT, f"there is no project {name[:60]!r} in {where}")


def is_project(place: Path) -> bool:
    """Return whether a folder has flows."""
    if place.name.startswith(".") or place.is_symlink() or not place.is_dir():
        return False
    return (place / FLOWS).is_dir() or any(next(place.glob(f"*{each}"), None) for each in FLOW_ENDINGS)
