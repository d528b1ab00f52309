"""Pass: legal but probably wrong: = NULL, a missing [], field names that differ only in case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import LIST_FUNCTIONS
from penstock.esql.syntax.expressions import Call, Comparison, Literal
from penstock.esql.syntax.paths import FieldReference, PlainName
from penstock.esql.syntax.program import Routine
from penstock.esql.syntax.select import SelectSource
from penstock.esql.syntax.statements import For, Set

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit
    from penstock.esql.syntax.node import Node


def check_traps(unit: Unit) -> None:
    """Report comparisons with NULL, missing [], and field names that differ only in case."""
    cases = _CaseDifferences(unit)
    for placed in unit.placed:
        statement = placed.statement
        for node in placed.nodes:
            _check_node(unit, node)
            if isinstance(node, FieldReference):
                cases.see(node)
        if isinstance(statement, For) and isinstance(statement.source, FieldReference):
            _check_list(unit, statement.source, "FOR")
        elif isinstance(statement, Set):
            _check_list_target(unit, statement)
        elif isinstance(statement, Routine):
            cases = _CaseDifferences(unit)


def _check_node(unit: Unit, node: Node) -> None:
    if isinstance(node, Comparison):
        if node.operator in ("=", "<>") and any(_is_null(each) for each in (node.left, node.right)):
            word = "IS NULL" if node.operator == "=" else "IS NOT NULL"
            unit.find("W340", "a comparison with NULL is never true", node, f"write {word}")
    elif isinstance(node, Call):
        if not node.schema and node.name.upper() in LIST_FUNCTIONS and id(node) not in unit.routines:
            for argument in node.arguments:
                if isinstance(argument, FieldReference):
                    _check_list(unit, argument, node.name.upper())
    elif isinstance(node, SelectSource) and isinstance(node.value, FieldReference):
        _check_list(unit, node.value, "FROM")


def _is_null(node: Node) -> bool:
    return isinstance(node, Literal) and node.kind == "NULL"


def _check_list(unit: Unit, path: FieldReference, what: str) -> None:
    if path.is_list or (path.root or "").upper() == "DATABASE":
        return
    variable = unit.variables.get(id(path))
    if len(path.steps) == 1 and (variable is None or what != "CARDINALITY"):
        return  # a whole variable may hold a list
    unit.find("W341", f"{what} works on a list", path, "write the path with [] at its end")


def _check_list_target(unit: Unit, node: Set) -> None:
    if isinstance(node.value, FieldReference) and node.value.is_list and not node.target.is_list:
        unit.find("W341", "a list is assigned to a single field", node, "write the target with [] at its end")


@dataclass(slots=True)
class _Named:
    """A field as it was first written, other spellings that were reported, and the fields below it."""

    first: str
    at: int
    reported: set[str] = field(default_factory=set)
    below: dict[str, _Named] = field(default_factory=dict)


class _CaseDifferences:
    """Compares the names under the same parent, within one routine."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.roots: dict[str, _Named] = {}

    def see(self, node: FieldReference) -> None:
        """Compare the names of one path with those before it."""
        names = self.roots
        for step in node.steps:
            if not isinstance(step.name, PlainName):
                return
            name = step.name.text
            known = names.get(name.upper())
            if known is None:
                known = names[name.upper()] = _Named(name, step.at)
            elif known.first != name and names is not self.roots and name not in known.reported:
                known.reported.add(name)
                message = f"field {name} is written {known.first} on line {self.unit.line_of(known.at)}"
                self.unit.find_at("W342", message, step.at, "field names are case-sensitive", len(name))
            names = known.below
