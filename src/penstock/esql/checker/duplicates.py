"""Pass: duplicate declarations. In one file they are an error; across files, maybe of two projects, a
warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.program import Module, Routine
from penstock.esql.syntax.statements import Declare

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit


def check_duplicates(unit: Unit) -> None:
    """Report duplicate routines, modules, module variables and parameters."""
    for each in unit.catalogue.duplicates:
        if each.file == unit.source.name:
            if each.first == each.file:
                unit.find_at("E210", f"{each.what} {each.name} is declared twice in this file", each.at)
            else:
                unit.find_at("W304", f"{each.what} {each.name} is declared in {each.first} too", each.at)
    for statement in unit.program.body:
        if isinstance(statement, Module):
            _check_module(unit, statement)
        elif isinstance(statement, Routine):
            _check_parameters(unit, statement)


def _check_module(unit: Unit, module: Module) -> None:
    seen: dict[str, int] = {}
    for statement in module.body:
        names: tuple[str, ...] = ()
        if isinstance(statement, Declare):
            names = statement.names
        elif isinstance(statement, Routine):
            names = (f"{statement.name}()",)
            _check_parameters(unit, statement)
        for name in names:
            if name in seen:
                unit.find("E210", f"{name} is declared already on line {unit.line_of(seen[name])}", statement)
            seen.setdefault(name, statement.at)


def _check_parameters(unit: Unit, routine: Routine) -> None:
    seen: set[str] = set()
    for parameter in routine.parameters:
        if parameter.name in seen:
            unit.find("E210", f"parameter {parameter.name} is declared twice", parameter)
        seen.add(parameter.name)
