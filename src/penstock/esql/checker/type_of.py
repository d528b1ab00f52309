"""The type of an expression where it is certain, whatever the message holds; else nothing.

Fields of a tree have no certain type. NULL has none either: it fits everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import BARE_FUNCTIONS, FUNCTIONS, SAME_TYPE
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax.functions import AsBitStream, Extract, Overlay, Position, Round, Substring, Trim
from penstock.esql.syntax.paths import FieldReference

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit

NUMBERS = frozenset(("INTEGER", "FLOAT", "DECIMAL"))
DATES = frozenset(("DATE", "TIME", "GMTTIME", "TIMESTAMP", "GMTTIMESTAMP"))
SCALARS = NUMBERS | DATES | {"BOOLEAN", "CHARACTER", "BLOB", "BIT", "INTERVAL"}
_LITERALS = {"HEX": "INTEGER", "NULL": ""}
_TRUTHS = (tree.Comparison, tree.Is, tree.In, tree.Like, tree.Between, tree.Quantified)


def type_of(unit: Unit, node: tree.Expression | None) -> str:
    """Return the name of the type that an expression always has, or an empty text."""
    if isinstance(node, tree.Literal):
        return "" if node.text == "UNKNOWN" else _LITERALS.get(node.kind, node.kind)
    if isinstance(node, FieldReference):
        return _type_of_name(unit, node)
    if isinstance(node, _TRUTHS) or (isinstance(node, tree.Unary) and node.operator == "NOT"):
        return "BOOLEAN"
    if isinstance(node, tree.Unary):
        return type_of(unit, node.operand)
    if isinstance(node, tree.Chain):
        return _type_of_chain(unit, node)
    if isinstance(node, tree.Cast):
        return node.type.name if node.type.name in SCALARS else ""
    if isinstance(node, tree.IntervalOf):
        return "INTERVAL"
    if isinstance(node, tree.Call):
        return _type_of_call(unit, node)
    if isinstance(node, Position):
        return "INTEGER"
    if isinstance(node, AsBitStream):
        return "BLOB"
    if isinstance(node, Extract):
        return {"ISLEAPYEAR": "BOOLEAN", "SECOND": "FLOAT"}.get(node.part, "INTEGER")
    if isinstance(node, (Substring, Trim, Overlay, Round)):
        return type_of(unit, node.operand)
    return ""


def _type_of_name(unit: Unit, node: FieldReference) -> str:
    if len(node.steps) > 1 or node.steps[0].plain is None:
        return ""
    variable = unit.variables.get(id(node))
    if variable is None:
        return BARE_FUNCTIONS.get((node.root or "").upper(), "")
    if variable.type in ("NAMESPACE", "NAME"):
        return "CHARACTER"
    return variable.type if variable.type in SCALARS else ""


def _type_of_chain(unit: Unit, node: tree.Chain) -> str:
    operator = node.operators[0]
    if operator in ("AND", "OR"):
        return "BOOLEAN"
    kinds = {type_of(unit, operand) for operand in node.operands}
    if operator == "||":
        return kinds.pop() if len(kinds) == 1 else ""
    if not kinds <= NUMBERS:
        return ""
    return "FLOAT" if "FLOAT" in kinds else "DECIMAL" if "DECIMAL" in kinds else "INTEGER"


def _type_of_call(unit: Unit, node: tree.Call) -> str:
    routine = unit.routines.get(id(node))
    if routine is not None:
        return routine.returns.name if routine.returns and routine.returns.name in SCALARS else ""
    entry = FUNCTIONS.get(node.name.upper()) if not node.schema else None
    if entry and not entry[2] and node.name.upper() in SAME_TYPE and node.arguments:
        return type_of(unit, node.arguments[0])
    return entry[2] if entry else ""
