"""Checks of a flow before it runs. Every finding names its node; all errors are found at once.

Errors stop a build: no input node, contradicting properties. Warnings do not: an unreachable node, an unknown
label, a wire that leads back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.graph.cycles import WAY_MAX, closing_wires, opened, turns_max
from penstock.flow.graph.graph import near
from penstock.flow.new_messages import MODELLED
from penstock.flow.node import OUT, InputNode
from penstock.flow.nodes.label import Label
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.unavailable import Unavailable
from penstock.flow.nodes.validate import Validate
from penstock.model.errors import MQError
from penstock.tree.core._domains import domain_names, domain_of_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.graph.flattening import FlatFlow
    from penstock.flow.node import Node
    from penstock.flow.project import Project

# nodes that pass on the input message unchanged
UNCHANGED = ("Filter", "FlowOrder", "Passthrough", "Route", "Trace", "TryCatch", "Validate", "Database")


class Finding(NamedTuple):
    """One error or warning."""

    severity: str  # "error", "unavailable" or "warning"
    node: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.node}: {self.text}"


def findings(name: str, flat: FlatFlow, project: Project, *, coordinated: bool = False) -> list[Finding]:
    """Return all findings about a flow, errors first."""
    found = [
        *_inputs(name, flat),
        *_properties(flat, project),
        *_rings(flat),
        *_unreached(flat),
        *_labels(flat, project),
    ]
    if not any(each.severity == "error" for each in found):
        found += _doubts(flat, project)
    found += [*_unavailable(flat), *_missing_routines(flat, project), *_stubs(flat, project)]
    found += _uncoordinated(flat) if coordinated else ()
    return sorted(found, key=lambda each: each.severity)


def _inputs(name: str, flat: FlatFlow) -> Iterator[Finding]:
    if any(isinstance(node, InputNode) for node in flat.nodes.values()):
        return
    begun = [
        (label, node)
        for label, node in flat.nodes.items()
        if isinstance(node, Unavailable) and not node.inputs
    ]
    for label, node in begun:
        yield Finding("error", label, f"the flow begins with {node.type}, which cannot be run: {node.reason}")
    if not begun:
        yield Finding("error", name, "the flow has no input node: nothing would ever run it")


def _uncoordinated(flat: FlatFlow) -> Iterator[Finding]:
    """Find inputs whose units of work cannot be coordinated, in a coordinated flow."""
    for label, node in flat.nodes.items():
        if node.is_driven and not isinstance(node, MQInput):
            text = "coordinated=True is for flows that begin with queues alone: its units are not coordinated"
            yield Finding("error", label, text)


def _properties(flat: FlatFlow, project: Project) -> Iterator[Finding]:
    """Check the properties of every node, and if they are right, what the node misses in the project."""
    for label, node in flat.nodes.items():
        wrong = [*node.check(), *_content(node, project)]
        for text in wrong or node.missing(project):
            yield Finding("error", label, text)


def _content(node: Node, project: Project) -> Iterator[str]:
    """Check the domain and the model with which a node reads messages."""
    told = node.properties()
    domain, model = told.get("domain", ""), told.get("model", "")
    if domain and domain not in domain_names():
        yield f"domain {domain!r} is not one of {', '.join(domain_names())}{near(domain, domain_names())}"
        return
    if not isinstance(model, str) or not model or isinstance(node, Validate):
        return  # a Validate compares the model that a message names
    try:
        read = project.model(model)
        if domain in MODELLED:
            type_ = str(told.get("message_type") or "").rpartition(":")[2]
            domain_of_model(domain, read, type_ or None, told.get("message_format") or None)
    except MQError as raised:
        yield raised.detail
    except OSError as raised:
        yield f"model {model}: {raised}"


def _rings(flat: FlatFlow) -> Iterator[Finding]:
    for wire in closing_wires(flat):
        text = f"its wire leads back to {wire.target}: a message may follow it {turns_max(flat)} times"
        yield Finding("warning", wire.source, text)
    if (longest := longest_way(flat)) > WAY_MAX:
        text = f"a message would pass {longest} nodes one after the other; {WAY_MAX} are the most"
        yield Finding("error", next(iter(flat.nodes)), text)


def from_the_ends(flat: FlatFlow) -> list[str]:
    """Return the labels of a flow, targets before sources; wires that close cycles do not count."""
    onward: dict[str, list[str]] = {}
    for wire in opened(flat).wires:
        onward.setdefault(wire.source, []).append(wire.target)
    done: dict[str, None] = {}
    for start in flat.nodes:
        stack = [] if start in done else [(start, iter(onward.get(start, ())))]
        while stack:
            label, rest = stack[-1]
            following = next((each for each in rest if each not in done), None)
            if following is None:
                done[label] = None
                stack.pop()
            else:
                stack.append((following, iter(onward.get(following, ()))))
    return list(done)


def longest_way(flat: FlatFlow) -> int:
    """Return how many nodes a message passes at most in a row without going round a cycle."""
    onward: dict[str, list[str]] = {}
    for wire in opened(flat).wires:
        onward.setdefault(wire.source, []).append(wire.target)
    length: dict[str, int] = {}
    for label in from_the_ends(flat):
        length[label] = 1 + max((length[each] for each in onward.get(label, ())), default=0)
    return max(length.values(), default=0)


def _unreached(flat: FlatFlow) -> Iterator[Finding]:
    reached = {wire.target for wire in flat.wires}
    for label, node in flat.nodes.items():
        if node.inputs and label not in reached and not isinstance(node, Label):
            yield Finding("warning", label, "nothing is wired to its input, so no message can reach it")


def _doubts(flat: FlatFlow, project: Project) -> Iterator[Finding]:
    """Ask every node what looks wrong in view of the messages that reach it."""
    for label, node in flat.nodes.items():
        try:
            for text in node.doubts(project, _inputs_of(flat, label)):
                yield Finding("warning", label, text)
        except MQError:
            continue  # starting the node gives a better error


def _inputs_of(flat: FlatFlow, label: str) -> list[Node]:
    """Return the inputs whose messages reach a node unchanged; none when others may reach it too."""
    found: list[Node] = []
    seen, left = {label}, [label]
    while left:
        target = left.pop()
        wires = [wire for wire in flat.wires if wire.target == target]
        if not wires:
            return []
        for wire in wires:
            node = flat.nodes[wire.source]
            if isinstance(node, InputNode) and wire.output == OUT:
                found.append(node)
            elif type(node).__name__ not in UNCHANGED:
                return []
            elif wire.source not in seen:
                seen.add(wire.source)
                left.append(wire.source)
    return found


def _unavailable(flat: FlatFlow) -> Iterator[Finding]:
    for label, node in flat.nodes.items():
        if isinstance(node, Unavailable):
            yield Finding("unavailable", label, f"{node.type}: {node.reason}")


def _stubs(flat: FlatFlow, project: Project) -> Iterator[Finding]:
    """Find nodes whose Python is a stub: every message would fail there."""
    for label, node in flat.nodes.items():
        place = getattr(node, "function", None)
        if isinstance(place, str) and project.stand_ins.is_stub_at(place):
            text = f"{place} is a stub: write what the Java did in python/"
            yield Finding("unavailable", label, text)


def _missing_routines(flat: FlatFlow, project: Project) -> Iterator[Finding]:
    """Find nodes whose ESQL calls routines in other languages that nothing here replaces."""
    for label, node in flat.nodes.items():
        file = node.properties().get("esql", "")
        for each in project.missing_routines(file) if isinstance(file, str) else ():
            function = each.external.rpartition(".")[2]
            why = project.stand_ins.problems.get(each.external, "")
            text = (
                f"routine {each.name} is {each.language} ({each.external}{why and '; '}{why}):"
                f" write {function} in python/"
            )
            yield Finding("unavailable", label, text)


def _labels(flat: FlatFlow, project: Project) -> Iterator[Finding]:
    """Find duplicate labels, and labels that a node sends to but that do not exist."""
    seen: dict[str, str] = {}
    for label, node in flat.nodes.items():
        if isinstance(node, Label):
            if node.label in seen:
                yield Finding("error", label, f"label {node.label!r} is also at {seen[node.label]}")
            seen.setdefault(node.label, label)
    for label, node in flat.nodes.items():
        for name in node.sends_to(project):
            if name not in seen:
                text = f"PROPAGATE TO LABEL {name!r}: no Label node is called so{near(name, list(seen))}"
                yield Finding("warning", label, text)
