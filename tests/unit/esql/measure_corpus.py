"""Measures parser and compiler on a folder of `.esql` files: how many parse, print, compile, and how fast.

    python tests/unit/esql/measure_corpus.py FOLDER [--failures]

Files with the same bytes count once. A file is compiled together with the others of its project: the
folder below FOLDER/repository that it is in. Not a test: the files of others are not in the repository.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

from penstock.esql.checker.check import check, checked, examine
from penstock.esql.compiler.code_objects import compile_lines
from penstock.esql.compiler.files import write_file
from penstock.esql.compiler.layout import lay_out
from penstock.esql.files import find_files, read_source
from penstock.esql.findings import Finding, render
from penstock.esql.parser.program import parse
from penstock.esql.printer.statements import show_program
from penstock.esql.source import Source


def main(folder: Path, failures: bool) -> None:
    distinct = {hashlib.sha256(path.read_bytes()).digest(): path for path in reversed(find_files([folder]))}
    paths = sorted(distinct.values())
    sources = [read_source(path) for path in paths]
    begun = time.perf_counter()
    files = [parse(source) for source in sources]
    seconds = time.perf_counter() - begun
    readable = [each for each in files if not each.findings]
    same = sum(parse(Source("", show_program(each.program))).program == each.program for each in readable)
    begun = time.perf_counter()
    for source in sources:
        check([source])
    check_seconds = time.perf_counter() - begun
    size = sum(len(each.text) for each in sources)
    lines = sum(len(each.line_starts) for each in sources)
    print(f"{len(files)} distinct files, {lines} lines, {size} characters")
    share = f"{len(readable) / len(files):.2%}"
    print(f"{len(readable)} parse without an error ({share}); {same} print and parse again")
    print(f"parse: {lines / seconds:.0f} lines/s, {size / seconds / 1e6:.2f} MB/s")
    print(f"parse and check: {lines / check_seconds:.0f} lines/s")
    measure_compiler(folder, sources, failures)


def measure_compiler(folder: Path, sources: list[Source], failures: bool) -> None:
    """Compile every file with those of its project."""
    projects: dict[tuple[str, ...], list[Source]] = {}
    for source in sources:
        inside = Path(source.name).relative_to(folder).parts
        projects.setdefault(inside[: min(2, len(inside) - 1)], []).append(source)
    begun = time.perf_counter()
    refused: list[tuple[Source, Finding]] = []
    for group in projects.values():
        refused += compile_project(group)
    seconds = time.perf_counter() - begun
    good = len(sources) - len(refused)
    lines = sum(len(each.line_starts) for each in sources)
    print(f"{good} of {len(sources)} compile ({good / len(sources):.2%}); {lines / seconds:.0f} lines/s")
    for source, finding in refused:
        if failures:
            print(render(source, finding))


def compile_project(sources: list[Source]) -> list[tuple[Source, Finding]]:
    """Return the files of a project that do not compile, each with its first error."""
    units = examine(sources)
    layout = lay_out(units)
    for file in layout.files.values():
        if checked(file.unit).errors:
            continue  # nobody compiles what the checker refused
        try:
            python, lines = write_file(layout, file)
            if not checked(file.unit).errors:
                compile_lines(python, lines, file.file)
        except Exception as problem:
            raise RuntimeError(f"the compiler failed on {file.file}") from problem
    found = [(unit.source, checked(unit).errors) for unit in units]
    return [(source, errors[0]) for source, errors in found if errors]


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--failures" in sys.argv)
