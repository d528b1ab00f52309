"""The flow files of a workspace as flows by name. An unreadable file is listed; the others still load.

A flow is named by its schema and file; if two projects have one of the same name, the later is called
`project/name`. Files with entries and exits are subflows: they run only inside others.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from penstock.flow.importer.building import Importer
from penstock.flow.importer.overrides import Overrides, read_broker_xml
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from penstock.flow.graph.graph import Flow
    from penstock.flow.importer.workspace import Workspace, WorkspaceProject
    from penstock.flow.node import Node
    from penstock.flow.stand_ins import StandIns

BROKER_XML = "META-INF/broker.xml"


class FlowFiles:
    """Flows of files; `refused` has the unreadable ones, by path."""

    def __init__(
        self,
        workspace: Workspace,
        overrides: Overrides | None,
        node_classes: dict[str, type[Node]],
        stand_ins: StandIns | None,
    ) -> None:
        self.workspace = workspace
        self.refused: dict[Path, MQError] = {}
        deployed = self._deployed()
        if overrides is not None:
            deployed.add(overrides)
        self.importer = Importer(workspace, deployed, node_classes, stand_ins)

    def _deployed(self) -> Overrides:
        """Return the overrides that came with an unpacked BAR file."""
        found = Overrides()
        for project in self.workspace.projects:
            for name, path in project.of_ending("broker.xml"):
                if name.endswith(BROKER_XML):
                    try:
                        found.add(read_broker_xml(path.read_bytes(), name))
                    except MQError as raised:
                        self.refused[path] = raised
        return found

    @cached_property
    def paths(self) -> dict[str, tuple[WorkspaceProject, str, Path]]:
        """The path of each flow, by its name; subflows are left out."""
        found: dict[str, tuple[WorkspaceProject, str, Path]] = {}
        for project, name, path in self.workspace.flow_files():
            try:
                description = self.importer.describe(name, path)
            except MQError as raised:
                self.refused[path] = raised
                continue
            if not description.is_subflow:
                found[self._free_name(description.name, project, found)] = project, name, path
        return found

    def _free_name(self, name: str, project: WorkspaceProject, taken: Container[str]) -> str:
        """Return a flow's name, prefixed with its project or the project's folder if it is taken."""
        folder = project.folder.relative_to(self.workspace.folder).as_posix()
        names = [name, f"{project.name}/{name}", f"{folder}/{name}"]
        return next((each for each in names if each not in taken), f"{folder}/{name}")

    def flow(self, name: str) -> Flow:
        """Return a flow by its name."""
        project, inside, path = self.paths[name]
        flow = self.importer.build(project, inside, path)
        flow.name = name
        return flow

    def flows(self) -> dict[str, Flow]:
        """Return all flows by name."""
        return {name: self.flow(name) for name in self.paths}
