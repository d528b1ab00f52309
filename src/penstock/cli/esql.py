"""`penstock esql`: tools for ESQL files.

`check` parses and checks files together, so that schemas and libraries over several files are seen. It
ends with 1 when there is an error. `show` prints the Python that files become; `test` runs pytest with the
fixture `esql`. The language itself belongs to room `esql`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.esql.checker.check import Checked
    from penstock.esql.findings import Finding

app = typer.Typer(help="Check, show and test ESQL files.", no_args_is_help=True)


@app.callback()
def esql() -> None:
    """Check, show and test ESQL files."""


@app.command("check")
def check(
    paths: Annotated[list[Path], typer.Argument(help="files, or folders with .esql files")],
    as_json: Annotated[bool, typer.Option("--json", help="answer with a JSON list of files")] = False,
) -> None:
    """Parse and check ESQL files; in a folder of projects each with those that it refers to."""
    from penstock.cli.printing import show_json
    from penstock.esql.compiler.compiling import check_all
    from penstock.esql.files import find_files, read_source
    from penstock.flow.importer.esql_scopes import scopes_of

    try:
        files = find_files(paths)
    except ValueError as refused:
        print(f"penstock: {refused}.", file=sys.stderr)
        raise typer.Exit(1) from None
    checked = []
    for own, others in scopes_of([path for path in paths if path.is_dir()], files):
        found = check_all([read_source(file) for file in [*own, *others]])
        checked += found[: len(own)]
    if as_json:
        show_json([facts_of(each) for each in checked])
    else:
        show_findings(checked)
    if any(each.errors for each in checked):
        raise typer.Exit(1)


@app.command("show")
def show(
    paths: Annotated[list[Path], typer.Argument(help="files, or folders with .esql files")],
    as_json: Annotated[bool, typer.Option("--json", help="answer with a JSON list of files")] = False,
) -> None:
    """Print the Python code that is generated from ESQL files."""
    from penstock.cli.printing import show_json
    from penstock.esql.compiler.compile import compile_sources
    from penstock.esql.files import find_files, read_source
    from penstock.model.errors import EsqlError

    try:
        library = compile_sources([read_source(file) for file in find_files(paths)])
    except (EsqlError, OSError, ValueError) as refused:
        print(f"penstock: {refused}", file=sys.stderr)
        raise typer.Exit(1) from None
    if as_json:
        show_json([{"file": each.file, "python": each.python} for each in library.files.values()])
        return
    for each in library.files.values():
        print(each.python)


@app.command("test")
def run_tests(
    paths: Annotated[list[Path], typer.Argument(help="test files, or folders with them")],
    coverage: Annotated[bool, typer.Option(help="show which ESQL lines ran")] = True,
    as_json: JsonOption = False,
) -> None:
    """Run pytest tests of ESQL modules."""
    try:
        import pytest
    except ImportError:
        print("penstock: esql test needs pytest: pip install pytest", file=sys.stderr)
        raise typer.Exit(1) from None
    options = ["-p", "penstock.esql.pytest_plugin", *(["--esql-coverage"] if coverage else [])]
    arguments = [*map(str, paths), *options]
    if as_json:
        from penstock.cli.esql_tests import run_as_json

        raise typer.Exit(run_as_json(arguments))
    raise typer.Exit(int(pytest.main(arguments)))


def facts_of(checked: Checked) -> dict[str, Any]:
    """Return the findings of a file, for programs."""
    return {
        "file": checked.parsed.source.name,
        "errors": [_finding_facts(each) for each in checked.errors],
        "warnings": [_finding_facts(each) for each in checked.warnings],
    }


def _finding_facts(found: Finding) -> dict[str, Any]:
    return {"line": found.line, "column": found.column, "code": found.code, "message": found.text}


def show_findings(checked: list[Checked]) -> None:
    """Print every finding with its source line and caret, then the count."""
    from penstock.esql.findings import render

    for each in checked:
        for found in sorted((*each.errors, *each.warnings), key=lambda found: (found.at, found.code)):
            print(render(each.parsed.source, found))
    errors = sum(len(each.errors) for each in checked)
    warnings = sum(len(each.warnings) for each in checked)
    print(f"{_count(len(checked), 'file')}, {_count(errors, 'error')}, {_count(warnings, 'warning')}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
