"""Pass: incompatible types, where they are certain.

The tables of implicit casts decide: a comparison of a pair they do not list is an error; arithmetic on text
and || on numbers are warnings, because the value may be convertible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.type_of import DATES, NUMBERS, SCALARS, type_of
from penstock.esql.runtime.casts.cast import assign
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax.paths import FieldReference
from penstock.esql.syntax.select import Select
from penstock.esql.syntax.statements import Declare, If, Repeat, Return, Set, Statement, While
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.checker.walks import Surroundings

_TEXTUAL = frozenset(("CHARACTER", "BLOB", "BIT"))


def check_types(unit: Unit) -> None:
    """Report operators, conditions and assignments with incompatible types."""
    for placed in unit.placed:
        for node in placed.nodes:
            if isinstance(node, tree.Expression):
                _check_expression(unit, node)
        _check_statement(unit, placed.statement, placed.around)


def _check_statement(unit: Unit, node: Statement, around: Surroundings) -> None:
    if isinstance(node, If):
        for branch in node.branches:
            _check_condition(unit, branch.test)
    elif isinstance(node, (While, Repeat)):
        _check_condition(unit, node.test)
    elif isinstance(node, Set) and not node.part:
        _check_fit(unit, type_of(unit, node.target), node.value)
    elif isinstance(node, Declare) and node.initial is not None:
        _check_fit(unit, node.type.name, node.initial)
    elif isinstance(node, Return) and around.routine is not None and around.routine.returns is not None:
        _check_fit(unit, around.routine.returns.name, node.value)


def _check_expression(unit: Unit, node: tree.Expression) -> None:
    if isinstance(node, FieldReference):
        variable = unit.variables.get(id(node))
        if len(node.steps) > 1 and variable is not None and variable.type in SCALARS:
            message = f"{variable.name} is {variable.type} and has no fields"
            unit.find("E224", message, node, "", len(node.root or ""))
    elif isinstance(node, tree.Chain):
        _check_chain(unit, node)
    elif isinstance(node, tree.Unary):
        if node.operator == "NOT":
            _check_condition(unit, node.operand)
    elif isinstance(node, tree.Comparison):
        _check_comparison(unit, node)
    elif isinstance(node, Select):
        _check_condition(unit, node.where)


def _check_condition(unit: Unit, node: tree.Expression | None) -> None:
    kind = type_of(unit, node)
    if node is not None and kind and kind != "BOOLEAN":
        unit.find("E220", f"a condition has to be BOOLEAN, this is {kind}", node)


def _check_chain(unit: Unit, node: tree.Chain) -> None:
    operator = node.operators[0]
    for operand in node.operands:
        kind = type_of(unit, operand)
        if operator in ("AND", "OR"):
            _check_condition(unit, operand)
        elif operator == "||":
            if kind and kind not in _TEXTUAL:
                likely = "CAST it AS CHARACTER first"
                unit.find("W320", f"|| joins CHARACTER, BLOB or BIT, this is {kind}", operand, likely)
        elif kind in ("BOOLEAN", "BLOB", "BIT"):
            unit.find("E221", f"arithmetic does not work on {kind}", operand)
        elif kind == "CHARACTER":
            likely = "text is joined with ||" if operator == "+" else "CAST it to a number first"
            unit.find("W321", "arithmetic on CHARACTER", operand, likely)


def _check_comparison(unit: Unit, node: tree.Comparison) -> None:
    left, right = type_of(unit, node.left), type_of(unit, node.right)
    if left and right and not _comparable(left, right):
        unit.find("E222", f"{left} cannot be compared with {right}", node)
    else:
        _check_text(unit, right, node.left)
        _check_text(unit, left, node.right)


def _check_text(unit: Unit, wanted: str, node: tree.Expression) -> None:
    """Report a text literal that cannot be converted to the type it is compared with or assigned to."""
    if wanted not in NUMBERS | {"BOOLEAN"} or not isinstance(node, tree.Literal) or node.kind != "CHARACTER":
        return
    try:
        assign(wanted, node.text)
    except MQError:
        unit.find("W322", f"'{node.text}' is no {wanted}", node)


def _comparable(left: str, right: str) -> bool:
    if left == right or "CHARACTER" in (left, right) or {left, right} <= NUMBERS:
        return True
    if {left, right} <= {"TIME", "GMTTIME"} or {left, right} <= {"DATE", "TIMESTAMP", "GMTTIMESTAMP"}:
        return True
    return {left, right} <= {"BLOB", "BIT"}


def _check_fit(unit: Unit, wanted: str, value: tree.Expression | None) -> None:
    kind = type_of(unit, value)
    if value is None or not kind or not wanted:
        return
    if (
        (wanted == "BOOLEAN" and kind in NUMBERS | DATES)
        or (kind == "BOOLEAN" and wanted in NUMBERS | DATES)
        or (wanted in DATES and kind in NUMBERS)
    ):
        unit.find("E223", f"{kind} cannot become {wanted}", value)
    _check_text(unit, wanted, value)
