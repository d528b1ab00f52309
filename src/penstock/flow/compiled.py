"""A flow ready to run: flat, checked, with a way to start instances of it.

`CompiledFlow.start(ports)` makes an `Instance`: every node started once, from the ends of the flow to its
beginnings, each with the functions behind its terminals. A message then runs depth first through plain
function calls. Taps and observers are wrapped around nodes and wires only where somebody asked for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.deployment import Deployment
from penstock.flow.context_trees import ContextTrees
from penstock.flow.failing import guarded
from penstock.flow.flattening import flatten
from penstock.flow.instance import Instance
from penstock.flow.node import FAILURE, IN, InputNode
from penstock.flow.nodes.label import Label
from penstock.flow.place import Place
from penstock.flow.project import Project
from penstock.flow.validation import findings
from penstock.model.constants_reasons import PSRC_FLOW_GRAPH
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.flow.assembly import Assembly
    from penstock.flow.flattening import FlatWire
    from penstock.flow.graph import Flow
    from penstock.flow.kinds import Kind
    from penstock.flow.node import Node, Process
    from penstock.flow.ports import Ports

    Tap = Callable[[Place, Process], Process]
    Observer = Callable[[FlatWire, Assembly], None]


class CompiledFlow:
    """A flow that was checked; `warnings` are findings that do not stop it."""

    def __init__(self, flow: Flow, project: Project | None = None) -> None:
        self.flow = flow
        self.name = flow.name
        self.project = project or Project()
        self.flat = flatten(flow)
        found = [*findings(flow.name, self.flat, self.project, coordinated=flow.coordinated), *flow.notes]
        wrong = [str(each) for each in found if each.severity == "error"]
        if wrong:
            raise error(PSRC_FLOW_GRAPH, f"flow {flow.name} cannot run\n" + "\n".join(wrong), findings=found)
        self.warnings = found

    @property
    def inputs(self) -> dict[str, InputNode]:
        """The input nodes by label."""
        return {label: node for label, node in self.flat.nodes.items() if isinstance(node, InputNode)}

    @property
    def driven(self) -> dict[str, Node]:
        """The nodes that need a listener, by label: the inputs, and those with timers of their own."""
        return {label: node for label, node in self.flat.nodes.items() if node.is_driven}

    @property
    def state_queues(self) -> list[str]:
        """The queues where nodes keep their state."""
        return sorted({queue for node in self.flat.nodes.values() for queue in node.state_queues})

    @property
    def kind(self) -> Kind:
        """The kind of the furthest-reaching node."""
        return max(node.reach(self.project) for node in self.flat.nodes.values())

    def new_deployment(self, databases: Any = None) -> Deployment:
        """Return what the instances of this flow share in one process: SHARED and user-defined properties."""
        return Deployment(
            properties=self.flow.properties, routines=self.project.routines, databases=databases
        )

    def start(
        self,
        ports: Ports,
        *,
        deployment: Deployment | None = None,
        tap: Tap | None = None,
        observer: Observer | None = None,
        **names: str,
    ) -> Instance:
        """Start an instance: `tap` may wrap each node's function, `observer` sees what every wire carries."""
        instance = Instance(self, ports, deployment or self.new_deployment(self.project.databases), **names)
        if any(node.reads_context(self.project) for node in self.flat.nodes.values()):
            instance.context_trees = ContextTrees(instance)
        _Starting(self, instance, tap, observer).start_all()
        return instance


class _Starting:
    """Starts nodes from the end: a node's wires are there before the node."""

    def __init__(
        self, flow: CompiledFlow, instance: Instance, tap: Tap | None, observer: Observer | None
    ) -> None:
        self.flow = flow
        self.instance = instance
        self.tap = tap
        self.observer = observer
        self.started: dict[str, Mapping[str, Process]] = {}

    def start_all(self) -> None:
        for label, node in self.flow.flat.nodes.items():
            if isinstance(node, InputNode):
                self.instance.places[label] = self._place(label, node)
            else:
                self._processes(label, node)
            if isinstance(node, Label):
                self.instance.labels[node.label] = self._processes(label, node)[IN]

    def _processes(self, label: str, node: Node) -> Mapping[str, Process]:
        if label not in self.started:
            place = self._place(label, node)
            begun = node.start(place)
            by_input: Mapping[str, Process] = begun if not callable(begun) else {IN: begun}
            self.started[label] = {
                name: self._finished(label, node, process, place) for name, process in by_input.items()
            }
        return self.started[label]

    def _finished(self, label: str, node: Node, process: Process, place: Place) -> Process:
        if self.tap is not None:
            process = self.tap(place, process)
        return guarded(process, node, label, self.flow.name, place.wire(FAILURE))

    def _place(self, label: str, node: Node) -> Place:
        wires: dict[str, list[Process]] = {}
        for wire in self.flow.flat.wires:
            if wire.source == label:
                wires.setdefault(wire.output, []).append(self._onward(wire))
        place = Place(node, label, self.instance, {name: _one(each) for name, each in wires.items()})
        self.instance.all_places[label] = place
        return place

    def _onward(self, wire: FlatWire) -> Process:
        onward = self._processes(wire.target, self.flow.flat.nodes[wire.target])[wire.input]
        if self.instance.context_trees is not None:
            onward = _observed(onward, wire, self.instance.context_trees.note)
        return onward if self.observer is None else _observed(onward, wire, self.observer)


def _one(processes: list[Process]) -> Process:
    """Return one function for all wires of a terminal: one after the other, in order."""
    if len(processes) == 1:
        return processes[0]

    def each(assembly: Assembly) -> None:
        for process in processes:
            process(assembly)

    return each


def _observed(onward: Process, wire: FlatWire, observer: Observer) -> Process:
    def observe(assembly: Assembly) -> None:
        observer(wire, assembly)
        onward(assembly)

    return observe
