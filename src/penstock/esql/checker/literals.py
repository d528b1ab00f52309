"""Pass: literals without a valid value: DATE '2024-02-30', and invalid indexes: a[0], and
domains that do not exist: DOMAIN 'SQL'.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from penstock.esql.runtime.values.literals import literal
from penstock.esql.syntax.expressions import Literal, Unary
from penstock.esql.syntax.paths import Index
from penstock.esql.syntax.tree_statements import CreateField
from penstock.model.errors import MQError
from penstock.tree import domain_names

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.syntax.expressions import Expression

_ALWAYS_ONE = frozenset(("CHARACTER", "BOOLEAN", "NULL"))


def check_literals(unit: Unit) -> None:
    """Report literals without a valid value."""
    for placed in unit.placed:
        if isinstance(placed.statement, CreateField):
            _check_domain(unit, placed.statement)
        for node in placed.nodes:
            if isinstance(node, Literal) and node.kind not in _ALWAYS_ONE:
                try:
                    literal(node.kind, node.text, node.qualifier)
                except MQError as problem:
                    unit.find("E225", problem.detail, node)
            elif isinstance(node, Index) and node.value is not None and _is_no_place(node.value):
                unit.find(
                    "E206", "an index counts from 1", node.value, "[<] is the last, [<2] the one before it"
                )


def _check_domain(unit: Unit, node: CreateField) -> None:
    if not isinstance(node.domain, Literal) or node.domain.kind != "CHARACTER" or not node.domain.text:
        return
    names = domain_names()
    if node.domain.text not in names:
        near = difflib.get_close_matches(node.domain.text.upper(), names, 1)
        likely = f"did you mean {near[0]}?" if near else ""
        unit.find("E225", f"no domain is called {node.domain.text!r}", node.domain, likely)


def _is_no_place(index: Expression) -> bool:
    if isinstance(index, Unary):
        return index.operator == "-" and isinstance(index.operand, Literal)
    return isinstance(index, Literal) and index.kind == "INTEGER" and not index.text.strip("0 ")
