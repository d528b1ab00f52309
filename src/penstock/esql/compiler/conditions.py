"""Conditions: where only TRUE matters, Python's own `and`, `or` and `if` are used.

`test` gives code that is true exactly if the condition is TRUE, `refuted` if it is FALSE (NOT exchanges the
two), `truth` gives True, False or None where the value itself is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.type_of import type_of
from penstock.esql.syntax import expressions as tree

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator

_WHAT = {
    "INF": "is_infinite({})",
    "+INF": "is_infinite({}, 1)",
    "-INF": "is_infinite({}, -1)",
    "NAN": "is_nan({})",
    "NUM": "is_number({})",
    "NUMBER": "is_number({})",
}


def test(g: Generator, node: tree.Expression) -> str:
    """Return code that is true exactly if a condition is TRUE."""
    if isinstance(node, tree.Chain) and node.operators[0] in ("AND", "OR"):
        word = f" {node.operators[0].lower()} "
        return f"({word.join(test(g, operand) for operand in node.operands)})"
    if isinstance(node, tree.Unary) and node.operator == "NOT":
        return refuted(g, node.operand)
    return truth(g, node)


def refuted(g: Generator, node: tree.Expression) -> str:
    """Return code that is true exactly if a condition is FALSE."""
    if isinstance(node, tree.Chain) and node.operators[0] in ("AND", "OR"):
        word = " or " if node.operators[0] == "AND" else " and "
        return f"({word.join(refuted(g, operand) for operand in node.operands)})"
    if isinstance(node, tree.Unary) and node.operator == "NOT":
        return test(g, node.operand)
    if isinstance(node, tree.Is):
        return is_test(g, tree.Is(node.at, node.operand, node.what, not node.negated))
    return f"{truth(g, node)} is False"


def truth(g: Generator, node: tree.Expression) -> str:
    """Return code for the value of a condition: True, False or None."""
    if isinstance(node, tree.Chain) and node.operators[0] in ("AND", "OR"):
        name = g.use("values.operators", "both" if node.operators[0] == "AND" else "either")
        code = truth(g, node.operands[0])
        for operand in node.operands[1:]:
            code = f"{name}({code}, lambda: {truth(g, operand)})"
        return code
    code = g.value(node)
    if type_of(g.unit, node) == "BOOLEAN" or isinstance(node, tree.Literal):
        return code
    return f"{g.use('values.operators', 'truth_of')}({code})"


def is_test(g: Generator, node: tree.Is) -> str:
    """Return code for IS, which is never NULL."""
    word = "is not" if node.negated else "is"
    if node.what in ("TRUE", "FALSE"):
        return f"({truth(g, node.operand)} {word} {node.what.capitalize()})"
    if node.what in ("NULL", "UNKNOWN"):
        return f"({g.value(node.operand)} {word} None)"
    call = _WHAT[node.what].format(g.value(node.operand))
    g.use("values.operators", call.partition("(")[0])
    return f"(not {call})" if node.negated else call
