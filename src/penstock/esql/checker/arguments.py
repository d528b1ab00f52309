"""Pass: calls with the wrong number of arguments, and values where an OUT parameter needs a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import EXTRACT_PARTS, FUNCTIONS, ROUND_MODES
from penstock.esql.syntax.expressions import Call
from penstock.esql.syntax.functions import Extract, Round
from penstock.esql.syntax.paths import FieldReference
from penstock.esql.syntax.statements import CallStatement

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.syntax.node import Node
    from penstock.esql.syntax.program import Routine


def check_arguments(unit: Unit) -> None:
    """Report calls that do not match the called routine."""
    for placed in unit.placed:
        statement = placed.statement
        if isinstance(statement, CallStatement) and (found := unit.routines.get(id(statement))):
            _check_routine(unit, statement, found)
        for node in placed.nodes:
            _check_node(unit, node)


def _check_node(unit: Unit, node: Node) -> None:
    if isinstance(node, Call):
        routine = unit.routines.get(id(node))
        if routine is not None:
            _check_routine(unit, node, routine)
        elif not node.schema and node.name.upper() in FUNCTIONS:
            _check_builtin(unit, node)
    elif isinstance(node, Extract) and node.part not in EXTRACT_PARTS:
        unit.find("E203", f"EXTRACT knows no part {node.part}", node, "YEAR, MONTH, DAY, HOUR ...")
    elif isinstance(node, Round) and node.mode not in ROUND_MODES:
        unit.find("E203", f"ROUND knows no mode {node.mode}", node, ", ".join(sorted(ROUND_MODES)))


def _check_routine(unit: Unit, node: Call | CallStatement, routine: Routine) -> None:
    wanted = len(routine.parameters)
    most = wanted + (routine.result_sets or 0)
    given = len(node.arguments)
    if not wanted <= given <= most:
        unit.find("E204", f"{routine.name} takes {_count(wanted, most)}, not {given}", node)
    for parameter, argument in zip(routine.parameters, node.arguments, strict=False):
        if parameter.direction in ("OUT", "INOUT") and not isinstance(argument, FieldReference):
            message = f"{parameter.direction} parameter {parameter.name} needs a variable or a field"
            unit.find("E205", message, argument)


def _check_builtin(unit: Unit, node: Call) -> None:
    least, most, _ = FUNCTIONS[node.name.upper()]
    given = len(node.arguments)
    if given < least or (most is not None and given > most):
        unit.find("E204", f"{node.name} takes {_count(least, most)}, not {given}", node)


def _count(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} argument{'' if least == 1 else 's'}"
    amount = str(least) if least == most else f"{least} to {most}"
    return f"{amount} argument{'' if most == 1 else 's'}"
