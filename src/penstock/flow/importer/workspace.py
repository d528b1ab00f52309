"""A folder of projects, and which file a name in a flow refers to: applications and libraries.

A project is a folder with a `.project` file or a descriptor; without any, the whole folder is one. A name is
searched in the flow's own project, then in those it refers to, then in all others of the folder, because
libraries are often beside an application without being referenced. Files are listed once.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from penstock.flow.importer.esql_names import module_names
from penstock.flow.importer.xml_reading import read_xml
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES_MAX = 50_000
FLOW_ENDINGS = (".msgflow", ".subflow")
DESCRIPTORS = ("application", "library", "restapi", "service")
MARKS = frozenset({".project", *(f"{each}.descriptor" for each in DESCRIPTORS)})
PLAIN_FOLDERS = ("flows", "esql", "subflows")  # of a project of ours: not part of a schema's name
DFDL = b"http://www.ogf.org/dfdl/dfdl-1.0/"
_NOT_ENTERED = frozenset({".git", ".venv", "node_modules", "__pycache__"})


class WorkspaceProject:
    """One project: its files by their path in it, and the names of the projects that it refers to."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.files: dict[str, Path] = {}

    def add(self, path: Path) -> None:
        """Add a file by its path in the project, which is its schema and name."""
        inside = PurePosixPath(path.relative_to(self.folder).as_posix())
        parts = inside.parts[1:] if inside.parts[0] in PLAIN_FOLDERS else inside.parts
        self.files.setdefault("/".join(parts), path)

    @cached_property
    def references(self) -> list[str]:
        """The names of projects in `.project` and descriptors."""
        found: dict[str, None] = {}
        for mark in MARKS:
            path = self.folder / mark
            if path.is_file():
                found.update(dict.fromkeys(_names_in(path)))
        return [name for name in found if name != self.name]

    def api_of(self, flow: Path) -> Path | None:
        """Return the definition of the REST API that a flow file implements; None if it implements none."""
        descriptor = self.folder / "restapi.descriptor"
        if not descriptor.is_file():
            return None
        try:
            said = read_xml(descriptor.read_bytes(), str(descriptor)).root
        except MQError:
            return None
        is_this = (self.folder / said.get("implementation").replace("\\", "/")).resolve() == flow.resolve()
        return self.folder / said.get("definitionFile") if is_this else None

    def of_ending(self, *endings: str) -> Iterator[tuple[str, Path]]:
        """Return paths and files with some endings, in order."""
        return ((name, self.files[name]) for name in sorted(self.files) if name.lower().endswith(endings))

    @cached_property
    def modules(self) -> dict[str, Path]:
        """The ESQL modules by name with schema, in capitals, and their files."""
        found: dict[str, Path] = {}
        for _, path in self.of_ending(".esql"):
            for name in module_names(path):
                found.setdefault(name.upper(), path)
        return found


