"""What is wrong with a flow before it runs: every finding names the node, errors are all found at once.

Errors stop a build: no input node, wires in a ring, properties that contradict each other. Warnings do not:
a node that no message can reach, a Label that no router can name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.node import InputNode
from penstock.flow.nodes.label import Label
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.unavailable import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.flattening import FlatFlow
    from penstock.flow.project import Project


class Finding(NamedTuple):
    """One thing that is wrong, or looks so."""

    severity: str  # "error", "unavailable" or "warning"
    node: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.node}: {self.text}"


def findings(name: str, flat: FlatFlow, project: Project, *, coordinated: bool = False) -> list[Finding]:
    """Return everything that is wrong with a flow, errors first."""
    found = [
        *_inputs(name, flat),
        *_properties(flat, project),
        *_rings(flat),
        *_unreached(flat),
        *_labels(flat),
    ]
    found += _unavailable(flat)
    found += _uncoordinated(flat) if coordinated else ()
    return sorted(found, key=lambda each: each.severity)


def _inputs(name: str, flat: FlatFlow) -> Iterator[Finding]:
    if not any(isinstance(node, InputNode) for node in flat.nodes.values()):
        yield Finding("error", name, "the flow has no input node: nothing would ever run it")


def _uncoordinated(flat: FlatFlow) -> Iterator[Finding]:
    """Find what begins units of work that are not coordinated, in a flow that asks for it."""
    for label, node in flat.nodes.items():
        if node.is_driven and not isinstance(node, MQInput):
            text = "coordinated=True is for flows that begin with queues alone: its units are not coordinated"
            yield Finding("error", label, text)


def _properties(flat: FlatFlow, project: Project) -> Iterator[Finding]:
    """Ask every node what is wrong with its properties, and if nothing is, what it misses in the project."""
    for label, node in flat.nodes.items():
        wrong = list(node.check())
        for text in wrong or node.missing(project):
            yield Finding("error", label, text)


def _rings(flat: FlatFlow) -> Iterator[Finding]:
    ring = ring_of(flat)
    if ring:
        yield Finding("error", ring[0], f"wires lead in a ring: {' -> '.join(ring)}")


def ring_of(flat: FlatFlow) -> list[str]:
    """Return labels along wires that lead back to where they came from, the first again at the end."""
    onward: dict[str, list[str]] = {}
    for wire in flat.wires:
        onward.setdefault(wire.source, []).append(wire.target)
    done: set[str] = set()
    for start in onward:
        path: list[str] = []
        stack = [(start, iter(onward.get(start, ())))]
        while stack:
            label, rest = stack[-1]
            if label not in path:
                path.append(label)
            following = next((each for each in rest if each not in done), None)
            if following is None:
                done.add(label)
                path.pop()
                stack.pop()
            elif following in path:
                return [*path[path.index(following) :], following]
            else:
                stack.append((following, iter(onward.get(following, ()))))
    return []


def _unreached(flat: FlatFlow) -> Iterator[Finding]:
    reached = {wire.target for wire in flat.wires}
    for label, node in flat.nodes.items():
        if node.inputs and label not in reached and not isinstance(node, Label):
            yield Finding("warning", label, "nothing is wired to its input, so no message can reach it")


def _unavailable(flat: FlatFlow) -> Iterator[Finding]:
    for label, node in flat.nodes.items():
        if isinstance(node, Unavailable):
            yield Finding("unavailable", label, f"{node.type}: {node.reason}")


def _labels(flat: FlatFlow) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for label, node in flat.nodes.items():
        if isinstance(node, Label):
            if node.label in seen:
                yield Finding("error", label, f"label {node.label!r} stands at {seen[node.label]} too")
            seen.setdefault(node.label, label)
