"""Pass: changes to constants, CONSTANT parameters and input trees; SHARED without ATOMIC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import READ_ONLY_TREES
from penstock.esql.syntax.paths import FieldReference
from penstock.esql.syntax.statements import CallStatement, Set, Statement
from penstock.esql.syntax.tree_statements import Attach, CreateField, DeleteField, Detach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.esql.checker.unit import Unit
    from penstock.esql.checker.walks import Surroundings
    from penstock.esql.syntax.expressions import Expression


def check_assignments(unit: Unit) -> None:
    """Report assignments to targets that cannot or should not be changed."""
    for placed in unit.placed:
        for target in _targets(unit, placed.statement):
            if isinstance(target, FieldReference):
                _check_target(unit, target, placed.around)


def _targets(unit: Unit, node: Statement) -> Iterator[Expression | None]:
    """Yield the paths that a statement changes."""
    if isinstance(node, (Set, CreateField, DeleteField, Attach)):
        yield node.target
    elif isinstance(node, Detach):
        yield node.reference
    elif isinstance(node, CallStatement):
        yield node.into
        routine = unit.routines.get(id(node))
        if routine is not None:
            for parameter, argument in zip(routine.parameters, node.arguments, strict=False):
                if parameter.direction in ("OUT", "INOUT"):
                    yield argument


def _check_target(unit: Unit, target: FieldReference, around: Surroundings) -> None:
    name = target.root or ""
    variable = unit.variables.get(id(target))
    if variable is None:
        if name.upper() in READ_ONLY_TREES and (around.module is None or around.module.kind == "COMPUTE"):
            likely = f"change Output{name[5:]} instead" if name[:5].lower() == "input" else ""
            unit.find("W307", f"{name} cannot be changed", target, likely, len(name))
        return
    if variable.constant and variable.type != "REFERENCE":
        what = "EXTERNAL and therefore constant" if variable.external else "a constant"
        unit.find("E214", f"{name} is {what}", target, "", len(name))
    elif variable.shared and not around.atomic:
        likely = "put what reads and changes it into BEGIN ATOMIC .. END"
        unit.find("W308", f"SHARED {name} is changed outside BEGIN ATOMIC", target, likely, len(name))
