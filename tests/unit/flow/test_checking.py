"""What is wrong with a project is found before anything runs: by `flow check`, and by a deployment."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.broker.deployments import checked
from penstock.flow.checking import check_flow, check_project
from penstock.flow.nodes import Input, Output, Subflow
from penstock.flow.running.listener import listener_for
from tests.flow_files import FlowFile
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow import Node

ESQL = """
CREATE COMPUTE MODULE Good CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  PROPAGATE TO TERMINAL 'out1'; PROPAGATE TO TERMINAL 4; PROPAGATE TO TERMINAL 'failure';
  PROPAGATE TO LABEL 'there'; RETURN TRUE; END; END MODULE;
"""
BAD = """
CREATE COMPUTE MODULE Bad CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  CALL Far(); PROPAGATE TO TERMINAL 9; RETURN TRUE; END; END MODULE;
CREATE PROCEDURE Far() BEGIN PROPAGATE TO TERMINAL 'out7'; END;
"""


def project(folder: Path) -> Project:
    """A project with files that are good, and others that are not."""
    for name, text in {
        "esql/m.esql": ESQL,
        "bad/m.esql": BAD,
        "maps/bad.yaml": "map:\n  - 17\n",
        "models/wrong.yaml": "this: is\n  no: model\n",
        "sheet.xsl": "<xsl:stylesheet version='1.0'><broken></xsl:stylesheet>",
        "python/mine.py": "raise ValueError('no')\n",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return Project(folder)


def errors(node: Node, folder: Path) -> list[str]:
    """Return what is found about a flow with one node."""
    flow = Flow("f")
    start = flow.add(nodes.MQInput("IN"))
    flow.add(node)
    if node.inputs:
        start.out >> node.in_
    return [str(each) for each in check_flow(flow, project(folder)).errors]


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.Filter("Root.a = = 2"), "Filter"),
        (nodes.Trace("${Root.a = = 2}"), "Trace"),
        (nodes.Trace("${"), "is not closed"),
        (nodes.Mapping("maps/bad.yaml"), "Mapping"),
        (nodes.Mapping("maps/none.yaml"), "none.yaml"),
        (nodes.XSLTransform("sheet.xsl"), "XSLTransform"),
        (nodes.XSLTransform("none.xsl"), "none.xsl"),
        (nodes.Route([("$Body/a[", "x")]), "Route"),
        (nodes.MQInput("IN", domain="XMLNSQ"), "domain 'XMLNSQ' is not one of"),
        (nodes.MQInput("IN", domain="MRM", model="nowhere"), "nowhere"),
        (nodes.MQInput("IN", domain="MRM", model="wrong"), "MQInput1"),
        (nodes.ResetContentDescriptor(domain="MRN"), "domain 'MRN' is not one of"),
        (nodes.Database("esql/m.esql", module="None", data_source="D"), "module None"),
        (nodes.PythonCompute("mine:work"), "ValueError: no"),
        (nodes.PythonCompute("none:work"), "cannot import none:work"),
    ],
)
def test_everything_that_a_deployment_compiles_is_compiled(node: Node, text: str, tmp_path: Path) -> None:
    found = errors(node, tmp_path)

    assert any(text in each for each in found)
    assert len(found) == len(set(found))


def test_terminals_that_a_compute_has_are_no_mistake(tmp_path: Path) -> None:
    assert errors(nodes.Compute("esql/m.esql", module="Good"), tmp_path) == []


def test_terminals_that_no_compute_has_are_warnings(tmp_path: Path) -> None:
    flow = Flow("f")
    bad = flow.add(nodes.Compute("bad/m.esql", module="Bad"))
    flow.add(nodes.MQInput("IN")).out >> bad.in_

    found = [each.text for each in check_flow(flow, project(tmp_path)).findings if each.severity == "warning"]

    assert any("line 3: there is no terminal 9" in each for each in found)
    assert any("line 4: there is no terminal 'out7'" in each for each in found)


def test_a_terminal_that_is_worked_out_must_be_one_of_the_node(
    qm: penstock.QueueManager, run: Any, tmp_path: Path
) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "m.esql").write_text(
        "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN"
        " PROPAGATE TO TERMINAL 'out' || '7'; RETURN TRUE; END; END MODULE;"
    )
    flow = Flow("f")
    compute = flow.add(nodes.Compute("esql/m.esql", module="M"))
    flow.add(nodes.MQInput("IN")).out >> compute.in_
    compute.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    qm.put("IN", b"x")

    run(flow)

    assert bodies(qm, "FAILED") == [b"x"]


def test_a_folder_without_flows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(penstock.MQError, match="holds no flow"):
        check_project(Project(tmp_path))


def test_a_project_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(penstock.MQError, match=r"there is no folder .*/nowhere"):
        Project(tmp_path / "nowhere")


def test_a_deployment_is_refused_with_the_errors_of_all_its_flows(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "two.py").write_text(
        "from penstock.flow import Flow, nodes\n"
        "one, two = Flow('one'), Flow('two')\n"
        "one.add(nodes.MQInput('')); two.add(nodes.MQInput('B', domain='NONE'))\n"
        "two.add(nodes.Filter('a = = b'))\n"
    )

    with pytest.raises(penstock.MQError) as raised:
        checked(tmp_path, {})

    text = str(raised.value)
    assert "one: error: MQInput: an MQInput needs the name of its queue" in text
    assert "two: error: MQInput: domain 'NONE' is not one of" in text
    assert "good" not in text


@pytest.mark.parametrize("name", ["good#MQInput.qeue", "god#MQInput.queue", "MQInptu.queue", "colour"])
def test_what_is_set_must_be_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "one.py").write_text(
        "from penstock.flow import Flow, nodes\ngood = Flow('good')\ngood.add(nodes.MQInput('C'))\n"
    )

    with pytest.raises(penstock.MQError, match=r"god|qeue|MQInptu|colour"):
        checked(tmp_path, {name: "X"})


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        ("F#in.queueName", True),
        ("F#in.queue", True),
        ("in.queue", True),
        ("F#s.deep.queueName", True),
        ("F#in.queueNam", False),
        ("F#inn.queueName", False),
        ("G#in.queueName", False),
        ("F#s.deep.queu", False),
        ("F#colour", False),
    ],
)
def test_what_is_set_for_flow_files_must_be_there(tmp_path: Path, name: str, is_known: bool) -> None:
    file = FlowFile().node("ComIbmMQInput", "in", queueName="Q").node("sub.subflow", "s")
    file.wire("in.out", "s.In").write(tmp_path / "F.msgflow")
    inner = FlowFile().end("FCMSource", "In").node("ComIbmMQOutput", "deep", queueName="D")
    inner.wire("In.out", "deep.in").write(tmp_path / "sub.subflow")

    if is_known:
        assert list(checked(tmp_path, {name: "X"})[0]) == ["F"]
    else:
        with pytest.raises(penstock.MQError):
            checked(tmp_path, {name: "X"})


def test_flow_files_that_hold_too_much_are_refused_soon(tmp_path: Path) -> None:
    for number in range(25):
        file = FlowFile().end("FCMSource", "In").end("FCMSink", "Out")
        if number:
            below = f"s{number - 1}.subflow"
            file.node(below, "a").node(below, "b").wire("In.out", "a.In").wire("a.Out", "b.In")
            file.wire("b.Out", "Out.in")
        else:
            file.wire("In.out", "Out.in")
        file.write(tmp_path / f"s{number}.subflow")
    file = FlowFile().node("ComIbmMQInput", "in", queueName="Q").node("s24.subflow", "top")
    file.wire("in.out", "top.In").write(tmp_path / "F.msgflow")

    (report,) = check_project(Project(tmp_path))

    assert any("uses subflows more than 2000 times" in str(each) for each in report.findings)


def test_what_is_set_for_all_flows_is_set_where_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "two.py").write_text(
        "from penstock.flow import Flow, nodes\none = Flow('one', properties={'colour': 'red'})\n"
        "two = Flow('two')\none.add(nodes.MQInput('A'))\ntwo.add(nodes.MQInput('B'))\n"
    )

    assert list(checked(tmp_path, {"colour": "blue"})[0]) == ["one", "two"]


def test_flows_that_hold_too_much_are_refused_soon() -> None:
    inner = Flow("s0")
    joint = inner.add(Input("in"))
    joint.out >> inner.add(Output("out")).in_
    for number in range(1, 26):
        outer = Flow(f"s{number}")
        place = outer.add(Input("in")).out
        for _ in range(2):
            used = outer.add(Subflow(inner))
            place >> used.terminal("in")
            place = used.terminal("out")
        place >> outer.add(Output("out")).in_
        inner = outer
    flow = Flow("much")
    flow.add(nodes.MQInput("IN")).out >> flow.add(Subflow(inner)).terminal("in")

    with pytest.raises(penstock.MQError, match="more than 20000 nodes"):
        CompiledFlow(flow)


def chain(length: int) -> Flow:
    """IN, many nodes one after the other, OUT."""
    flow = Flow("chain")
    place = flow.add(nodes.MQInput("IN")).out
    for _ in range(length):
        node = flow.add(nodes.TryCatch())
        place >> node.in_
        place = node.try_
    place >> flow.add(nodes.MQOutput("OUT")).in_
    return flow


def test_a_message_passes_hundreds_of_nodes(qm: penstock.QueueManager) -> None:
    compiled = CompiledFlow(chain(400))
    assert check_flow(chain(400), Project()).errors == []
    qm.put("IN", b"x")

    listener_for(compiled, "MQInput", lambda: qm).run(threading.Event(), until_empty=True)

    assert bodies(qm, "OUT") == [b"x"]


def test_a_message_that_fails_behind_hundreds_of_nodes_is_led_away(qm: penstock.QueueManager) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    flow = chain(400)
    flow.node("TryCatch399").try_ >> flow.add(nodes.Throw("no")).in_
    qm.put("IN", b"x")

    listener_for(CompiledFlow(flow), "MQInput", lambda: qm).run(threading.Event(), until_empty=True)

    assert bodies(qm, "BACKOUT") == [b"x"]
    assert bodies(qm, "OUT") == []


def test_there_is_an_end_to_how_many_nodes_a_message_passes() -> None:
    with pytest.raises(penstock.MQError, match="would pass 2003 nodes"):
        CompiledFlow(chain(2001))


def test_projects_may_have_python_modules_of_the_same_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name / "python"
        folder.mkdir(parents=True)
        (folder / "work.py").write_text("import helper\ndef do(call): call.tell = helper.NAME\n")
        (folder / "helper.py").write_text(f"NAME = '{name}'\n")
    projects = [Project(tmp_path / name) for name in ("one", "two")]

    found = [each.python.load("work").helper.NAME for each in projects * 2]

    assert found == ["one", "two", "one", "two"]


def test_a_label_that_is_nowhere_is_found_before_a_message_comes(tmp_path: Path) -> None:
    def warnings(*labels: str) -> list[str]:
        flow = Flow("f")
        start = flow.add(nodes.MQInput("IN"))
        start.out >> flow.add(nodes.Compute("esql/m.esql", module="Good")).in_
        for label in labels:
            flow.add(nodes.Label(label))
        report = check_flow(flow, project(tmp_path))
        assert not report.errors
        return [str(each) for each in report.findings if "LABEL" in each.text]

    assert warnings("there") == []
    assert warnings("their") == [
        "warning: Good: PROPAGATE TO LABEL 'there': no Label node is called so; did you mean 'their'?"
    ]


MODEL = """messages: {Order: {fields: [{name: A, C: {length: 3}}, {name: N, type: integer, C: {}}]}}
formats: {C: {kind: CWF, encoding: 273}}
"""
BY_MODEL = """CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
CREATE LASTCHILD OF Environment DOMAIN('MRM')
  PARSE(InputRoot.BLOB.BLOB SET 'orders' TYPE 'Order' OPTIONS ValidateContentAndValue);
