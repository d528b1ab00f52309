"""The type of an expression where it does not depend on the message; else nothing.

Fields of a tree have no certain type. NULL has none either: it fits everywhere.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import BARE_FUNCTIONS, FUNCTIONS, SAME_TYPE
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax.functions import AsBitStream, Extract, Overlay, Position, Round, Substring, Trim
from penstock.esql.syntax.paths import FieldReference

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit

NUMBERS = frozenset(("INTEGER", "FLOAT", "DECIMAL"))
DATES = frozenset(("DATE", "TIME", "GMTTIME", "TIMESTAMP", "GMTTIMESTAMP"))
POINT = "POINT"
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
    if operator == "||":
        kinds = {type_of(unit, operand) for operand in node.operands}
        return kinds.pop() if len(kinds) == 1 else ""
    return reduce(mixed_type, (operand_type(unit, operand) for operand in node.operands))


def operand_type(unit: Unit, node: tree.Expression) -> str:
    """Return the type of an operand of arithmetic: as `type_of`, and POINT for a literal such as 1.6."""
    return type_of(unit, node) if point_literal(node) is None else POINT


def point_literal(node: tree.Expression) -> str | None:
    """Return the text of a literal with a decimal point and no exponent, with its sign; else None."""
    if isinstance(node, tree.Unary) and node.operator == "-":
        text = point_literal(node.operand)
        return f"-{text}" if text is not None else None
    is_point = isinstance(node, tree.Literal) and node.kind == "FLOAT" and node.text.upper().find("E") < 0
    return node.text if is_point and isinstance(node, tree.Literal) else None


def mixed_type(one: str, other: str) -> str:
    """Return the type of arithmetic on two types: FLOAT wins, but for a literal beside a DECIMAL.

    >>> mixed_type("DECIMAL", "FLOAT"), mixed_type("DECIMAL", POINT), mixed_type("INTEGER", POINT)
    ('FLOAT', 'DECIMAL', 'FLOAT')
    """
    kinds = {one, other}
    if kinds == {POINT, "DECIMAL"}:
        return "DECIMAL"
    if not kinds <= NUMBERS | {POINT}:
        return ""
    return "FLOAT" if kinds & {"FLOAT", POINT} else "DECIMAL" if "DECIMAL" in kinds else "INTEGER"


def _type_of_call(unit: Unit, node: tree.Call) -> str:
    routine = unit.routines.get(id(node))
    if routine is not None:
        return routine.returns.name if routine.returns and routine.returns.name in SCALARS else ""
    entry = FUNCTIONS.get(node.name.upper()) if not node.schema else None
    if entry and not entry[2] and node.name.upper() in SAME_TYPE and node.arguments:
        return type_of(unit, node.arguments[0])
    return entry[2] if entry else ""
