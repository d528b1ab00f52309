"""Pass: literals that have a value in form only, such as DATE '2024-02-30'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.runtime.literals import literal
from penstock.esql.syntax.expressions import Literal
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit

# Those whose text the lexer takes as it is.
_KINDS = frozenset(("DATE", "TIME", "TIMESTAMP", "GMTTIME", "GMTTIMESTAMP", "DECIMAL", "INTERVAL"))


def check_literals(unit: Unit) -> None:
    """Report literals that stand for nothing."""
    for placed in unit.placed:
        for node in placed.nodes:
            if isinstance(node, Literal) and node.kind in _KINDS:
                try:
                    literal(node.kind, node.text, node.qualifier)
                except MQError as problem:
                    unit.find("E225", problem.detail, node)
