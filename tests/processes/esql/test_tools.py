"""The tools around compiled ESQL: cache, coverage, recordings, `esql show` and `esql test`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.coverage import LineCoverage, report
from penstock.esql.recordings import read_recording
from penstock.esql.source import Source
from penstock.esql.testing import differences, run_module
from penstock.model.errors import MQError
from penstock.tree import Path as FieldPath
from penstock.tree import parse

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """CREATE COMPUTE MODULE M
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
  IF InputRoot.XMLNSC.o.n = '5' THEN
    SET OutputRoot.XMLNSC.r = 'five';
  ELSE
    SET OutputRoot.XMLNSC.r = 'other';
  END IF;
  RETURN TRUE;
END;
END MODULE;
"""
RECORDED = """<?xml version="1.0"?><MessageAssembly iib:parser="GENERICROOT" xmlns:iib="http://com.ibm.iib/lt/1.0">
<environment><Variables><when iib:valueType="DATE">2024-01-31</when></Variables></environment>
<message iib:parser="WSRoot"><Properties iib:parser="MQPROPERTYPARSER">
<Encoding iib:valueType="INTEGER">546</Encoding><Transactional iib:valueType="BOOLEAN">FALSE</Transactional>
<ReplyIdentifier iib:valueType="BLOB">0aff</ReplyIdentifier></Properties>
<XMLNSC><o><n iib:valueType="CHARACTER">5</n></o></XMLNSC></message></MessageAssembly>"""


def test_the_cache_gives_the_same_module_without_parsing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [Source("m.esql", TEXT)]
    first = compile_sources(sources, tmp_path)
    monkeypatch.setattr("penstock.esql.compiler.compiling.compile_all", None)
    again = compile_sources(sources, tmp_path)
    assert again.files["m.esql"].python == first.files["m.esql"].python
    assert run_module(again.module("M"), "<o><n>5</n></o>").bytes() == b"<r>five</r>"


def test_a_damaged_cache_entry_is_made_anew(tmp_path: Path) -> None:
    sources = [Source("m.esql", TEXT)]
    compile_sources(sources, tmp_path)
    entry = next(tmp_path.iterdir())
    entry.write_bytes(entry.read_bytes()[:-9])
    assert compile_sources(sources, tmp_path).module("M").name == "M"


def test_coverage_names_the_esql_lines_that_did_not_run() -> None:
    library = compile_sources([Source("m.esql", TEXT)])
    with LineCoverage() as coverage:
        run_module(library.module("M"), "<o><n>5</n></o>")
    ((file, lines, ran, missing),) = report(library, coverage)
    assert (file, lines, ran, missing) == ("m.esql", 4, 3, [7])


def test_a_recording_gives_typed_trees(tmp_path: Path) -> None:
    file = tmp_path / "in.mxml"
    file.write_text(RECORDED)
    recording = read_recording(file)
    library = compile_sources([Source("m.esql", TEXT)])
    assert run_module(library.module("M"), recording.message).bytes() == b"<r>five</r>"
    assert "546" in str(recording.message)
    assert "2024" in str(recording.environment)


def test_a_recorded_field_with_children_has_its_value_in_an_attribute(tmp_path: Path) -> None:
    file = tmp_path / "out.mxml"
    file.write_text(
        '<MessageAssembly xmlns:iib="http://com.ibm.iib/lt/1.0"><message><XMLNSC><a iib:value="0.320"'
        ' iib:valueType="DECIMAL"><b iib:valueType="CHARACTER">x</b></a></XMLNSC></message></MessageAssembly>'
    )
    message = read_recording(file).message
    assert str(message.get(FieldPath("XMLNSC", "a"))) == "0.320"
    assert message.get(FieldPath("XMLNSC", "a", "b")) == "x"


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "in.mxml"
    file.write_text("<a/>")
    with pytest.raises(MQError, match="MessageAssembly"):
        read_recording(file)


def test_differences_name_the_place() -> None:
    one, other = parse(b"<a><b>1</b></a>", "XMLNSC"), parse(b"<a><b>2</b></a>", "XMLNSC")
    assert differences(one, other) == ["Root.XMLNSC.a.b: '1' instead of '2'"]
    assert differences(one, one.copy()) == []


def run_cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "penstock.cli.main", "esql", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_show_prints_the_python(tmp_path: Path) -> None:
    file = tmp_path / "m.esql"
    file.write_text(TEXT)
    shown = run_cli("show", str(file))
    assert "def M_Main(ctx):" in shown.stdout
    assert json.loads(run_cli("show", "--json", str(file)).stdout)[0]["file"] == str(file)
    file.write_text("SET x")
    assert run_cli("show", str(file)).returncode == 1


def test_esql_test_runs_pytest_with_the_fixture_and_coverage(tmp_path: Path) -> None:
    (tmp_path / "m.esql").write_text(TEXT)
    (tmp_path / "in.mxml").write_text(RECORDED)
    (tmp_path / "test_m.py").write_text(
        "from pathlib import Path\n"
        "HERE = Path(__file__).parent\n"
        "def test_five(esql):\n"
        "    m = esql(HERE / 'm.esql', module='M')\n"
        "    m.same(m.run(HERE / 'in.mxml').output, '<r>five</r>')\n"
    )
    done = run_cli("test", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 4 lines" in done.stdout
    assert "not run: 7" in done.stdout
    told = json.loads(run_cli("test", "--json", str(tmp_path)).stdout)
    assert [each["outcome"] for each in told["tests"]] == ["passed"]
    assert (told["passed"], told["failed"], told["coverage"][0]["not_run"]) == (1, 0, [7])


def test_failures_and_unreadable_files_of_esql_test_in_json(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_it(esql):\n    print('words')\n    assert 1 == 2\n")
    (tmp_path / "test_b.py").write_text("import no_such_module\n")
    done = run_cli("test", "--json", "--no-coverage", str(tmp_path))
    told = json.loads(done.stdout)
    assert done.returncode != 0
    assert [each["outcome"] for each in told["tests"]] == ["failed"]
    assert "no_such_module" in told["tests"][0]["text"]
    (tmp_path / "test_b.py").unlink()
    (failed,) = json.loads(run_cli("test", "--json", str(tmp_path)).stdout)["tests"]
    assert failed["name"].endswith("test_a.py::test_it")
    assert "assert 1 == 2" in failed["text"]


def test_names_of_the_run_time_do_not_hide_each_other() -> None:
    source = Source(
        "sum.esql",
        "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN"
        " CREATE LASTCHILD OF OutputRoot NAME 'A'; SET OutputRoot.A.B = 1 + 2; RETURN TRUE; END; END MODULE;",
    )
    outcome = run_module(compile_sources([source]).module("M"))
    assert outcome.output.get(FieldPath("A", "B")) == 3
