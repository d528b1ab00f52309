"""The statements of a program as a list, with the surroundings and the nodes of each.

Made once for each file, for the passes that need no scopes. The walk has its own stack.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from penstock.esql.syntax.node import Node, children
from penstock.esql.syntax.program import Module, Program, Routine
from penstock.esql.syntax.statements import Begin, DeclareHandler, For, Loop, Repeat, Statement, While

LOOPS = (While, Repeat, Loop, For)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of a statement. `labels` are those that LEAVE may name here; `loops` those for
    ITERATE.
    """

    module: Module | None = None
    routine: Routine | None = None
    atomic: bool = False
    handler: bool = False
    labels: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()


@dataclass(slots=True)
class Placed:
    """A statement with its surroundings; `nodes` are those of its expressions, not of inner statements."""

    statement: Statement
    around: Surroundings
    nodes: list[Node] = field(default_factory=list)


def place_statements(program: Program) -> list[Placed]:
    """Return every statement of a program with its surroundings, parents first."""
    found: list[Placed] = []
    nowhere = Surroundings()
    pending: list[tuple[Node, Surroundings, list[Node]]] = [
        (each, nowhere, []) for each in reversed(program.body)
    ]
    while pending:
        node, around, nodes = pending.pop()
        if isinstance(node, Statement):
            placed = Placed(node, around)
            found.append(placed)
            around, nodes = _inside(node, around), placed.nodes
        else:
            nodes.append(node)
        below = [(each, around, nodes) for each in children(node)]
        below.reverse()
        pending += below
    return found


def _inside(node: Statement, around: Surroundings) -> Surroundings:
    if isinstance(node, Module):
        return Surroundings(module=node)
    if isinstance(node, Routine):
        return Surroundings(module=around.module, routine=node)
    if isinstance(node, DeclareHandler):
        return replace(around, handler=True)
    if isinstance(node, Begin):
        around = replace(around, atomic=True) if node.atomic else around
        return replace(around, labels=(*around.labels, node.label)) if node.label else around
    if isinstance(node, LOOPS) and node.label:
        return replace(around, labels=(*around.labels, node.label), loops=(*around.loops, node.label))
    return around
