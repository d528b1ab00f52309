"""The graph of a flow: nodes, and wires between their terminals. `order.out >> large.in_` is a wire.

This is the definition, before anything runs. A program or the importer may build it, and it may be part of
another flow. `validation` reports what is wrong with it, `compiled` makes it runnable. A node belongs to one
flow; a flow may be used as a subflow any number of times.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.flow.graph.validation import Finding
    from penstock.flow.node import Node

N = TypeVar("N", bound="Node")


class Wire(NamedTuple):
    """A connection: an output terminal of one node, an input terminal of another."""

    source: Node
    output: str
    target: Node
    input: str


class Terminal:
    """One terminal of a node, where wires begin and end."""

    __slots__ = ("direction", "name", "node")

    def __init__(self, node: Node, name: str, direction: str) -> None:
        self.node = node
        self.name = name
        self.direction = direction  # "in" or "out"

    def __rshift__(self, other: Terminal) -> Terminal:
        """Wire this output to an input; returns the input, so that a chain reads from left to right."""
        connect(self, other)
        return other

    def __repr__(self) -> str:
        return f"<Terminal {self.node.name}.{self.name}>"


def connect(source: Terminal, target: Terminal) -> None:
    """Add a wire to the flow of its two nodes."""
    if source.direction != "out" or target.direction != "in":
        raise error(
            mq.PSRC_FLOW_GRAPH,
            f"a wire leads from an output to an input, not from {source.node.name}.{source.name}"
            f" to {target.node.name}.{target.name}",
        )
    flow = source.node.flow
    if flow is None or flow is not target.node.flow:
        raise error(
            mq.PSRC_FLOW_GRAPH,
            f"nodes {source.node.name} and {target.node.name} must be in one flow before they are wired",
        )
    flow.wires.append(Wire(source.node, source.name, target.node, target.name))


class Promotion(NamedTuple):
    """A property of the flow that sets a property of some of its nodes."""

    name: str
    targets: tuple[tuple[Node, str], ...]


class Flow:
    """A message flow: a name, nodes, wires, and properties.

    `properties` are user-defined: ESQL sees them as EXTERNAL variables. `promoted` properties set those of
    nodes. `coordinated` requests one transaction over queues and databases, `additional_instances` that many
    instances besides the first when it is deployed. `shared` and `effects` specify what the flow accepts on
    Spark ("cache", "at-least-once").
    """

    def __init__(
        self,
        name: str,
        *,
        properties: Mapping[str, Any] | None = None,
        coordinated: bool = False,
        additional_instances: int = 0,
        shared: str = "",
        effects: str = "",
    ) -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.wires: list[Wire] = []
        self.properties: dict[str, Any] = dict(properties or {})
        self.promoted: dict[str, Promotion] = {}
        self.notes: list[Finding] = []  # what the importer omitted
        self.overridden: frozenset[str] = frozenset()  # overrides that the importer has applied
        self.coordinated = coordinated
        self.additional_instances = additional_instances
        self.shared = shared
        self.effects = effects

    def add(self, node: N, name: str | None = None) -> N:
        """Add a node to the flow and return it; a number is appended to the name if it is taken."""
        if node.flow is not None:
            raise error(mq.PSRC_FLOW_GRAPH, f"node {node.name} is already in flow {node.flow.name}")
        node.flow = self
        node.name = self._free_name(name or node.name)
        self.nodes.append(node)
        return node

    def _free_name(self, wanted: str) -> str:
        taken = {node.name for node in self.nodes}
        if wanted not in taken:
            return wanted
        return next(name for n in range(1, len(taken) + 2) if (name := f"{wanted}{n}") not in taken)

    def node(self, name: str) -> Node:
        """Return a node by its name."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise error(mq.PSRC_FLOW_GRAPH, f"flow {self.name} has no node {name!r}{near(name, self.names())}")

    def names(self) -> list[str]:
        """Return the names of all nodes."""
        return [node.name for node in self.nodes]

    def promote(self, name: str, *targets: tuple[Node, str]) -> None:
        """Let one property of the flow set properties of nodes: `flow.promote("queue", (out, "queue"))`."""
        for node, attribute in targets:
            node.check_property(attribute)
        self.promoted[name] = Promotion(name, targets)

    def set(self, name: str, value: Any) -> None:
        """Set a property: a promoted or user-defined one by its name, a node's as `node.property`.

        Used for everything deployed with a flow (overrides of a BAR file, options of a command).
        """
        if name in self.promoted:
            for node, attribute in self.promoted[name].targets:
                node.set_property(attribute, value)
        elif name in self.properties:
            self.properties[name] = value
        elif "." in name:
            label, attribute = name.rsplit(".", 1)
            self.node(label).set_property(attribute, value)
        else:
            known = [*self.promoted, *self.properties]
            raise error(mq.PSRC_FLOW_GRAPH, f"flow {self.name} has no property {name!r}{near(name, known)}")

    def wires_from(self, node: Node, output: str) -> list[Wire]:
        """Return the wires that leave a terminal, in the order in which they were made."""
        return [wire for wire in self.wires if wire.source is node and wire.output == output]

    def __repr__(self) -> str:
        return f"<Flow {self.name}: {len(self.nodes)} nodes, {len(self.wires)} wires>"


def near(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" when a known name is close."""
    found = get_close_matches(name, list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""
