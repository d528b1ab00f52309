"""From sources to compiled files: examined together, laid out, written as Python; refused on errors.

Called by `compile` for sources that are not in the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.check import checked, examine
from penstock.esql.compiler.code_objects import TooDeep, compile_lines
from penstock.esql.compiler.files import write_file
from penstock.esql.compiler.layout import lay_out
from penstock.esql.findings import render
from penstock.esql.library import CompiledFile, EntryPoint
from penstock.esql.syntax.program import Module, Routine
from penstock.model import constants as mq
from penstock.model.errors import EsqlError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

    from penstock.esql.checker.check import Checked
    from penstock.esql.checker.unit import Unit
    from penstock.esql.compiler.layout import FileLayout
    from penstock.esql.source import Source

FINDINGS_SHOWN = 20


def compile_all(sources: list[Source]) -> list[CompiledFile]:
    """Compile related files; raise 8201 with all findings if one has errors."""
    units = examine(sources)
    _refuse(units)
    files = list(_written(units))
    _refuse(units)
    return files


def check_all(sources: list[Source]) -> list[Checked]:
    """Check files together, including whether they can be compiled; nothing is stored."""
    units = examine(sources)
    for _ in _written(units):
        pass
    return [checked(unit) for unit in units]


def _written(units: list[Unit]) -> Iterator[CompiledFile]:
    """Yield the files that can be compiled; the units of the others get a finding."""
    layout = lay_out(units)
    for file in layout.files.values():
        if checked(file.unit).errors:
            continue
        python, lines = write_file(layout, file)
        code = None if checked(file.unit).errors else _code(file, python, lines)
        if code is not None:
            parts = (tuple(lines), entry_points(file), shared_names(file))
            yield CompiledFile(file.file, python, code, *parts)


def _code(file: FileLayout, python: str, lines: list[int]) -> CodeType | None:
    """Compile the generated Python; Python's own nesting limits become a finding."""
    try:
        return compile_lines(python, lines, file.file)
    except TooDeep as found:
        at = file.unit.source.line_starts[found.line - 1]
        file.unit.find_at("E114", f"too deep for one routine: {found}", at, "put parts of it into routines")
        return None


def _refuse(units: list[Unit]) -> None:
    found = [(unit, finding) for unit in units for finding in checked(unit).errors]
    if not found:
        return
    shown = [render(unit.source, finding) for unit, finding in found[:FINDINGS_SHOWN]]
    if len(found) > FINDINGS_SHOWN:
        shown.append(f"and {len(found) - FINDINGS_SHOWN} more")
    text = f"the ESQL has {len(found)} error{'s' if len(found) > 1 else ''}\n" + "\n".join(shown)
    findings = tuple((unit.source.name, finding) for unit, finding in found)
    raise EsqlError(mq.PSRC_ESQL_REFUSED, text, {"findings": findings})


def shared_names(file: FileLayout) -> tuple[str, ...]:
    """Return the SHARED variables of a file."""
    return tuple(
        place.name
        for scope in file.scopes.values()
        for place in scope.variables.values()
        if place.declare.shared
    )


def entry_points(file: FileLayout) -> tuple[EntryPoint, ...]:
    """Return the modules of a file with the Python functions of their entry points."""
    schema = ".".join(file.unit.program.schema)
    found = []
    for statement in file.unit.program.body:
        if isinstance(statement, Module):
            routines = {
                each.name.upper(): file.routines[id(each)]
                for each in statement.body
                if isinstance(each, Routine)
            }
            found.append(EntryPoint(statement.name, schema, statement.kind, routines))
    routines = {
        each.name.upper(): file.routines[id(each)]
        for each in file.unit.program.body
        if isinstance(each, Routine)
    }
    return (*found, EntryPoint("", schema, "SCHEMA", routines))
