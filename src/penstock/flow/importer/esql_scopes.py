"""ESQL of a workspace, compiled by scope: a project with those it refers to, because names repeat elsewhere.

A file with errors is left out, with the files that need it, so that the others still run. A request for one
of its modules gets its findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.files import read_source
from penstock.flow.importer.workspace import Workspace
from penstock.model.errors import EsqlError

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.esql.library import Library
    from penstock.flow.importer.workspace import WorkspaceProject


def scopes_of(folders: list[Path], files: list[Path]) -> list[tuple[list[Path], list[Path]]]:
    """Return files by project, each with the files of referenced projects that they see besides.

    Copies of a file in other projects are then no duplicates. Files outside of all folders are together.
    """
    workspaces = [Workspace(folder) for folder in folders]
    groups: dict[WorkspaceProject | None, list[Path]] = {}
    seen: dict[WorkspaceProject | None, list[Path]] = {None: []}
    for file in files:
        owner = None
        for workspace in workspaces:
            owner = owner or workspace.project_of(file)
            if owner is not None and owner not in seen:
                seen[owner] = workspace.esql_files(owner)
        groups.setdefault(owner, []).append(file)
    return [(own, [each for each in seen[owner] if each not in set(own)]) for owner, own in groups.items()]


class EsqlScopes:
    """Libraries by project, compiled when a module is asked for."""

    def __init__(self, workspace: Workspace, cache: Path | None = None) -> None:
        self.workspace = workspace
        self.cache = cache
        self._libraries: dict[Path, tuple[Library, dict[str, EsqlError]]] = {}

    def library(self, path: Path) -> Library:
        """Return the library that a file was compiled into; 8201 if that file, or one that it needs, has
        errors.
        """
        library, refused = self._scope(path)
        if str(path) in refused:
            raise refused[str(path)]
        return library

    def _scope(self, path: Path) -> tuple[Library, dict[str, EsqlError]]:
        project = self.workspace.project_of(path)
        folder = path.parent if project is None else project.folder
        if folder not in self._libraries:
            files = [path] if project is None else self.workspace.esql_files(project)
            self._libraries[folder] = self._compiled(files)
        return self._libraries[folder]

    def _compiled(self, files: list[Path]) -> tuple[Library, dict[str, EsqlError]]:
        """Compile files; those with errors are removed until the rest compiles."""
        refused: dict[str, EsqlError] = {}
        sources = [read_source(path) for path in files]
        while True:
            try:
                return compile_sources(sources, self.cache), refused
            except EsqlError as raised:
                wrong = {name for name, _ in raised.fields["findings"]}
                refused.update(dict.fromkeys(wrong, raised))
                sources = [each for each in sources if each.name not in wrong]
