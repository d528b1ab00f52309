"""The Python name of each routine, variable and class of a set of files.

Made for all files before any is written, because routines call each other across files. A variable of a
module or schema is known at compile time (a constant with a literal), shared (SHARED and EXTERNAL: an
attribute of a class made once for a deployment) or run (made for each message).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.bindings import UNKNOWN_VALUE
from penstock.esql.compiler.literals import constant_value
from penstock.esql.compiler.names import Names
from penstock.esql.syntax.program import Module, Routine
from penstock.esql.syntax.statements import Body, Declare

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit

TOP = ""  # the key of a file's schema level among its modules


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """The storage of a module's or schema's variable; `attribute` is its name in `ScopeLayout`'s class."""

    name: str
    declare: Declare
    attribute: str
    is_shared: bool
    value: Any = UNKNOWN_VALUE


@dataclass(slots=True)
class ScopeLayout:
    """The variables of a module, or of a file's schema level, in order; names of the two classes for them."""

    run_class: str
    shared_class: str
    variables: dict[str, VariablePlace] = field(default_factory=dict)

    def of_kind(self, shared: bool) -> list[VariablePlace]:
        """Return the variables of one of the two classes."""
        known = UNKNOWN_VALUE
        return [each for each in self.variables.values() if each.is_shared == shared and each.value is known]


@dataclass(slots=True)
class FileLayout:
    """One file: its global names, its scopes by module name, its routines by the node's id."""

    unit: Unit
    names: Names
    scopes: dict[str, ScopeLayout] = field(default_factory=dict)
    routines: dict[int, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.unit.source.name


@dataclass(slots=True)
class Layout:
    """All files, and the file of each routine."""

    files: dict[str, FileLayout] = field(default_factory=dict)
    routine_files: dict[int, FileLayout] = field(default_factory=dict)


def lay_out(units: list[Unit]) -> Layout:
    """Assign a Python name to every routine and variable of the files."""
    layout = Layout()
    for unit in units:
        file = FileLayout(unit, Names())
        layout.files[file.file] = file
        _lay_out_body(layout, file, TOP, unit.program.body)
        for statement in unit.program.body:
            if isinstance(statement, Module):
                _lay_out_body(layout, file, statement.name, statement.body)
    return layout


def _lay_out_body(layout: Layout, file: FileLayout, module: str, body: Body) -> None:
    prefix = f"{module}_" if module else ""
    scope = ScopeLayout(file.names.give(f"{prefix}Variables"), file.names.give(f"{prefix}Shared"))
    attributes = Names()
    file.scopes.setdefault(module, scope)
    for statement in body:
        if isinstance(statement, Declare):
            for name in statement.names:
                place = _variable_place(name, statement, attributes.give(name))
                scope.variables.setdefault(name, place)
        elif isinstance(statement, Routine):
            file.routines[id(statement)] = file.names.give(prefix + statement.name)
            layout.routine_files[id(statement)] = file


def _variable_place(name: str, declare: Declare, attribute: str) -> VariablePlace:
    constant = declare.constant or declare.type.name in ("NAMESPACE", "NAME")
    value = UNKNOWN_VALUE
    if constant and not declare.external and not declare.shared:
        value = constant_value(declare)
    return VariablePlace(name, declare, attribute, declare.shared or declare.external, value)
