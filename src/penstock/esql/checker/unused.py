"""Pass: local variables that are not used after their declaration.

Silent in a file with errors, where a misspelt name may be the use, and in a routine with EVAL, whose text may
use anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.expressions import Call
from penstock.esql.syntax.statements import Declare, Eval

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.checker.walks import Placed


def check_unused(unit: Unit) -> None:
    """Report variables of routines that are declared and never used."""
    if unit.parsed.findings or any(found.is_error for found in unit.findings):
        return
    used = {(variable.name, variable.at) for variable in unit.variables.values()}
    evaluating = {id(placed.around.routine) for placed in unit.placed if _evaluates(placed)}
    for placed in unit.placed:
        node = placed.statement
        if (
            isinstance(node, Declare)
            and placed.around.routine
            and id(placed.around.routine) not in evaluating
        ):
            for name in node.names:
                if (name, node.at) not in used:
                    unit.find("W311", f"{name} is never used", node)


def _evaluates(placed: Placed) -> bool:
    return isinstance(placed.statement, Eval) or any(
        isinstance(node, Call) and node.name.upper() == "EVAL" for node in placed.nodes
    )
