"""Measures the parser on a folder of `.esql` files: how many parse, survive the printer, and how fast.

    python tests/unit/esql/measure_corpus.py FOLDER [--failures]

Files with the same bytes count once. Not a test: the files of others are not in the repository.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

from penstock.esql.checker.check import check
from penstock.esql.files import find_files, read_source
from penstock.esql.findings import render
from penstock.esql.parser.program import parse
from penstock.esql.printer.statements import show_program
from penstock.esql.source import Source


def main(folder: Path, failures: bool) -> None:
    distinct = {hashlib.sha256(path.read_bytes()).digest(): path for path in reversed(find_files([folder]))}
    sources = [read_source(path) for path in sorted(distinct.values())]
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
    for each in files:
        if each.findings and failures:
            print(render(each.source, each.findings[0]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--failures" in sys.argv)
