"""Positions of a flow's nodes in a picture: layers from left to right, few crossings.

A node's layer is the length of the longest path to it, ignoring wires that lead back. Within a layer, nodes
are ordered by the mean position of their neighbours, in a few passes in both directions (Sugiyama's method).
The joints of subflows are not drawn: a wire goes from node to node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.graph.flattening import flatten
from penstock.flow.nodes.subflow import Input, Output

if TYPE_CHECKING:
    from penstock.flow.graph.graph import Flow

SWEEPS = 6


class Line(NamedTuple):
    """A wire of the picture."""

    source: str
    output: str
    target: str
    input: str


class Layout(NamedTuple):
    """Labels in layers, the types of the nodes, and the wires between them."""

    layers: list[list[str]]
    types: dict[str, str]
    lines: list[Line]

    def places(self) -> dict[str, tuple[int, int]]:
        """Return (layer, position in the layer), by label."""
        return {label: (x, y) for x, layer in enumerate(self.layers) for y, label in enumerate(layer)}


def lay_out(flow: Flow) -> Layout:
    """Return the layout of a flow, with its subflows expanded."""
    flat = flatten(flow)
    inside = {label.rpartition(".")[0] for label in flat.nodes if "." in label}
    joints = {
        label
        for label, node in flat.nodes.items()
        if isinstance(node, (Input, Output)) and label.rpartition(".")[0] in inside and "." in label
    }
    lines = _joined([Line(*wire) for wire in flat.wires], joints)
    labels = [label for label in flat.nodes if label not in joints]
    types = {label: type(flat.nodes[label]).__name__ for label in labels}
    return arranged(types, lines)


def arranged(types: dict[str, str], lines: list[Line]) -> Layout:
    """Return the layout of any graph: labels with their types, and the lines between them."""
    layers = _layers(list(types), lines)
    return Layout(_ordered(layers, lines), types, lines)


def _joined(lines: list[Line], joints: set[str]) -> list[Line]:
    """Return lines without joints: a line to a joint becomes lines to all its targets."""
    onward: dict[str, list[Line]] = {}
    for line in lines:
        onward.setdefault(line.source, []).append(line)
    found: list[Line] = []
    for line in lines:
        if line.source in joints:
            continue
        waiting, seen = [line], set()
        while waiting:
            each = waiting.pop()
            if each.target not in joints:
                found.append(each)
            elif each.target not in seen:
                seen.add(each.target)
                waiting += [
                    Line(line.source, line.output, further.target, further.input)
                    for further in reversed(onward.get(each.target, []))
                ]
    return found


def _layers(labels: list[str], lines: list[Line]) -> list[list[str]]:
    forward = _without_rings(labels, lines)
    depth = dict.fromkeys(labels, 0)
    for label in _sorted(labels, forward):
        for target in forward[label]:
            depth[target] = max(depth[target], depth[label] + 1)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for label in labels:
        layers[depth[label]].append(label)
    return layers


def _without_rings(labels: list[str], lines: list[Line]) -> dict[str, list[str]]:
    """Return the targets of each node, except those that lead back to it."""
    onward: dict[str, list[str]] = {label: [] for label in labels}
    for line in lines:
        if line.target not in onward[line.source]:
            onward[line.source].append(line.target)
    done: set[str] = set()
    for start in labels:
        path: dict[str, None] = {}
        stack = [(start, list(onward[start]))] if start not in done else []
        while stack:
            label, rest = stack[-1]
            path[label] = None
            if not rest:
                done.add(label)
                path.pop(label, None)
                stack.pop()
                continue
            target = rest.pop(0)
            if target in path:
                onward[label].remove(target)
            elif target not in done:
                stack.append((target, list(onward[target])))
    return onward


def _sorted(labels: list[str], onward: dict[str, list[str]]) -> list[str]:
    """Return labels in an order in which every node precedes its targets."""
    waiting = dict.fromkeys(labels, 0)
    for targets in onward.values():
        for target in targets:
            waiting[target] += 1
    ready = [label for label in labels if not waiting[label]]
    found = []
    while ready:
        label = ready.pop(0)
        found.append(label)
        for target in onward[label]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return found


def _ordered(layers: list[list[str]], lines: list[Line]) -> list[list[str]]:
    near: dict[str, list[str]] = {}
    for line in lines:
        near.setdefault(line.target, []).append(line.source)
        near.setdefault(line.source, []).append(line.target)
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            at = {label: y for each in layers for y, label in enumerate(each)}
            means = {
                label: sum(at[other] for other in near[label]) / len(near[label])
                if near.get(label)
                else at[label]
                for label in layer
            }
            layer.sort(key=lambda label: means[label])
    return layers
