"""A flow project: a folder with `flows/`, `esql/`, `models/` and `tests/`, read on demand.

Nodes ask it for ESQL modules and message models by name; commands ask it for flows: Python files of `flows/`
and flow files anywhere below, in projects and libraries beside each other if there are any. Related ESQL
files are compiled together. A program that builds its flow itself may give no folder: then only `esql/` and
`models/` in its working directory are used.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.files import find_files, read_source
from penstock.flow.external_routines import called_outside, plain
from penstock.flow.graph.graph import Flow, near
from penstock.flow.importer.esql_scopes import EsqlScopes
from penstock.flow.importer.workspace import Workspace
from penstock.flow.node import Node
from penstock.flow.python_files import run_file
from penstock.flow.python_modules import PythonModules
from penstock.flow.stand_ins import StandIns
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.library import Library, Module
    from penstock.flow.external_routines import Outside
    from penstock.flow.importer.flow_files import FlowFiles
    from penstock.flow.importer.overrides import Overrides
    from penstock.flow.mapping.graphical import GraphicalMap

FLOWS, ESQL, MODELS, NODES = "flows", "esql", "models", "nodes"


class Project:
    """The contents of one project folder.

    `routines` are Python functions for EXTERNAL routines of ESQL; `databases` are the targets of SQL
    statements: the data sources of `penstock dsn` unless others are given. `overrides` are deployed with its
    flow files.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        routines: dict[str, Callable[..., Any]] | None = None,
        databases: Any = None,
        cache: Path | None = None,
        overrides: Overrides | None = None,
    ) -> None:
        self.folder = Path(folder or ".")
        if folder is not None and not self.folder.exists():
            raise error(mq.PSRC_FLOW_PROJECT, f"there is no folder {folder}")
        if folder is not None and self.folder.is_file():
            raise error(
                mq.PSRC_FLOW_PROJECT,
                f"{folder} is no folder; a BAR file is deployed, or made a project by `penstock flow import`",
            )
        self.routines = routines or {}
        self.cache = cache
        self.overrides = overrides
        self.left: list[tuple[str, str]] = []  # what of a BAR file was not unpacked, and why
        self._whole = folder is not None
        self._databases = databases
        self._models: dict[Path, Any] = {}
        self._named_models: dict[tuple[str, str], Any] = {}
        self.python = PythonModules(self.folder)
        self.stand_ins = StandIns(self)
        self._alone: dict[Path, Library] = {}
        self._texts: dict[str, str] = {}
        self._texts_of: list[Path] = []
        self._maps: dict[str, GraphicalMap] = {}
        self._wrong_python: dict[Path, MQError] = {}

    # -- flows -----------------------------------------------------------------------------

    @cached_property
    def flows(self) -> dict[str, Flow]:
        """All flows of the folder by name: from Python files, and from readable flow files."""
        found: dict[str, Flow] = {}
        for path in sorted((self.folder / FLOWS).glob("*.py")):
            try:
                made = _flows_of(path, found)
            except MQError as raised:
                self._wrong_python[path] = raised
            else:
                found.update(made)
        if self._has_flow_files():  # else nothing of the importer
            found = {**self.flow_files.flows(), **found}
        return found

    @property
    def unread(self) -> dict[Path, MQError]:
        """Python files, flow files and overrides of a BAR that could not be read, by path."""
        _ = self.flows
        refused = self.flow_files.refused if self._has_flow_files() else {}
        return {**self._wrong_python, **refused}

    def _has_flow_files(self) -> bool:
        return self._whole and any(True for _ in self.workspace.flow_files())

    @cached_property
    def flow_files(self) -> FlowFiles:
        """The flow files below the folder."""
        from penstock.flow.importer.flow_files import FlowFiles

        return FlowFiles(self.workspace, self.overrides, self._node_classes(), self.stand_ins)

    @cached_property
    def workspace(self) -> Workspace:
        """The projects below the folder."""
        return Workspace(self.folder)

    def _node_classes(self) -> dict[str, type[Node]]:
        """Return the classes of `nodes/*.py`, which implement user-defined nodes of the same name."""
        found: dict[str, type[Node]] = {}
        for path in sorted((self.folder / NODES).glob("*.py")):
            try:
                names = run_file(path)
            except MQError as raised:
                self._wrong_python[path] = raised
                continue
            for value in names.values():
                if isinstance(value, type) and issubclass(value, Node) and value is not Node:
                    found[value.__name__] = value
        return found

    def flow(self, name: str) -> Flow:
        """Return a flow by its name."""
        is_known = name in self.flows
        for raised in self._wrong_python.values():
            if not is_known or raised.fields.get("flow") == name:  # it may be in this file; or is there twice
                raise raised
        if not is_known:
            known = ", ".join(sorted(self.flows)) or f"none in {self.folder / FLOWS}"
            inner = self.folder / name
            is_project = (inner / FLOWS).is_dir()
            nearby = f"; {inner} is a project: --project {inner} names it" if is_project else ""
            raise error(
                mq.PSRC_FLOW_PROJECT,
                f"project {self.folder} has no flow {name!r}{near(name, self.flows)};"
                f" there are: {known}{nearby}",
            )
        return self.flows[name]

    # -- ESQL ------------------------------------------------------------------------------

    @cached_property
    def library(self) -> Library:
        """All ESQL of the folder, compiled together."""
        folder = self.folder if self._whole else self.folder / ESQL
        files = find_files([folder]) if folder.is_dir() else []
        return compile_sources([read_source(path) for path in files], self.cache)

    @cached_property
    def _scopes(self) -> EsqlScopes:
        return EsqlScopes(self.workspace, self.cache)

    def module(self, file: str, name: str) -> Module:
        """Return an ESQL module: of a file of the project, or of any when none is named."""
        return self.library_of(file).module(name)

    def library_of(self, file: str) -> Library:
        """Return a file compiled with those that it can see: of its project, and of referenced projects."""
        if not file:
            return self.library
        path = self.folder / file
        if not path.is_file():
            raise error(mq.PSRC_FLOW_PROJECT, f"there is no ESQL file {path}")
        if self._whole and path.is_relative_to(self.folder):
            return self._scopes.library(path)
        if not self._whole and str(path) in self.library.files:
            return self.library
        if path not in self._alone:
            self._alone[path] = compile_sources([read_source(path)], self.cache)
        return self._alone[path]

    def missing_routines(self, file: str) -> list[Outside]:
        """Return the routines in other languages that a file's modules may call and the project has not."""
        path = self.folder / file
        owner = self.workspace.project_of(path) if self._whole else None
        if not file or owner is None:
            return []
        files = self.workspace.esql_files(owner)
        if files != self._texts_of:
            self._texts = {str(each): plain(read_source(each).text) for each in files}
            self._texts_of = files
        found = called_outside(str(path), self._texts)
        return [each for each in found if each.external not in self.routines and not self.stand_ins.has(each)]

    # -- models and databases --------------------------------------------------------------

    def model(self, name: str, message_type: str = "") -> Any:
        """Return a message model: by a path in the project, or by the name of a file in `models/`.

        In an imported project also by the name of a message set or of a library, `{Name}`; a schema is then
        found by the type of the message.
        """
        key = (name, message_type)
        if key not in self._named_models:  # every message that a Compute sends by a model asks
            path = self._model_path(name, message_type)
            if path not in self._models:
                from penstock.tree.model.files import load_model

                self._models[path] = load_model(path)
            self._named_models[key] = self._models[path]
        return self._named_models[key]

    def _model_path(self, name: str, message_type: str) -> Path:
        direct = self.folder / name
        if name and (direct.is_file() or any(direct.glob("*.mset"))):
            return direct
        folder = self.folder / MODELS
        found = [path for path in sorted(folder.glob("*")) if name in (path.name, path.stem)]
        imported = None if found or not self._whole else self.workspace.model_file(name, message_type)
        if imported is not None or (name and direct.exists()):
            return imported or direct
        if not found:
            said = " or ".join(repr(each) for each in (name, message_type) if each)
            raise error(mq.PSRC_FLOW_PROJECT, f"there is no model {said} in {folder}")
        return found[0]

    # -- maps ------------------------------------------------------------------------------

    def graphical_map(self, file: str) -> GraphicalMap:
        """Return a `.map` file ready to run; 8336 when it cannot be run."""
        from penstock.flow.mapping.graphical import read_graphical_map
        from penstock.flow.mapping.graphical.map_file import MapSurroundings

        path = self.folder / file
        if not path.is_file():
            raise error(mq.PSRC_FLOW_PROJECT, f"there is no map {path}")
        if file not in self._maps:
            owner = self.workspace.project_of(path)

            def find(name: str) -> Path | None:
                found = None if owner is None else self.workspace.find(owner, name)
                return None if found is None else found[1]

            around = MapSurroundings(find, self.stand_ins.function, self._map_model, self._routine)
            self._maps[file] = read_graphical_map(path.read_bytes(), path.name, around)
        return self._maps[file]

    def _routine(self, path: Path, name: str) -> Callable[..., Any]:
        """Return an ESQL routine that is in no module."""
        return self.library_of(path.relative_to(self.folder).as_posix()).function(str(path), name)

    def _map_model(self, path: Path) -> tuple[str, Any]:
        name = path.relative_to(self.folder).as_posix()
        return name, self.model(name)

    @property
    def databases(self) -> Any:
        """The targets of SQL statements."""
        if self._databases is None:
            from penstock.esql.database.data_sources import DataSources
            from penstock.esql.database.databases import Databases

            self._databases = Databases(DataSources().url)
        return self._databases

    def use_databases(self, databases: Any) -> None:
        """Use other data sources than those of `penstock dsn`, for tests."""
        self._databases = databases


def _flows_of(path: Path, others: dict[str, Flow]) -> dict[str, Flow]:
    """Run a Python file and return the flows it makes; other files have made `others`."""
    found: dict[str, Flow] = {}
    for value in run_file(path).values():
        if isinstance(value, Flow) and found.setdefault(value.name, value) is not value:
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: two flows are called {value.name!r}", flow=value.name)
    for name in found.keys() & others.keys():
        raise error(mq.PSRC_FLOW_PROJECT, f"{path}: another file has a flow {name!r} too", flow=name)
    return found
