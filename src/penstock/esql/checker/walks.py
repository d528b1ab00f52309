"""Walks over the statements of a program, with what surrounds each of them.

Shared by the passes that need no scopes. The walks keep their own stacks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node, children
from penstock.esql.syntax.program import Module, Program, Routine
from penstock.esql.syntax.statements import Begin, DeclareHandler, For, Loop, Repeat, Statement, While

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPS = (While, Repeat, Loop, For)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a statement stands. `labels` are those that LEAVE may name here; `loops` those for ITERATE."""

    module: Module | None = None
    routine: Routine | None = None
    atomic: bool = False
    handler: bool = False
    labels: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()


def statements(program: Program) -> Iterator[tuple[Statement, Surroundings]]:
    """Yield every statement of a program with its surroundings, parents first."""
    pending: list[tuple[Node, Surroundings]] = [(each, Surroundings()) for each in reversed(program.body)]
    while pending:
        node, around = pending.pop()
        if isinstance(node, Statement):
            yield node, around
            around = _inside(node, around)
        pending.extend((each, around) for each in reversed(list(children(node))))


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


def own_nodes(statement: Statement) -> Iterator[Node]:
    """Yield the nodes that belong to a statement itself, not to statements inside it."""
    pending = list(reversed(list(children(statement))))
    while pending:
        node = pending.pop()
        if isinstance(node, Statement):
            continue
        yield node
        pending.extend(reversed(list(children(node))))
