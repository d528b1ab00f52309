"""Flows written as Python: the file makes the same flow again."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, Project, nodes
from penstock.flow.graph.flattening import flatten
from penstock.flow.graph.validation import Finding
from penstock.flow.importer.python_project import write_project
from penstock.flow.importer.python_writer import python_of
from tests.flow_files import FlowFile, write_esql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def shape(flow: Flow) -> Any:
    """What a flow is: labels, types, properties and wires, with its subflows put in place."""
    flat = flatten(flow)
    own = {
        label: (type(node).__name__, node.properties(), node.inputs, node.outputs)
        for label, node in flat.nodes.items()
    }
    return own, flat.wires, flow.properties, [*flow.promoted]


def order_files(folder: Path) -> None:
    write_esql(
        folder / "a/Code.esql",
        "Double",
        "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.n = CAST(InputBody.n AS INTEGER) * 2;",
        "a",
    )
    sub = FlowFile().property("Who", "x").end("FCMSource", "Input").end("FCMSink", "Output")
    sub.node("ComIbmCompute", "Double it", computeExpression="esql://routine/a#Double.Main")
    sub.wire("Input.out", "Double it.in").wire("Double it.out", "Output.in").write(folder / "a/Sub.subflow")
    file = FlowFile().node("ComIbmMQInput", "in", queueName="IN", messageDomainProperty="XMLNSC")
    file.node("a/Sub.subflow", "Twice").node("a/Sub.subflow", "Again").node("a/Sub.subflow", "Other", Who="y")
    file.node("ComIbmMQOutput", "class", queueName="OUT", somethingNew="1").node("ComIbmIMSRequest", "IMS")
    file.property("target", "OUT", user_defined=False).property("Colour", "red").promote(
        "target", "class", "queueName"
    )
    file.wire("in.out", "Twice.Input").wire("Twice.Output", "Again.Input").wire("Again.Output", "Other.Input")
    file.wire("Other.Output", "class.in").wire("in.failure", "IMS.in").write(folder / "a/Orders.msgflow")


def test_the_python_makes_the_same_flow(tmp_path: Path) -> None:
    order_files(tmp_path)
    flow = Project(tmp_path).flow("a.Orders")
    text = python_of(flow, "a/Orders.msgflow")
    (tmp_path / "again.py").write_text(text)
    again = runpy.run_path(str(tmp_path / "again.py"))["flow"]
    assert shape(again) == shape(flow)
    assert text.count("def sub") == 2
    assert "# left out: property somethingNew='1' is not taken over" in text
    assert "in_ = " not in text


def test_a_written_project_gives_the_same_results(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    order_files(tmp_path / "ibm")
    written = write_project(Project(tmp_path / "ibm"), tmp_path / "python")
    assert list(written.flows) == ["a.Orders"]
    again = Project(tmp_path / "python")
    assert not list(again.flow_files.paths)
    for folder in ("ibm", "python"):
        qm.put("IN", b"<n>3</n>")
        run(Project(tmp_path / folder).flow("a.Orders"), project=Project(tmp_path / folder))
        assert qm.get("OUT").body == b"<n>24</n>"


@pytest.mark.parametrize("end", ['"""', '\\"""', "'''", '"', "\n", "\r", "\x0c", "\u2028", "\\"])
def test_nothing_that_a_stranger_names_becomes_code(end: str) -> None:
    name = f"x{end}\nraise SystemExit(3)\n{end}"
    flow, inner = Flow(name), Flow(name)
    inner.add(nodes.Input("in"))
    flow.add(nodes.Subflow(inner), "Sub")
    flow.notes += [Finding("warning", name, name), Finding("warning", "Sub", name)]
    made: dict[str, Any] = {}
    exec(compile(python_of(flow, f"{name}.msgflow"), "written.py", "exec"), made)
    assert made["flow"].name == name
