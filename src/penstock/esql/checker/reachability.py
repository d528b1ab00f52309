"""Pass: statements that are never reached, and functions that can end without RETURN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.node import children
from penstock.esql.syntax.program import Routine
from penstock.esql.syntax.statements import (
    Begin,
    Case,
    Declare,
    Empty,
    If,
    Iterate,
    Leave,
    Loop,
    Resignal,
    Return,
    Statement,
    Throw,
)

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit

_ENDS = (Return, Throw, Leave, Iterate, Resignal)


def check_reachability(unit: Unit) -> None:
    """Report unreachable code and missing RETURNs."""
    for placed in unit.placed:
        statement = placed.statement
        for body in _bodies(statement):
            _check_body(unit, body)
        if isinstance(statement, Routine) and not unit.parsed.findings:
            _check_end(unit, statement)


def _check_end(unit: Unit, routine: Routine) -> None:
    if routine.returns is not None and routine.body is not None and goes_on(routine.body):
        unit.find("W331", f"{routine.name} can end without RETURN; its result is then NULL", routine)


def _bodies(node: Statement) -> list[tuple[Statement, ...]]:
    found = [each.body for each in getattr(node, "branches", ())]
    for each in (getattr(node, "body", None), getattr(node, "otherwise", None)):
        if isinstance(each, tuple):
            found.append(each)
    return found


def _check_body(unit: Unit, body: tuple[Statement, ...]) -> None:
    for number, statement in enumerate(body[:-1]):
        following = body[number + 1]
        if not goes_on(statement) and not isinstance(following, (Empty, Routine)):
            unit.find("W330", "this is never reached", following)
            return


def goes_on(node: Statement) -> bool:
    """Whether the statement after this one can be reached.

    Loops always end, except LOOP without a LEAVE. A block with a label always ends, because something in it
    may leave it.
    """
    if isinstance(node, _ENDS):
        return False
    if isinstance(node, Begin):
        return node.label is not None or _body_goes_on(node.body)
    if isinstance(node, Loop):
        return node.label is not None and _leaves(node, node.label)
    if isinstance(node, (If, Case)):
        bodies = [branch.body for branch in node.branches]
        if node.otherwise is None:
            return True
        return any(_body_goes_on(body) for body in (*bodies, node.otherwise))
    return True


def _body_goes_on(body: tuple[Statement, ...]) -> bool:
    return all(goes_on(statement) for statement in body if not isinstance(statement, Declare))


def _leaves(node: Statement, label: str) -> bool:
    pending = list(children(node))
    while pending:
        each = pending.pop()
        if isinstance(each, Leave) and each.label.upper() == label.upper():
            return True
        pending.extend(children(each))
    return False
