"""A whole project written as Python: `flows/NAME.py` for every flow, everything else copied unchanged.

The copy keeps its folders, so that ESQL, models and maps are found as before. Flow files are not copied: the
Python flows replace them. The target must be a new or empty folder.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.importer.bar import TAKEN
from penstock.flow.importer.java_stubs import write_stubs
from penstock.flow.importer.python_writer import python_of
from penstock.flow.importer.workspace import FLOW_ENDINGS, MARKS
from penstock.flow.stand_ins import PYTHON
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.project import Project

COPIED = (TAKEN | {".csv", ".txt", ".cbl", ".cob", ".copy", ".java"}) - {*FLOW_ENDINGS}
NOT_COPIED = frozenset({"broker.xml"})  # its overrides are now in the flows


class Written(NamedTuple):
    """What was written."""

    flows: dict[str, Path]
    copied: int
    stubs: list[Path]


def write_project(project: Project, target: Path) -> Written:
    """Write a project's flow files as Python below a folder."""
    if target.exists() and any(target.iterdir()):
        raise error(mq.PSRC_FLOW_IMPORT, f"{target} is not empty; name a new folder")
    (target / "flows").mkdir(parents=True, exist_ok=True)
    _copy_python(project, target)
    stubs = write_stubs(project, target / PYTHON)
    written: dict[str, Path] = {}
    for name, (_, inside, _) in project.flow_files.paths.items():
        path = target / "flows" / f"{_file_name(name, written)}.py"
        path.write_text(python_of(project.flow_files.flow(name), inside), "utf-8")
        written[name] = path
    return Written(written, _copy(project, target), stubs)


def _copy_python(project: Project, target: Path) -> None:
    """Copy the Python that replaces Java; stubs are written beside it."""
    source = project.folder / PYTHON
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target / PYTHON, dirs_exist_ok=True, ignore=ignored)


def _file_name(name: str, written: dict[str, Path]) -> str:
    base = re.sub(r"\W+", "_", name)
    taken = {path.stem for path in written.values()}
    return next(each for n in range(len(taken) + 1) if (each := f"{base}_{n}" if n else base) not in taken)


def _copy(project: Project, target: Path) -> int:
    count = 0
    for each in project.workspace.projects:
        for path in each.files.values():
            wanted = path.suffix.lower() in COPIED or path.name in MARKS
            if wanted and path.name not in NOT_COPIED and target not in path.parents:
                place = target / path.relative_to(project.folder)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
                count += 1
    nodes = project.folder / "nodes"
    if nodes.is_dir():
        shutil.copytree(nodes, target / "nodes", dirs_exist_ok=True)
    return count
