"""The declarations of a set of files: schemas with their variables, routines and modules.

Built before any name is resolved, so that a routine may be used above its declaration or in another file.
Names are matched exactly first, then without regard to case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from penstock.esql.syntax.program import Module, Routine
from penstock.esql.syntax.statements import Declare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.esql.parser.program import Parsed

T = TypeVar("T")
SchemaName = tuple[str, ...]


class Names(Generic[T]):
    """A table of names: exact matches first, then a match that is unique without regard to case."""

    __slots__ = ("exact", "folded")

    def __init__(self) -> None:
        self.exact: dict[str, T] = {}
        self.folded: dict[str, list[str]] = {}

    def add(self, name: str, value: T) -> T | None:
        """Add a name; if it is taken, keep and return the existing value."""
        if name in self.exact:
            return self.exact[name]
        self.exact[name] = value
        self.folded.setdefault(name.upper(), []).append(name)
        return None

    def get(self, name: str) -> tuple[T, str] | None:
        """Return the value and the name as it was declared."""
        if name in self.exact:
            return self.exact[name], name
        near = self.folded.get(name.upper(), ())
        return (self.exact[near[0]], near[0]) if len(near) == 1 else None


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared name. `level` is schema, module, local, parameter, loop or correlation."""

    name: str
    type: str
    level: str
    at: int
    constant: bool = False
    shared: bool = False
    external: bool = False


@dataclass(slots=True)
class Scope:
    """The declarations of a schema or a module."""

    name: str
    variables: Names[Variable] = field(default_factory=Names)
    routines: Names[Routine] = field(default_factory=Names)
    modules: Names[Module] = field(default_factory=Names)


@dataclass(slots=True)
class Duplicate:
    """A name that was declared twice at schema level; `first` is the file of the declaration that counts."""

    what: str
    name: str
    file: str
    at: int
    first: str


@dataclass(slots=True)
class Catalogue:
    """All schemas by name, and what is declared twice in them."""

    schemas: dict[SchemaName, Scope] = field(default_factory=dict)
    duplicates: list[Duplicate] = field(default_factory=list)
    files: dict[int, str] = field(default_factory=dict)  # by id of a declaration

    def schema(self, name: SchemaName) -> Scope | None:
        """Return a schema; names of schemas are compared without regard to case."""
        return self.schemas.get(fold(name))


def fold(name: SchemaName) -> SchemaName:
    """Return a schema's name as the catalogue keeps it."""
    return tuple(part.upper() for part in name)


def build_catalogue(files: Iterable[Parsed]) -> Catalogue:
    """Return the declarations of all files together."""
    catalogue = Catalogue()
    for parsed in files:
        name = parsed.program.schema
        scope = catalogue.schemas.setdefault(fold(name), Scope(".".join(name)))
        for statement in parsed.program.body:
            if isinstance(statement, Declare):
                for variable in variables_of(statement, "schema"):
                    _note(
                        catalogue, parsed, "variable", scope.variables, variable.name, variable, statement.at
                    )
            elif isinstance(statement, Routine):
                _note(catalogue, parsed, "routine", scope.routines, statement.name, statement, statement.at)
            elif isinstance(statement, Module):
                _note(catalogue, parsed, "module", scope.modules, statement.name, statement, statement.at)
    return catalogue


def _note(
    catalogue: Catalogue, parsed: Parsed, what: str, names: Names[T], name: str, value: T, at: int
) -> None:
    file = parsed.source.name
    taken = names.add(name, value)
    if taken is None:
        catalogue.files[id(value)] = file
    else:
        catalogue.duplicates.append(Duplicate(what, name, file, at, catalogue.files[id(taken)]))


def variables_of(statement: Declare, level: str) -> list[Variable]:
    """Return the variables that a DECLARE makes."""
    constant = statement.constant or statement.external or statement.type.name in ("NAMESPACE", "NAME")
    return [
        Variable(
            name, statement.type.name, level, statement.at, constant, statement.shared, statement.external
        )
        for name in statement.names
    ]


def module_scope(module: Module) -> Scope:
    """Return the declarations of a module; the pass `duplicates` finds duplicates."""
    scope = Scope(module.name)
    for statement in module.body:
        if isinstance(statement, Declare):
            for variable in variables_of(statement, "module"):
                scope.variables.add(variable.name, variable)
        elif isinstance(statement, Routine):
            scope.routines.add(statement.name, statement)
    return scope
