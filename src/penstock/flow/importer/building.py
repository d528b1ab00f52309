"""Turns descriptions into flows: nodes by the table, subflows by the workspace, values by promotion and
override.

Unknown things in a file do not stop the rest: a node that cannot be made becomes `Unavailable` with its
reason, and everything left out is noted on the flow (`Flow.notes`), by node. Only a completely unreadable
file raises.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.graph.graph import Flow, Terminal, connect
from penstock.flow.graph.validation import Finding
from penstock.flow.importer.description import SINK, SOURCE
from penstock.flow.importer.node_making import NotAvailable, make_node
from penstock.flow.importer.node_table import ROWS
from penstock.flow.importer.row import flag
from penstock.flow.importer.xmi import read_flow, terminal_name
from penstock.flow.nodes.subflow import Input, Output, Subflow
from penstock.flow.nodes.unavailable import Unavailable
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.importer.description import FlowDescription, NodeDescription, WireDescription
    from penstock.flow.importer.overrides import Overrides
    from penstock.flow.importer.workspace import Workspace, WorkspaceProject
    from penstock.flow.node import Node
    from penstock.flow.stand_ins import StandIns

SUBFLOW_DEPTH_MAX = 50
SUBFLOWS_MAX = 2_000  # uses of subflows in one flow, nested ones included
COORDINATED, INSTANCES = "coordinatedTransaction", "additionalInstances"  # of a flow, in a BAR
INSTANCES_MAX = 256
NUMBERS = ("EInt", "ELong", "EShort", "EIntegerObject", "EBigInteger")


@dataclass
class Importer:
    """Makes flows from the files of a workspace; each file is read once."""

    workspace: Workspace
    overrides: Overrides
    node_classes: dict[str, type[Node]]
    stand_ins: StandIns | None
    subflows: int = 0  # that the flow in the making uses
    _described: dict[Path, FlowDescription] = field(default_factory=dict)

    def describe(self, name: str, path: Path) -> FlowDescription:
        """Return the description of a flow file; 8361 if it cannot be read."""
        if path not in self._described:
            try:
                content = path.read_bytes()
            except OSError as raised:
                raise error(mq.PSRC_FLOW_IMPORT, f"{path}: {raised.strerror}") from raised
            self._described[path] = read_flow(content, name)
        return self._described[path]

    def build(self, project: WorkspaceProject, name: str, path: Path) -> Flow:
        """Return the flow of a file with everything that it refers to."""
        description = self.describe(name, path)
        overrides = self.overrides.of_flow(description.name)
        self.subflows = 0
        flow = Building(self, project, description, [path]).build(overrides)
        for value in overrides.taken([COORDINATED]).values():
            flow.coordinated = flag(value)
        for value in overrides.taken([INSTANCES]).values():
            flow.additional_instances = self._instances(flow, value)
        flow.overridden = overrides.used()
        unused = "an override names nothing in the flow"
        flow.notes += [Finding("warning", key, unused) for key in overrides.unused()]
        return flow

    def _instances(self, flow: Flow, value: str) -> int:
        if value.strip().isdigit() and int(value) < INSTANCES_MAX:
            return int(value)
        text = f"{INSTANCES} {value!r} is not a number below {INSTANCES_MAX}"
        flow.notes.append(Finding("warning", flow.name, text))
        return 0


class Building:
    """One flow being built; `files` are the enclosing files, the outermost first."""

    def __init__(
        self, importer: Importer, project: WorkspaceProject, description: FlowDescription, files: list[Path]
    ) -> None:
        self.importer = importer
        self.workspace = importer.workspace
        self.node_classes = importer.node_classes
        self.project = project
        self.description = description
        self.files = files
        self.flow = Flow(description.name)
        self.made: dict[str, Node] = {}
        self.types = {each.id: each.type for each in description.nodes}

    def build(self, overrides: Overrides) -> Flow:
        """Make nodes, then wires, then promoted properties."""
        values = self._values(overrides)
        for each in sorted(self.description.nodes, key=lambda each: each.reference not in (SOURCE, SINK)):
            self.made[each.id] = self.flow.add(self._node(self._valued(each, values, overrides), overrides))
        for wire in self.description.wires:
            self._wire(wire)
        self._promote()
        return self.flow

    def note(self, node: str, text: str) -> None:
        """Record an omission."""
        self.flow.notes.append(Finding("warning", node, text))

    # -- values ----------------------------------------------------------------------------

    def _values(self, overrides: Overrides) -> dict[str, str]:
        """Return the flow's own properties: defaults of the file, then those of its use or deployment."""
        values = {name: value for name, value in self.description.defaults.items() if value}
        values.update(overrides.taken(self.description.defaults))
        promoted = {each.name for each in self.description.promotions}
        for name, value in self.description.defaults.items():
            if name in self.description.user_defined or name not in promoted:
                self.flow.properties[name] = self._typed(name, values.get(name, value))
        return values

    def _typed(self, name: str, value: str) -> Any:
        kind = self.description.types.get(name, "")
        try:
            if kind in NUMBERS:
                return int(value or 0)
        except ValueError:
            self.note(self.description.name, f"property {name} is a number, not {value!r}")
        if kind in ("EBoolean", "EBooleanObject"):
            return value.lower() == "true"
        return value

    def _valued(self, node: NodeDescription, values: dict[str, str], overrides: Overrides) -> NodeDescription:
        """Return a node with the values that promotion and overrides give it."""
        given = {
            each.attribute: values[each.name]
            for each in self.description.promotions
            if node.id in each.nodes and each.name in values
        }
        if not node.is_subflow:
            row = ROWS.get(node.type)
            given.update(overrides.of_node(node.label, row.knows if row is not None else lambda _: True))
        return node.with_properties(given) if given else node

    def _promote(self) -> None:
        """Let promoted properties be set on the flow in Python too, if they map to one property of a node."""
        for each in self.description.promotions:
            targets = []
            for identity in each.nodes:
                node = self.made.get(identity)
                row = ROWS.get(self.types.get(identity, ""))
                argument = "" if row is None else row.properties.get(each.attribute, ("",))[0]
                if node is not None and argument in node.properties():
                    targets.append((node, argument))
            if targets:
                known = self.flow.promoted.get(each.name)
                self.flow.promote(each.name, *(known.targets if known else ()), *targets)

    # -- nodes -----------------------------------------------------------------------------

    def _node(self, node: NodeDescription, overrides: Overrides) -> Node:
        if node.reference == SOURCE:
            return Input(terminal_name(node.id))
        if node.reference == SINK:
            return Output(terminal_name(node.id))
        try:
            if node.is_subflow:
                return self._subflow(node, overrides)
            return make_node(node, self)
        except NotAvailable as raised:
            return self._unavailable(node, raised.reason)
        except MQError as raised:
            return self._unavailable(node, str(raised))

    def _unavailable(self, node: NodeDescription, reason: str) -> Node:
        wires = self.description.wires
        return Unavailable(
            node.type,
            reason,
            inputs=tuple(dict.fromkeys(wire.input for wire in wires if wire.target == node.id)),
            outputs=tuple(dict.fromkeys(wire.output for wire in wires if wire.source == node.id)),
            name=node.label,
        )

    def _subflow(self, node: NodeDescription, overrides: Overrides) -> Node:
        found = self.workspace.find(self.project, node.reference)
        if found is None:
            raise NotAvailable(f"there is no {node.reference} in this project or beside it")
        project, path = found
        if path in self.files:
            raise NotAvailable(f"subflow {node.reference} contains itself")
        if len(self.files) > SUBFLOW_DEPTH_MAX:
            raise NotAvailable(f"more than {SUBFLOW_DEPTH_MAX} subflows within each other")
        self.importer.subflows += 1
        if self.importer.subflows > SUBFLOWS_MAX:
            raise NotAvailable(f"the flow uses subflows more than {SUBFLOWS_MAX} times")
        description = self.importer.describe(node.reference, path)
        inner = overrides.below(node.label, node.properties)
        flow = Building(self.importer, project, description, [*self.files, path]).build(inner)
        self.flow.notes += [
            Finding(each.severity, f"{node.label}.{each.node}", each.text) for each in flow.notes
        ]
        return Subflow(flow, name=node.label)

    # -- wires -----------------------------------------------------------------------------

    def _wire(self, wire: WireDescription) -> None:
        source, target = self.made.get(wire.source), self.made.get(wire.target)
        if source is None or target is None:
            ends = f"from {wire.output} of {wire.source!r} to {wire.input} of {wire.target!r}"
            self.note(self.flow.name, f"a connection leads to a node that is not there: {ends}")
            return
        output, entry = wire.output, self._entry(wire.target, wire.input)
        if output not in source.outputs:
            self.note(source.name, f"has no output terminal {output!r}: its targets are never reached")
        elif entry not in target.inputs:
            self.note(target.name, f"has no input terminal {entry!r}: messages wired to it never arrive")
        else:
            connect(Terminal(source, output, "out"), Terminal(target, entry, "in"))

    def _entry(self, identity: str, name: str) -> str:
        """Return our name of an input terminal; a placeholder keeps the file's name."""
        row = ROWS.get(self.types[identity])
        if row is None or isinstance(self.made[identity], Unavailable):
            return name
        return row.inputs.get(name, name)
