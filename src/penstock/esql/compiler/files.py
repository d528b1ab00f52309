"""One file as Python text: imports, constants, classes for variables, one function for each routine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler import (  # noqa: F401  (they enter themselves in the tables)
    assignments,
    calls,
    constructors,
    control,
    databases,
    expressions,
    handlers,
    queries,
    trees,
)
from penstock.esql.compiler.generator import RUNTIME, Generator, Uncompilable
from penstock.esql.compiler.layout import TOP
from penstock.esql.compiler.routines import write_routine, write_scope
from penstock.esql.syntax.program import Module, Routine

if TYPE_CHECKING:
    from penstock.esql.compiler.layout import FileLayout, Layout
    from penstock.esql.syntax.statements import Body

PLAIN_IMPORTS = ("datetime",)


def write_file(layout: Layout, file: FileLayout) -> tuple[str, list[int]]:
    """Return the Python of a file and the ESQL line of each of its lines; problems become findings."""
    g = Generator(layout, file)
    program = file.unit.program
    schema = ".".join(program.schema)
    _write_body(g, TOP, f"schema {schema}" if schema else "the default schema", program.body)
    for statement in program.body:
        if isinstance(statement, Module):
            _write_body(g, statement.name, f"module {statement.name}", statement.body)
    head = _head(g)
    lines = [1] * len(head) + g.text.esql_lines()
    return "".join(f"{line}\n" for line in head) + g.text.source(), lines


def _write_body(g: Generator, module: str, owner: str, body: Body) -> None:
    g.module = module
    try:
        write_scope(g, g.file.scopes[module], owner)
    except Uncompilable as problem:
        g.unit.find("E401", problem.message, problem.node)
    for statement in body:
        if isinstance(statement, Routine):
            depth, blocks, function = g.text.depth, list(g.blocks), g.function
            try:
                write_routine(g, statement)
            except Uncompilable as problem:
                g.unit.find("E401", problem.message, problem.node)
                g.text.depth, g.blocks, g.function = depth, blocks, function


def _head(g: Generator) -> list[str]:
    lines = [
        f'"""Python of {_shown(g.file.file)}, written by the ESQL compiler; edit the ESQL instead."""',
        "",
    ]
    code = g.text.source() + "".join(g.constants)
    if "HERE" in code:
        g.use("trees.paths", "HERE")
    lines += [f"import {name}" for name in PLAIN_IMPORTS if f"{name}." in "".join(g.constants)]
    for module in sorted(g.imports, key=lambda name: (name.startswith(RUNTIME), name)):
        lines.append(f"from {module} import {', '.join(sorted(g.imports[module]))}")
    lines.append("")
    lines += [f"{name} = library[{file!r}]" for file, name in g.libraries.items()]
    lines += [f"{name} = Path({steps})" for steps, name in g.paths.items()]
    lines += [f"{name} = {code}" for code, name in g.constants.items()]
    return [*lines, "", ""]


def _shown(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2].replace('"', "'")
