"""Values known at compile time: literals and constants made from them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.bindings import UNKNOWN_VALUE
from penstock.esql.runtime.casts import cast as casts
from penstock.esql.runtime.values.literals import literal
from penstock.esql.syntax.expressions import Literal, Unary
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.statements import Declare

_PLAIN = (int, float, str, bytes, bool, type(None))


def constant_value(declare: Declare) -> Any:
    """Return the value that a constant has for all messages, or UNKNOWN_VALUE."""
    value = known_value(declare.initial)
    wanted = declare.type.name
    if value is UNKNOWN_VALUE or wanted in ("ROW", "REFERENCE", "LIST"):
        return UNKNOWN_VALUE
    if wanted in ("NAMESPACE", "NAME"):
        wanted = "CHARACTER"
    try:
        return casts.assign(wanted, value) if value is not None and wanted != "INTERVAL" else value
    except MQError:
        return UNKNOWN_VALUE  # it fails at run time, where the line is known


def known_value(node: Expression | None) -> Any:
    """Return the value of an expression that is a literal, or UNKNOWN_VALUE."""
    if isinstance(node, Literal):
        return _literal_value(node)
    if isinstance(node, Unary) and node.operator == "-":
        value = known_value(node.operand)
        return -value if type(value) in (int, float, Decimal) else UNKNOWN_VALUE
    return UNKNOWN_VALUE


def _literal_value(node: Literal) -> Any:
    try:
        return literal(node.kind, node.text, node.qualifier)
    except MQError:
        return UNKNOWN_VALUE


def is_plain(value: Any) -> bool:
    """Whether Python has a literal for a value; others are made once, as constants."""
    return type(value) in _PLAIN and not (type(value) is float and value - value != 0.0)
