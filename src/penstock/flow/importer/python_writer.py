"""Flows written as Python, as a person would write them, with `flow.add` and `>>`.

Made from the `Flow` itself, so that it includes everything the importer made. Only arguments that differ from
their defaults are written. Subflows become functions above the flow, one for each different use. What was
left out becomes a comment in its position. Names and texts of a flow are untrusted: they are written as
literals or as one comment line, never as code.
"""

from __future__ import annotations

import inspect
import keyword
import re
from typing import TYPE_CHECKING, Any

from penstock.flow import nodes
from penstock.flow.nodes.subflow import Input, Output, Subflow

if TYPE_CHECKING:
    from penstock.flow.graph.graph import Flow, Wire
    from penstock.flow.node import Node

LINE = 100
_TERMINAL_WORDS = frozenset({*keyword.kwlist, "in", "name", "flow", "kind", "missing"})


def python_of(flow: Flow, source: str = "") -> str:
    """Return a Python file that makes a flow."""
    writer = _Writer()
    body = writer.flow(flow, "flow")
    own = sorted(writer.own)
    head = _docstring(f"Flow {flow.name}{f', made from {source}' if source else ''}.") + "\n\n"
    imports = "from penstock.flow import Flow, nodes\n"
    for module, name in own:
        imports += f"from {module} import {name}\n"
    functions = "".join(f"\n\n{text}" for text in writer.functions.values())
    return f"{head}{imports}{functions}\n{'' if not functions else chr(10)}" + "\n".join(body) + "\n"


class _Writer:
    def __init__(self) -> None:
        self.functions: dict[str, str] = {}  # by name
        self.own: set[tuple[str, str]] = set()

    def flow(self, flow: Flow, name: str) -> list[str]:
        """Return the lines that make a flow in a variable."""
        properties = f", properties={literal(flow.properties)}" if flow.properties else ""
        coordinated = ", coordinated=True" if flow.coordinated else ""
        more = flow.additional_instances
        instances = f", additional_instances={more}" if more else ""
        lines = [f"{name} = Flow({literal(flow.name)}{properties}{coordinated}{instances})"]
        names = _variables(flow, {name})
        notes: dict[str, list[str]] = {}
        for each in flow.notes:
            notes.setdefault(each.node, []).append(each.text)
        for node in flow.nodes:
            lines += [_remark(f"left out: {text}") for text in notes.pop(node.name, ())]
            lines += self._added(name, names[node], node)
        for label, texts in notes.items():
            lines += [_remark(f"left out at {label}: {text}") for text in texts]
        lines += [_wired(wire, names) for wire in flow.wires]
        for promoted in flow.promoted.values():
            targets = "".join(
                f", ({names[node]}, {literal(attribute)})" for node, attribute in promoted.targets
            )
            lines.append(f"{name}.promote({literal(promoted.name)}{targets})")
        return lines

    def _added(self, flow: str, variable: str, node: Node) -> list[str]:
        if isinstance(node, Subflow):
            call = f"nodes.Subflow({self._function(node)}())"
        else:
            call = self._call(node)
        line = f"{variable} = {flow}.add({call}, {literal(node.name)})"
        if len(line) <= LINE:
            return [line]
        return [f"{variable} = {flow}.add(", f"    {call},", f"    {literal(node.name)},", ")"]

    def _call(self, node: Node) -> str:
        made = type(node)
        if getattr(nodes, made.__name__, None) is made:
            name = f"nodes.{made.__name__}"
        else:
            self.own.add((made.__module__, made.__name__))
            name = made.__name__
        return f"{name}({', '.join(_arguments(node))})"

    def _function(self, node: Subflow) -> str:
        """Return the name of the function that makes a subflow; the same text is written once."""
        body = "\n".join(f"    {line}" for line in self.flow(node.definition, "flow"))
        base = _identifier(node.definition.name.rpartition(".")[2])
        number = 1
        while True:
            name = base if number == 1 else f"{base}_{number}"
            text = (
                f"def {name}() -> Flow:\n"
                f"    {_docstring(f'Make subflow {node.definition.name}.')}\n{body}\n    return flow\n"
            )
            if self.functions.setdefault(name, text) == text:
                return name
            number += 1


def _arguments(node: Node) -> list[str]:
    """Return the arguments of a node's constructor that differ from their defaults."""
    found: list[str] = []
    properties = {**node.properties(), "inputs": node.inputs, "outputs": node.outputs}
    by_place = True
    for name, parameter in inspect.signature(type(node)).parameters.items():
        if name == "name" and not isinstance(node, (Input, Output)):
            continue
        value = node.name if name == "name" else properties.get(name, parameter.default)
        by_place = by_place and parameter.kind != parameter.KEYWORD_ONLY
        if value is parameter.empty or value == parameter.default:
            by_place = False
        else:
            text = literal(value)
            found.append(text if by_place else f"{name}={text}")
    return found


def literal(value: Any) -> str:
    """Return a value as a person would write it: double quotes, named tuples as tuples."""
    if isinstance(value, str):
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text and "\\'" not in text else text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(name)}: {literal(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def _docstring(text: str) -> str:
    """Return a docstring of one line; names are untrusted, so nothing in the text can end it."""
    return '"""' + repr(text)[1:-1].replace('"', '\\"') + '"""'


def _remark(text: str) -> str:
    """Return a comment of one line, whatever is in the text."""
    return "# " + "".join(each if each.isprintable() else "?" for each in " ".join(text.split()))


def _variables(flow: Flow, taken: set[str]) -> dict[Node, str]:
    """Return a variable name for every node."""
    found: dict[Node, str] = {}
    used = set(taken) | {"nodes", "Flow"}
    for node in flow.nodes:
        base = name = _identifier(node.name)
        number = 2
        while name in used:
            name, number = f"{base}_{number}", number + 1
        used.add(name)
        found[node] = name
    return found


def _identifier(label: str) -> str:
    """Return a Python name for a label: `Change it` becomes `change_it`."""
    name = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label)).strip("_").lower()
    if not name or not name.isidentifier() or keyword.iskeyword(name):
        name = f"node_{name}"
    return name if name.isidentifier() else "node"


def _wired(wire: Wire, names: dict[Node, str]) -> str:
    source = _terminal(names[wire.source], wire.output, wire.source)
    return f"{source} >> {_terminal(names[wire.target], wire.input, wire.target)}"


def _terminal(variable: str, name: str, node: Node) -> str:
    if (name in _TERMINAL_WORDS or name in node.properties()) and name.isidentifier():
        return f"{variable}.{name}_"
    return f"{variable}.{name}" if name.isidentifier() else f"{variable}.terminal({literal(name)})"
