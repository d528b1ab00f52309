"""A flow ready to run: flattened, checked, and able to start instances.

`CompiledFlow.start(ports)` makes an `Instance`: every node is started once, from the ends of the flow to its
inputs, each with the functions behind its terminals. A message then runs depth first through plain function
calls. Taps and observers are wrapped around nodes and wires only if requested.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.deployment import Deployment
from penstock.flow.context_trees import ContextTrees
from penstock.flow.failing import guarded
from penstock.flow.flow_spans import OutputMarks, with_spans
from penstock.flow.graph.cycles import WAY_MAX, closing_wire, closing_wires, turns_max
from penstock.flow.graph.flattening import flatten
from penstock.flow.graph.instance import Instance
from penstock.flow.graph.node_context import NodeContext
from penstock.flow.graph.validation import Finding, findings, from_the_ends, longest_way
from penstock.flow.node import FAILURE, IN, InputNode
from penstock.flow.nodes.label import Label
from penstock.flow.ports import CollectingPorts
from penstock.flow.project import Project
from penstock.flow.running.counters import InstanceCounts
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.telemetry.spans import active

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.flattening import FlatWire
    from penstock.flow.graph.graph import Flow
    from penstock.flow.kinds import Kind
    from penstock.flow.node import Node, Process
    from penstock.flow.ports import Ports
    from penstock.flow.running.counters import Counters

    Tap = Callable[[NodeContext, Process], Process]
    Observer = Callable[[FlatWire, Assembly], None]


# Measured: 1,000 nodes take less than 1 MiB of stack, a thread has 8.
CALLS_AROUND, CALLS_A_NODE = 1_000, 10


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
            raise error(
                mq.PSRC_FLOW_GRAPH, f"flow {flow.name} cannot run\n" + "\n".join(wrong), findings=found
            )
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
        places = self.flat.nodes.items()
        return sorted({queue for label, node in places for queue in node.queues_at(self.name, label)})

    @property
    def puts_to(self) -> list[str]:
        """The queues of its own queue manager that nodes put to, as far as that is known before a message."""
        return sorted({queue for node in self.flat.nodes.values() for queue in node.puts_to()})

    @property
    def kind(self) -> Kind:
        """The kind of the furthest-reaching node."""
        return max(node.reach(self.project) for node in self.flat.nodes.values())

    def new_deployment(self, databases: Any = None) -> Deployment:
        """Return what instances share in one process: SHARED variables and user-defined properties."""
        return Deployment(
            properties=self.flow.properties,
            routines=self.project.routines,
            databases=databases,
            models=self.project.model,
            find_routine=self.project.stand_ins.named,
        )

    def trial(self) -> list[Finding]:
        """Start every node once, only to find out whether it starts; return the errors."""
        deployment = self.new_deployment(self.project.databases)
        instance = Instance(self, CollectingPorts(), deployment, is_running=False)
        return _Starting(self, instance, None, None, InstanceCounts()).try_all()

    @cached_property
    def depth(self) -> int:
        """How many nodes a message passes at most, one after the other."""
        return WAY_MAX if self.cycles else longest_way(self.flat)

    @cached_property
    def cycles(self) -> list[FlatWire]:
        """The wires that close cycles."""
        return closing_wires(self.flat)

    def start(
        self,
        ports: Ports,
        *,
        deployment: Deployment | None = None,
        tap: Tap | None = None,
        observer: Observer | None = None,
        counters: Counters | None = None,
        **names: Any,
    ) -> Instance:
        """Start an instance: `tap` may wrap each node's function, `observer` sees what every wire carries.

        `counters` has the counts of its nodes and wires.
        """
        allow_depth(self.depth)
        recording = active()
        if recording is not None and names.get("is_running", True):
            tap, ports.spans = with_spans(recording, tap), OutputMarks()
        instance = Instance(self, ports, deployment or self.new_deployment(self.project.databases), **names)
        if any(node.reads_context(self.project) for node in self.flat.nodes.values()):
            instance.context_trees = ContextTrees(instance)
        counts = InstanceCounts() if counters is None else counters.instance()
        _Starting(self, instance, tap, observer, counts).start_all()
        return instance

    def start_in(self, instance: Instance, tap: Tap) -> Mapping[str, Mapping[str, Process]]:
        """Start all nodes in an instance; return their functions, by label and input terminal."""
        starting = _Starting(self, instance, tap, None, InstanceCounts())
        starting.start_all()
        return starting.started


class _Starting:
    """Starts nodes from the ends of the flow: a node's targets exist before the node."""

    def __init__(
        self,
        flow: CompiledFlow,
        instance: Instance,
        tap: Tap | None,
        observer: Observer | None,
        counts: InstanceCounts,
    ) -> None:
        self.flow = flow
        self.instance = instance
        self.tap = tap
        self.observer = observer
        self.counts = counts
        self.started: dict[str, Mapping[str, Process]] = {}
        self.wires: dict[str, list[FlatWire]] = {}
        for wire in flow.flat.wires:
            self.wires.setdefault(wire.source, []).append(wire)

    def start_all(self) -> None:
        """Start the targets of a wire before its source, so that calls nest only one node deep."""
        for label in from_the_ends(self.flow.flat):
            node = self.flow.flat.nodes[label]
            if isinstance(node, InputNode):
                self.instance.places[label] = self._place(label, node)
            else:
                self._processes(label, node)
            if isinstance(node, Label):
                self.instance.labels[node.label] = self._processes(label, node)[IN]

    def try_all(self) -> list[Finding]:
        """Start all nodes and return why some do not start; the others start with no target in place of
        those.
        """
        found: list[Finding] = []
        for label in from_the_ends(self.flow.flat):
            node = self.flow.flat.nodes[label]
            try:
                self._place(label, node) if isinstance(node, InputNode) else self._processes(label, node)
            except Exception as raised:  # noqa: BLE001 - the edge between a project's code and ours
                text = raised.detail if isinstance(raised, MQError) else f"{type(raised).__name__}: {raised}"
                found.append(Finding("error", label, text))
                self.started[label] = {name: lambda _: None for name in node.inputs}
        return found

    def _processes(self, label: str, node: Node) -> Mapping[str, Process]:
        if label not in self.started:
            place = self._place(label, node)
            begun = node.start(place)
            by_input: Mapping[str, Process] = begun if not callable(begun) else {IN: begun}
            self.started[label] = {
                name: self._finished(label, node, process, place) for name, process in by_input.items()
            }
        return self.started[label]

    def _finished(self, label: str, node: Node, process: Process, place: NodeContext) -> Process:
        if self.tap is not None:
            process = self.tap(place, process)
        return guarded(process, node, label, self.flow.name, place.wire(FAILURE), self.counts)

    def _place(self, label: str, node: Node) -> NodeContext:
        wires: dict[str, list[Process]] = {}
        for wire in self.wires.get(label, ()):
            wires.setdefault(wire.output, []).append(self._onward(wire))
        place = NodeContext(node, label, self.instance, {name: _one(each) for name, each in wires.items()})
        self.instance.all_places[label] = place
        return place

    def _onward(self, wire: FlatWire) -> Process:
        if wire in self.flow.cycles:
            onward = closing_wire(
                lambda: self.started[wire.target][wire.input], wire, turns_max(self.flow.flat)
            )
        else:
            onward = self._processes(wire.target, self.flow.flat.nodes[wire.target])[wire.input]
        if self.instance.context_trees is not None:
            onward = _observed(onward, wire, self.instance.context_trees.note)
        if self.observer is not None:
            onward = _observed(onward, wire, self.observer)
        begins = isinstance(self.flow.flat.nodes[wire.source], InputNode)
        return self.counts.wire(onward, f"{wire.source}.{wire.output} -> {wire.target}", begins)


def allow_depth(nodes: int) -> None:
    """Allow a message to pass this many nodes in a row: each is a few nested Python calls."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), CALLS_AROUND + CALLS_A_NODE * nodes))


def _one(processes: list[Process]) -> Process:
    """Return one function for all wires of a terminal, called in order."""
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