SET OutputRoot.XMLNSC.n = Environment.MRM.N; RETURN TRUE; END; END MODULE;
"""


def test_parse_finds_the_models_of_the_project(qm: penstock.QueueManager, tmp_path: Path) -> None:
    for name, text in {"models/orders.yaml": MODEL, "esql/m.esql": BY_MODEL}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    flow = Flow("f")
    start = flow.add(nodes.MQInput("IN", domain="BLOB"))
    compute = flow.add(nodes.Compute("esql/m.esql", module="M"))
    start.out >> compute.in_
    compute.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"abc\0\0\0\5")

    compiled = CompiledFlow(flow, Project(tmp_path))
    listener_for(compiled, "MQInput", lambda: qm).run(threading.Event(), until_empty=True)

    assert bodies(qm, "OUT") == [b"<n>5</n>"]


def test_an_output_tree_that_the_mode_drops_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "m.esql").write_text(
        "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN SET OutputRoot = InputRoot;"
        " SET OutputLocalEnvironment.Destination.HTTP.ReplyStatusCode = 202; RETURN TRUE; END; END MODULE;"
    )

    def found(mode: str) -> list[str]:
        flow = Flow("f")
        flow.add(nodes.MQInput("IN")).out >> flow.add(nodes.Compute(module="M", mode=mode)).in_
        return [str(each) for each in check_flow(flow, Project(tmp_path)).findings]

    told = "its ESQL uses OutputLocalEnvironment, which mode 'message' does not pass on"
    assert found("message") == [f"warning: M: {told}"]
    assert found("destinationAndMessage") == []
