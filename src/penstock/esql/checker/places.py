"""Pass: statements in the wrong place: labels, RESIGNAL, PROPAGATE, RETURN, trees of other nodes, Main."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import COMPUTE_TREES, OTHER_TREES
from penstock.esql.runtime.terminals import TERMINALS, advice
from penstock.esql.syntax.expressions import Literal, Unary
from penstock.esql.syntax.paths import FieldReference
from penstock.esql.syntax.program import Module, Routine
from penstock.esql.syntax.statements import (
    Declare,
    Empty,
    Iterate,
    Leave,
    Propagate,
    Resignal,
    Return,
    Statement,
)

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.checker.walks import Surroundings
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.node import Node

_DIGITS_MAX = 1000  # for a number that is not a terminal
_ENTRY = "MAIN"


def check_places(unit: Unit) -> None:
    """Report statements that are not allowed in their position."""
    for placed in unit.placed:
        _check_statement(unit, placed.statement, placed.around)
        module = placed.around.module
        if module is not None and module.kind != "DATABASEEVENT":
            _check_trees(unit, placed.nodes, module)


def _check_statement(unit: Unit, node: Statement, around: Surroundings) -> None:
    if isinstance(node, Module):
        _check_module(unit, node)
    elif isinstance(node, (Leave, Iterate)):
        _check_label(unit, node, around)
    elif isinstance(node, Resignal) and not around.handler:
        unit.find("E231", "RESIGNAL works only inside a handler", node)
    elif isinstance(node, Propagate):
        _check_propagate(unit, node, around)
    elif isinstance(node, Return) and around.routine is not None:
        _check_return(unit, node, around.routine, around.module)
    elif around.routine is None and not isinstance(node, (Module, Routine, Declare, Empty)):
        unit.find("E234", "statements are only allowed inside functions and procedures", node)


def _check_propagate(unit: Unit, node: Propagate, around: Surroundings) -> None:
    if around.module is not None and around.module.kind == "FILTER":
        unit.find("E232", "a Filter module cannot PROPAGATE", node, "its RETURN chooses the terminal")
    terminal = _literal(node.terminal)
    if node.terminal is not None and terminal is not None and terminal not in TERMINALS:
        near = str(terminal).lower()
        likely = f"write '{near}': names of terminals are case-sensitive" if near in TERMINALS else advice()
        unit.find("W336", f"there is no terminal {terminal!r}", node.terminal, likely)


def _literal(node: Expression | None) -> str | int | None:
    """Return the text or number of a literal, None for anything else."""
    if isinstance(node, Unary) and node.operator == "-":
        number = _literal(node.operand)
        return -number if isinstance(number, int) else None
    if isinstance(node, Literal) and node.kind == "INTEGER":
        return int(node.text) if node.text.isdecimal() and len(node.text) < _DIGITS_MAX else None
    return node.text if isinstance(node, Literal) and node.kind == "CHARACTER" else None


def _check_module(unit: Unit, node: Module) -> None:
    if node.kind == "DATABASEEVENT":
        return
    if not any(isinstance(each, Routine) and each.name.upper() == _ENTRY for each in node.body):
        likely = "CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN .. END;"
        unit.find("W309", f"module {node.name} has no function Main", node, likely)


def _check_label(unit: Unit, node: Leave | Iterate, around: Surroundings) -> None:
    labels = around.labels if isinstance(node, Leave) else around.loops
    if node.label.upper() not in [label.upper() for label in labels]:
        word = "LEAVE" if isinstance(node, Leave) else "ITERATE"
        likely = f"labels here: {', '.join(labels)}" if labels else "write label: before the loop"
        unit.find("E230", f"{word} {node.label}: no loop around this has that label", node, likely)


def _check_return(unit: Unit, node: Return, routine: Routine, module: Module | None) -> None:
    if node.value is None and routine.name.upper() == _ENTRY and module is not None:
        unit.find("E233", "Main has to return TRUE or FALSE", node, "write RETURN TRUE; or RETURN FALSE;")
    elif node.value is None and routine.returns is not None:
        unit.find("W332", f"{routine.name} returns {routine.returns.name}; this returns NULL", node)
    elif node.value is not None and routine.returns is None:
        unit.find("W333", f"{routine.name} has no RETURNS; the value is lost", node)


def _check_trees(unit: Unit, nodes: list[Node], module: Module) -> None:
    compute = module.kind == "COMPUTE"
    wrong = OTHER_TREES - COMPUTE_TREES if compute else COMPUTE_TREES - OTHER_TREES
    for node in nodes:
        if isinstance(node, FieldReference) and id(node) not in unit.variables:
            name = node.root or ""
            if name.upper() in wrong and len(node.steps) > 1:
                likely = f"in a Compute module it is Input{name} or Output{name}" if compute else ""
                message = f"{name} does not exist in a {module.kind.capitalize()} module"
                unit.find("W310", message, node, likely, len(name))
