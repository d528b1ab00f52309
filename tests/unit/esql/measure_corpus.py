"""Measures the language on a folder of `.esql` files: how many parse, print again and compile, and how fast.

    python tests/unit/esql/measure_corpus.py FOLDER [--failures]

Every folder directly in FOLDER is a repository whose files are checked and compiled together, as libraries
are; files with the same bytes count once in it. `--failures` shows the first error of every file that does
not compile. Not a test: the files of others are not in this repository.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from penstock.esql.checker.check import checked, examine
from penstock.esql.compiler.code_objects import compile_lines
from penstock.esql.compiler.files import write_file
from penstock.esql.compiler.layout import lay_out
from penstock.esql.files import find_files, read_source
from penstock.esql.findings import render
from penstock.esql.parser.program import parse
from penstock.esql.printer.statements import show_program
from penstock.esql.source import Source


@dataclass
class Totals:
    files: int = 0
    lines: int = 0
    characters: int = 0
    parsed: int = 0
    same: int = 0
    compiled: int = 0
    parse_seconds: float = 0
    compile_seconds: float = 0
    codes: Counter[str] = field(default_factory=Counter)


def main(folder: Path, failures: bool) -> None:
    totals = Totals()
    for group in sorted(each for each in folder.iterdir() if each.is_dir()) or [folder]:
        sources = sources_of(group)
        measure_parser(sources, totals)
        measure_compiler(sources, totals, failures)
    n = totals
    print(f"{n.files} distinct files, {n.lines} lines, {n.characters} characters")
    print(f"{n.parsed} parse without an error ({n.parsed / n.files:.2%}); {n.same} print and parse again")
    print(f"{n.compiled} compile ({n.compiled / n.files:.2%})")
    print("files that do not, by the code of their first error:", dict(n.codes.most_common()))
    print(f"parse: {n.lines / n.parse_seconds:.0f} lines/s, {n.characters / n.parse_seconds / 1e6:.2f} MB/s")
    print(f"check and compile: {n.lines / n.compile_seconds:.0f} lines/s")


def sources_of(group: Path) -> list[Source]:
    try:
        found = find_files([group])
    except ValueError:
        return []
    distinct = {hashlib.sha256(path.read_bytes()).digest(): path for path in reversed(found)}
    return [read_source(path) for path in sorted(distinct.values())]


def measure_parser(sources: list[Source], totals: Totals) -> None:
    begun = time.perf_counter()
    files = [parse(source) for source in sources]
    totals.parse_seconds += time.perf_counter() - begun
    readable = [each for each in files if not each.findings]
    totals.files += len(files)
    totals.parsed += len(readable)
    totals.same += sum(
        parse(Source("", show_program(each.program))).program == each.program for each in readable
    )
    totals.lines += sum(len(each.line_starts) for each in sources)
    totals.characters += sum(len(each.text) for each in sources)


def measure_compiler(sources: list[Source], totals: Totals, failures: bool) -> None:
    begun = time.perf_counter()
    units = examine(sources)
    layout = lay_out(units)
    for file in layout.files.values():
        if not checked(file.unit).errors:
            python, lines = write_file(layout, file)
            if not checked(file.unit).errors:
                compile_lines(python, lines, file.file)
    totals.compile_seconds += time.perf_counter() - begun
    for unit in units:
        errors = checked(unit).errors
        totals.compiled += not errors
        if errors:
            totals.codes[errors[0].code] += 1
            if failures:
                print(render(unit.source, errors[0]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--failures" in sys.argv)
