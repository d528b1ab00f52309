"""Subflows expanded: one flat list of nodes with labels, and wires between labels.

A subflow's nodes are called `<its label>.<their name>`. Its Input and Output nodes remain as joints without
work of their own, so that every wire of the definition is a wire of the flat flow, and a subflow may be used
more than once.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.graph.graph import near
from penstock.flow.nodes.subflow import Subflow
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.flow.graph.graph import Flow
    from penstock.flow.node import Node

DEPTH_MAX = 50  # subflows within subflows
NODES_MAX = 20_000  # of a flow with all its subflows


class FlatWire(NamedTuple):
    """A wire between two labelled nodes."""

    source: str
    output: str
    target: str
    input: str


class Part(NamedTuple):
    """A subflow with user-defined properties of its own."""

    label: str
    properties: dict[str, Any]


class FlatFlow(NamedTuple):
    """Nodes by label, in order, and the wires between them."""

    nodes: dict[str, Node]
    wires: list[FlatWire]
    parts: dict[str, Part]  # by label of a node; nodes of the flow itself are not in it


def flatten(flow: Flow) -> FlatFlow:
    """Return a flow with its subflows expanded."""
    found = FlatFlow({}, [], {})
    _add(flow, "", found, 0, None, {})
    return found


def _add(
    flow: Flow,
    prefix: str,
    found: FlatFlow,
    depth: int,
    around: Part | None,
    overrides: Mapping[str, Any],
) -> None:
    if depth > DEPTH_MAX:
        raise error(mq.PSRC_FLOW_GRAPH, f"flow {flow.name}: more than {DEPTH_MAX} subflows within each other")
    part = around
    if prefix and flow.properties:
        part = Part(prefix[:-1], {**(around.properties if around else {}), **flow.properties})
    others = _overridden(flow, overrides)
    for node in flow.nodes:
        label = prefix + node.name
        if isinstance(node, Subflow):
            _add(node.definition, f"{label}.", found, depth + 1, part, node.overrides)
        else:
            if len(found.nodes) >= NODES_MAX:
                raise error(
                    mq.PSRC_FLOW_GRAPH,
                    f"flow {label.partition('.')[0]}... has more than {NODES_MAX} nodes with its subflows",
                )
            found.nodes[label] = others.get(node, node)
            if part is not None:
                found.parts[label] = part
    for wire in flow.wires:
        source, output = _source(wire.source, wire.output, prefix)
        target, input_ = _target(wire.target, wire.input, prefix)
        found.wires.append(FlatWire(source, output, target, input_))


def _overridden(flow: Flow, overrides: Mapping[str, Any]) -> dict[Node, Node]:
    """Return copies of the nodes whose promoted property one use of a subflow overrides."""
    copies: dict[Node, Node] = {}
    for name, value in overrides.items():
        if name not in flow.promoted:
            known = near(name, flow.promoted)
            raise error(mq.PSRC_FLOW_GRAPH, f"subflow {flow.name} has no promoted property {name!r}{known}")
        for node, attribute in flow.promoted[name].targets:
            copies.setdefault(node, copy(node)).set_property(attribute, value)
    return copies


def _source(node: Node, terminal: str, prefix: str) -> tuple[str, str]:
    label = prefix + node.name
    return (f"{label}.{node.exit(terminal).name}", "out") if isinstance(node, Subflow) else (label, terminal)


def _target(node: Node, terminal: str, prefix: str) -> tuple[str, str]:
    label = prefix + node.name
    return (f"{label}.{node.entry(terminal).name}", "in") if isinstance(node, Subflow) else (label, terminal)
