"""The entry point: checks many files together, so that schemas, PATH and libraries across files are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.checker.arguments import check_arguments
from penstock.esql.checker.assignments import check_assignments
from penstock.esql.checker.catalogue import Catalogue, build_catalogue
from penstock.esql.checker.declarations import check_declarations
from penstock.esql.checker.duplicates import check_duplicates
from penstock.esql.checker.formats import check_formats
from penstock.esql.checker.likely_mistakes import check_traps
from penstock.esql.checker.literals import check_literals
from penstock.esql.checker.places import check_places
from penstock.esql.checker.reachability import check_reachability
from penstock.esql.checker.resolution import resolve
from penstock.esql.checker.types import check_types
from penstock.esql.checker.unit import Unit
from penstock.esql.checker.unused import check_unused
from penstock.esql.checker.walks import place_statements
from penstock.esql.parser.program import Parsed, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.esql.findings import Finding
    from penstock.esql.source import Source

# `resolve` comes first: the others read what it found.
PASSES: tuple[Callable[[Unit], None], ...] = (
    resolve,
    check_duplicates,
    check_declarations,
    check_assignments,
    check_arguments,
    check_types,
    check_reachability,
    check_places,
    check_traps,
    check_formats,
    check_literals,
    check_unused,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A file after the check: errors and warnings, each in the order of the source."""

    parsed: Parsed
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


def check(sources: Iterable[Source]) -> list[Checked]:
    """Parse and check files together, in the order given.

    >>> from penstock.esql.source import Source
    >>> text = "CREATE PROCEDURE p() BEGIN SET x = 1; END;"
    >>> [error.text for error in check([Source("a.esql", text)])[0].errors]
    ['x is not declared']
    """
    return [checked(unit) for unit in examine(sources)]


def examine(sources: Iterable[Source]) -> list[Unit]:
    """Do what `check` does and return the results of each file for the compiler."""
    files = [parse(source) for source in sources]
    catalogue = build_catalogue(files)
    return [_examine_file(parsed, catalogue) for parsed in files]


def _examine_file(parsed: Parsed, catalogue: Catalogue) -> Unit:
    unit = Unit(parsed, catalogue, place_statements(parsed.program))
    for each in PASSES:
        each(unit)
    return unit


def checked(unit: Unit) -> Checked:
    """Return the findings of a file in order."""
    found = sorted({*unit.parsed.findings, *unit.findings}, key=lambda each: (each.at, each.code))
    errors = tuple(each for each in found if each.is_error)
    return Checked(unit.parsed, errors, tuple(each for each in found if not each.is_error))