class Workspace:
    """All projects below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.projects: list[WorkspaceProject] = []
        self._around: dict[WorkspaceProject, list[WorkspaceProject]] = {}
        self._gather()

    def _gather(self) -> None:
        plain = WorkspaceProject(self.folder.resolve().name, self.folder)
        owners: dict[Path, WorkspaceProject] = {}
        count = 0
        for where, folders, files in os.walk(self.folder):
            folders[:] = sorted(each for each in folders if each not in _NOT_ENTERED)
            here = Path(where)
            owner = owners.get(here.parent, plain) if here != self.folder else plain
            if not MARKS.isdisjoint(files):
                owner = WorkspaceProject(_name_of(here), here)
                self.projects.append(owner)
            owners[here] = owner
            count += len(files)
            if count > FILES_MAX:
                raise error(mq.PSRC_FLOW_PROJECT, f"more than {FILES_MAX} files below {self.folder}")
            for file in sorted(files):
                owner.add(here / file)
        if plain.files:
            self.projects.insert(0, plain)

    def flow_files(self) -> Iterator[tuple[WorkspaceProject, str, Path]]:
        """Return every flow file with its project and its path in it."""
        for project in self.projects:
            for name, path in project.of_ending(*FLOW_ENDINGS):
                yield project, name, path

    def project_of(self, path: Path) -> WorkspaceProject | None:
        """Return the project that a file belongs to."""
        inside = [each for each in self.projects if path.is_relative_to(each.folder)]
        return max(inside, key=lambda each: len(each.folder.parts), default=None)

    def scope(self, project: WorkspaceProject) -> list[WorkspaceProject]:
        """Return a project and those it refers to, directly or indirectly, nearest first."""
        found, waiting = [project], [project]
        while waiting:
            for name in waiting.pop(0).references:
                named = next((each for each in self._nearest(project) if each.name == name), None)
                if named is not None and named not in found:
                    found.append(named)
                    waiting.append(named)
        return found

    def around(self, project: WorkspaceProject) -> list[WorkspaceProject]:
        """Return the scope of a project, then all others, those in folders nearby first."""
        if project not in self._around:
            scope = self.scope(project)
            others = [each for each in self._nearest(project) if each not in scope]
            self._around[project] = [*scope, *others]
        return self._around[project]

    def _nearest(self, project: WorkspaceProject) -> list[WorkspaceProject]:
        """Return all projects, those first that share most of their folders with one: for example its own
        version.
        """
        parts = project.folder.parts
        return sorted(self.projects, key=lambda each: -_shared(parts, each.folder.parts))

    def find(self, project: WorkspaceProject, name: str) -> tuple[WorkspaceProject, Path] | None:
        """Return the file of a project-relative path (`a/b/Sub.subflow`) as seen from a project."""
        for each in self.around(project):
            if name in each.files:
                return each, each.files[name]
        return self._find_deeper(project, name)

    def _find_deeper(self, project: WorkspaceProject, name: str) -> tuple[WorkspaceProject, Path] | None:
        """Return a file whose path only ends so, such as a folder of schemas that was copied elsewhere."""
        for each in self.around(project):
            for inside, path in each.of_ending(f"/{name.lower()}"):
                if inside.endswith(f"/{name}"):
                    return each, path
        return None

    def find_module(self, project: WorkspaceProject, name: str) -> Path | None:
        """Return the ESQL file of a module as seen from a project."""
        for each in self.around(project):
            if name.upper() in each.modules:
                return each.modules[name.upper()]
        return None

    def esql_files(self, project: WorkspaceProject) -> list[Path]:
        """Return all ESQL files that a project sees: its own and those of referenced projects."""
        return [path for each in self.scope(project) for _, path in each.of_ending(".esql")]

    def model_file(self, name: str, root: str) -> Path | None:
        """Return the model that a program names: a message set, or a schema by a library and its element."""
        named = [each for each in self.projects if each.name == name.strip("{}")] if name else []
        for project in named or self.projects[:1]:
            found = self.message_set(project, name) if name else None
            if found is None and root:
                found = self.schema_file(project, root)
            if found is not None:
                return found
        return None

    def message_set(self, project: WorkspaceProject, name: str) -> Path | None:
        """Return the folder of a message set by the folder's name, or a project's by `{Name}`."""
        bare = name.strip("{}")
        for each in self.around(project):
            for _, path in each.of_ending("messageset.mset"):
                if bare in (path.parent.name, each.name):
                    return path.parent
        return None

    def schema_file(self, project: WorkspaceProject, root: str) -> Path | None:
        """Return the schema file that declares a global element, given as `{namespace}:Name` or a name."""
        local = root.rpartition(":")[2].rpartition("}")[2]
        wanted = re.compile(rb"element\s[^>]*\bname=[\"']%s[\"']" % re.escape(local.encode()))
        others: list[Path] = []
        for each in self.around(project):
            for _, path in each.of_ending(".xsd"):
                content = path.read_bytes()
                if wanted.search(content):
                    if DFDL in content:
                        return path
                    others.append(path)
        return next(iter(others), None)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many folders two paths have in common."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _name_of(folder: Path) -> str:
    """Return a project's name: from `.project`, else the folder's name."""
    mark = folder / ".project"
    if mark.is_file():
        try:
            name = read_xml(mark.read_bytes(), str(mark)).root.first("name")
        except MQError:
            name = None
        if name is not None and name.text.strip():
            return name.text.strip()
    return folder.resolve().name


def _names_in(path: Path) -> Iterator[str]:
    """Return the projects that a `.project` or a descriptor names; none if it cannot be read."""
    try:
        root = read_xml(path.read_bytes(), str(path)).root
    except MQError:
        return
    for tag in ("libraryName", "project"):
        for element in root.below(tag):
            if element.text.strip():
                yield element.text.strip()
