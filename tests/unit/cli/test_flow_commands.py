"""`penstock flow list`, `check`, `graph` and `import`, as a user calls them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from tests.flow_files import FlowFile, write_esql

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a flow that can run, with one node that cannot."""
    write_esql(tmp_path / "ibm/a/Code.esql", "M", "SET OutputRoot = InputRoot;", "a")
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN").node("ComIbmIMSRequest", "IMS")
    file.node("ComIbmCompute", "Compute", computeExpression="esql://routine/a#M.Main")
    file.node("ComIbmMQOutput", "Out", queueName="OUT").wire("In.out", "Compute.in").wire(
        "Compute.out", "Out.in"
    )
    file.wire("Out.out", "IMS.in").write(tmp_path / "ibm/a/Orders.msgflow")
    return tmp_path / "ibm"


def call(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(application(), [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_list(folder: Path) -> None:
    assert "a.Orders" in call("flow", "list", folder)
    assert json.loads(call("flow", "list", folder, "--json")) == [
        {"flow": "a.Orders", "nodes": 4, "unavailable": 1, "inputs": ["In"]}
    ]


def test_check_lists_what_cannot_be_run(folder: Path) -> None:
    text = call("flow", "check", folder, "--nodes")
    assert "a.Orders: runs on Spark" in text
    assert "unavailable: IMS: ComIbmIMSRequest: there is no connection to IMS here" in text
    assert "Compute  Compute  pure" in text
    assert text.splitlines()[-1] == "1 flow: 0 errors, 1 unavailable node, 0 warnings"
    report: list[dict[str, Any]] = json.loads(call("flow", "check", folder, "--json"))
    assert [each["severity"] for each in report[0]["findings"]] == ["unavailable"]


def test_a_project_named_as_a_flow_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop" / "flows").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(application(), ["flow", "trace", "shop"])
    assert "shop is a project: --project shop names it" in str(done.exception)


def test_check_ends_with_1_on_errors(folder: Path) -> None:
    (folder / "a/Bad.msgflow").write_text("<a")
    write_esql(folder / "a/Code.esql", "M", "SET OutputRoot = ;", "a")
    text = call("flow", "check", folder, code=1)
    assert "a/Bad.msgflow: cannot be used" in text
    assert "a.Orders: cannot run" in text
    assert text.count("Code.esql") == 1
    assert text.splitlines()[-1].startswith("1 flow and 1 file that cannot be used: 2 errors")
    report = json.loads(call("flow", "check", folder, "--json", code=1))
    assert {each["flow"]: each["is_flow"] for each in report} == {"a.Orders": True, "a/Bad.msgflow": False}


def test_check_with_overrides(folder: Path, tmp_path: Path) -> None:
    told = tmp_path / "o.properties"
    told.write_text("a.Orders#In.queueName=\n")
    assert "needs the name of its queue" in call("flow", "check", folder, "--overrides", told, code=1)


def test_graph(folder: Path, tmp_path: Path) -> None:
    text = call("flow", "graph", "a.Orders", "-p", folder)
    assert text.splitlines()[0] == "In (MQInput)"
    assert call("flow", "graph", "a.Orders", "-p", folder, "--svg", tmp_path / "f.svg") == ""
    assert (tmp_path / "f.svg").read_text().startswith("<svg")
    assert json.loads(call("flow", "graph", "a.Orders", "-p", folder, "--json"))["layers"][0] == ["In"]


def test_import_writes_a_python_project(folder: Path, tmp_path: Path) -> None:
    text = call("flow", "import", folder, "-o", tmp_path / "python")
    assert "unavailable: a.Orders: IMS" in text
    assert 'nodes.MQInput("IN")' in (tmp_path / "python/flows/a_Orders.py").read_text()
    assert (tmp_path / "python/a/Code.esql").is_file()
    assert "a.Orders: runs on Spark" in call("flow", "check", tmp_path / "python")


def test_import_needs_a_new_folder(folder: Path) -> None:
    result = CliRunner().invoke(application(), ["flow", "import", str(folder), "-o", str(folder)])
    assert "not empty" in str(result.exception)


def test_a_path_that_is_nothing_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(application(), ["flow", "check", str(tmp_path / "nothing")])
    assert "neither a folder nor a BAR file" in str(result.exception)
