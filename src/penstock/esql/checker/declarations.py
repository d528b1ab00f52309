"""Pass: declarations that the language does not allow: SHARED in a block, a REFERENCE without target ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.statements import Begin, Declare, DeclareHandler, Statement

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.checker.walks import Surroundings

_NOT_EXTERNAL = frozenset(("ROW", "INTERVAL", "REFERENCE"))


def check_declarations(unit: Unit) -> None:
    """Report declarations that are invalid, or invalid here."""
    for placed in unit.placed:
        statement = placed.statement
        if isinstance(statement, Declare):
            _check_declare(unit, statement, placed.around)
        elif isinstance(statement, Begin):
            _check_handlers_first(unit, statement.body)


def _check_declare(unit: Unit, node: Declare, around: Surroundings) -> None:
    local = around.routine is not None
    if node.shared and local:
        unit.find("E211", "SHARED variables are declared outside routines", node)
    if node.external and local:
        unit.find("E211", "EXTERNAL variables are declared outside routines", node)
    if node.shared and node.type.name == "REFERENCE":
        unit.find("E212", "a REFERENCE cannot be SHARED", node)
    if node.external and node.type.name in _NOT_EXTERNAL:
        unit.find("E212", f"{node.type.name} cannot be EXTERNAL", node)
    if node.type.name == "REFERENCE" and node.initial is None:
        likely = "a reference is declared with DECLARE r REFERENCE TO path"
        unit.find("E213", "a REFERENCE needs a target", node, likely)
    if node.type.name == "LIST":
        unit.find("E212", "LIST is not a type of variables", node, "use ROW and assign to row.Item[]")
    if node.constant and node.initial is None and not node.external:
        unit.find("W305", "this constant has no value and is NULL", node)


def _check_handlers_first(unit: Unit, body: tuple[Statement, ...]) -> None:
    declared_only = True
    for statement in body:
        if isinstance(statement, DeclareHandler) and not declared_only:
            unit.find("W306", "handlers are declared at the top of their block", statement)
        declared_only = declared_only and isinstance(statement, (Declare, DeclareHandler))
