"""Python's own tools on compiled ESQL: pdb stops at ESQL lines, coverage.py counts them."""

from __future__ import annotations

import io
import pdb  # noqa: T100  (what is tested)
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.library import Module
from penstock.esql.source import Source
from penstock.esql.testing import run_module

TEXT = """CREATE COMPUTE MODULE M
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
  DECLARE n INTEGER 4;
  SET n = n + 1;
  IF n > 9 THEN
    SET OutputRoot.XMLNSC.r = 'many';
  ELSE
    SET OutputRoot.XMLNSC.r = n;
  END IF;
  RETURN TRUE;
END;
END MODULE;
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "orders.esql"
    path.write_text(TEXT)
    return path


def module(file: Path) -> Module:
    return compile_sources([Source(str(file), file.read_text())]).module("M")


def test_pdb_stops_at_a_line_of_the_esql_and_shows_variables(file: Path) -> None:
    typed, shown = io.StringIO(f"break {file}:9\ncontinue\np n\nnext\nwhere\ncontinue\n"), io.StringIO()
    debugger = pdb.Pdb(stdin=typed, stdout=shown, nosigint=True, readrc=False)
    debugger.use_rawinput = False

    result = debugger.runcall(run_module, module(file), b"<a/>")

    lines = shown.getvalue().splitlines()
    assert f"(Pdb) > {file}(9)M_Main()" in lines
    assert "-> SET OutputRoot.XMLNSC.r = n;" in lines
    assert "(Pdb) 5" in lines
    assert f"(Pdb) > {file}(11)M_Main()" in lines
    assert "-> RETURN TRUE;" in lines
    assert result.bytes() == b"<r>5</r>"


def test_coverage_reports_the_lines_of_the_esql_that_did_not_run(file: Path) -> None:
    program = file.parent / "run.py"
    program.write_text(
        "from pathlib import Path\n"
        "from penstock.esql.compiler.compile import compile_sources\n"
        "from penstock.esql.source import Source\n"
        "from penstock.esql.testing import run_module\n"
        f"file = Path({str(file)!r})\n"
        "library = compile_sources([Source(str(file), file.read_text())])\n"
        "assert run_module(library.module('M'), b'<a/>').bytes() == b'<r>5</r>'\n"
    )
    (file.parent / ".coveragerc").write_text("[run]\nplugins = penstock.esql.coverage_plugin\n")

    def coverage(*words: str) -> str:
        command = [sys.executable, "-m", "coverage", *words]
        done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=True)
        return done.stdout

    coverage("run", "--include=*.esql", "run.py")
    row = next(line for line in coverage("report", "-m").splitlines() if line.startswith("orders.esql"))
    assert row.split() == ["orders.esql", "6", "1", "83%", "7"]
