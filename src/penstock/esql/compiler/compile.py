"""The entrance: sources in, a Library out; bad ESQL is refused as a whole, with every finding.

Files are compiled together, because they call each other. With a cache folder, sources that were
compiled before by this compiler and this Python are not even parsed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.check import checked, examine
from penstock.esql.compiler.cache import Cache
from penstock.esql.compiler.code_objects import compile_lines
from penstock.esql.compiler.files import write_file
from penstock.esql.compiler.layout import lay_out
from penstock.esql.findings import render
from penstock.esql.library import CompiledFile, EntryPoint, Library
from penstock.esql.source import Source
from penstock.esql.syntax.program import Module, Routine
from penstock.model.constants_reasons import PSRC_ESQL_REFUSED
from penstock.model.errors import EsqlError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.esql.checker.unit import Unit
    from penstock.esql.compiler.layout import FileLayout

FINDINGS_SHOWN = 20
ENTRY = "MAIN"
EXPRESSION_FILE = "expression"


def compile_sources(sources: Iterable[Source], cache: Path | None = None) -> Library:
    """Return the modules of files that belong together; raise 8201 with all findings if one is wrong."""
    given = list(sources)
    kept = None if cache is None else Cache(cache)
    found = None if kept is None else kept.load(given)
    if found is None:
        found = _compile(given)
        if kept is not None:
            kept.save(given, found)
    return Library(found)


def compile_expression(text: str, name: str = EXPRESSION_FILE, returns: str = "BOOLEAN") -> Library:
    """Return a library with module `Expression`: what a Filter node with a lone expression runs."""
    head = f"CREATE FILTER MODULE Expression CREATE FUNCTION Main() RETURNS {returns} RETURN "
    return compile_sources([Source(name, f"{head}{text.strip().rstrip(';')}\n; END MODULE;")])


def _compile(sources: list[Source]) -> list[CompiledFile]:
    units = examine(sources)
    _refuse(units)
    layout = lay_out(units)
    written = [write_file(layout, file) for file in layout.files.values()]
    _refuse(units)
    return [
        CompiledFile(
            file.file, python, compile_lines(python, lines, file.file), tuple(lines), entry_points(file)
        )
        for file, (python, lines) in zip(layout.files.values(), written, strict=True)
    ]


def _refuse(units: list[Unit]) -> None:
    found = [(unit, finding) for unit in units for finding in checked(unit).errors]
    if not found:
        return
    shown = [render(unit.source, finding) for unit, finding in found[:FINDINGS_SHOWN]]
    if len(found) > FINDINGS_SHOWN:
        shown.append(f"and {len(found) - FINDINGS_SHOWN} more")
    text = f"the ESQL has {len(found)} error{'s' if len(found) > 1 else ''}\n" + "\n".join(shown)
    findings = tuple((unit.source.name, finding) for unit, finding in found)
    raise EsqlError(PSRC_ESQL_REFUSED, text, {"findings": findings})


def entry_points(file: FileLayout) -> tuple[EntryPoint, ...]:
    """Return the modules of a file with the Python functions that they can be entered by."""
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
