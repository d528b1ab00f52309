"""Python of a project in place of its Java: JavaCompute nodes, routines of ESQL, stubs of `flow import`."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from penstock.flow import Project
from penstock.flow.checking import check_flow
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

ESQL = """CREATE FUNCTION shout(IN word CHARACTER) RETURNS CHARACTER
  LANGUAGE JAVA EXTERNAL NAME "com.acme.Text.shout";
CREATE FUNCTION whisper(IN word CHARACTER) RETURNS CHARACTER
  LANGUAGE PYTHON EXTERNAL NAME "quiet.whisper";
CREATE PROCEDURE note(IN level CHARACTER, IN word CHARACTER)
  LANGUAGE JAVA EXTERNAL NAME "com.acme.Log4jUtil.write";
CREATE FUNCTION never(IN word CHARACTER) RETURNS CHARACTER
  LANGUAGE JAVA EXTERNAL NAME "com.acme.Never.called"; -- nobody calls never()
CREATE COMPUTE MODULE M
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    CALL note('ERROR', 'seen');
    SET OutputRoot.BLOB.BLOB = CAST(shout(whisper('Hi')) AS BLOB CCSID 1208);
    RETURN TRUE;
  END;
END MODULE;
"""


def write(folder: Path) -> Project:
    (folder / "M.esql").write_text(ESQL)
    file = (
        FlowFile().node("ComIbmMQInput", "In", queueName="IN").node("ComIbmMQOutput", "Out", queueName="OUT")
    )
    file.node("ComIbmJavaCompute", "Java", javaClass="com.acme.Change")
    file.node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    file.wire("In.out", "Compute.in").wire("Compute.out", "Java.in").wire("Java.out", "Out.in")
    file.write(folder / "F.msgflow")
    return Project(folder)


def supply(folder: Path) -> None:
    (folder / "com" / "acme").mkdir(parents=True)
    (folder / "com" / "acme" / "Text.py").write_text(
        "class Text:\n    @staticmethod\n    def shout(word):\n        return word + '!'\n"
    )
    (folder / "quiet.py").write_text("def whisper(word):\n    return word.lower()\n")
    (folder / "Change.py").write_text(
        "from penstock.tree import Path\n\n\nclass Change:\n    def evaluate(self, call):\n"
        "        place = Path('BLOB', 'BLOB')\n"
        "        call.message.set(place, call.message.get(place) + b'?')\n        return 'out'\n"
    )


def test_what_is_missing_is_listed_and_what_is_there_runs(
    qm: Any, run: Any, tmp_path: Path, caplog: Any
) -> None:
    project = write(tmp_path)
    found = check_flow(project.flow("F"), project).findings
    missing = [each.text for each in found if each.severity == "unavailable"]
    assert sorted(missing) == [
        (
            "ComIbmJavaCompute: Java class com.acme.Change cannot be run (there is no Change.java):"
            " write class Change with evaluate(self, call) in python/Change.py"
            " (`penstock flow import` writes a stub)"
        ),
        "routine shout is JAVA (com.acme.Text.shout): write shout in python/",
        "routine whisper is PYTHON (quiet.whisper): write whisper in python/",
    ]

    supply(tmp_path / "python")
    project = Project(tmp_path)
    flow = project.flow("F")
    assert not [each for each in check_flow(flow, project).findings if each.severity == "unavailable"]
    qm.put("IN", b"x")
    with caplog.at_level(logging.INFO):
        run(flow, project=project)
    assert qm.get("OUT").body == b"hi!?"
    assert any("seen" in each.getMessage() and each.levelname == "ERROR" for each in caplog.records)


def test_an_import_writes_stubs_that_flows_call(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    write(tmp_path / "old")
    target = tmp_path / "new"
    told = CliRunner().invoke(application(), ["flow", "import", str(tmp_path / "old"), "-o", str(target)])
    assert told.exit_code == 0, told.output
    stubs = sorted(path.name for path in (target / "python").iterdir())
    assert stubs == ["Change.py", "Never.py", "Text.py", "quiet.py"]
    assert "def shout(word):" in (target / "python" / "Text.py").read_text()
    project = Project(target)
    flow = project.flow("F")
    assert flow.node("Java").properties()["function"] == "Change:Change"
    found = {
        each.node: each.text for each in check_flow(flow, project).findings if each.severity != "warning"
    }
    assert found["Java"] == "Change:Change is a stub: write what the Java did in python/"
    assert found["Compute"] == "routine whisper is PYTHON (quiet.whisper): write whisper in python/"


READY = """CREATE FUNCTION variable(IN name CHARACTER) RETURNS CHARACTER
  LANGUAGE JAVA EXTERNAL NAME "java.lang.System.getenv";
CREATE FUNCTION millis() RETURNS INTEGER
  LANGUAGE JAVA EXTERNAL NAME "java.lang.System.currentTimeMillis";
CREATE COMPUTE MODULE M
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.XMLNSC.a.variable = variable('PENSTOCK_TEST_SHOP');
    SET OutputRoot.XMLNSC.a.unset = COALESCE(variable('PENSTOCK_TEST_NONE'), 'none');
    SET OutputRoot.XMLNSC.a.late = millis() > 1700000000000;
    RETURN TRUE;
  END;
END MODULE;
"""


def test_common_routines_are_ready(
    qm: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_TEST_SHOP", "north")
    (tmp_path / "M.esql").write_text(READY)
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN")
    file.node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    file.node("ComIbmMQOutput", "Out", queueName="OUT")
    file.wire("In.out", "Compute.in").wire("Compute.out", "Out.in").write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    flow = project.flow("F")
    assert not check_flow(flow, project).findings
    qm.put("IN", b"x")
    run(flow, project=project)
    found = qm.get("OUT").body.decode()
    assert re.fullmatch(
        "<a><variable>north</variable><unset>none</unset><late>true</late></a>",
        found,
    )


@pytest.mark.parametrize("text", ["def shout(:\n", "import no_such_thing\n", "raise ValueError('no')\n"])
def test_a_module_that_cannot_be_imported_is_an_error(text: str, tmp_path: Path) -> None:
    project = write(tmp_path)
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "Text.py").write_text(text)
    told = CliRunner().invoke(application(), ["flow", "check", str(tmp_path)])
    assert told.exit_code == 1
    assert "Text.py" in told.output
    assert project.folder == tmp_path
