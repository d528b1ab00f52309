"""Flow files: what they say is what runs. One test a clause of the file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.checking import check_flow
from penstock.flow.importer.overrides import read_override_file
from penstock.model.errors import MQError
from tests.flow_files import FlowFile, write_esql
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COPY = "SET OutputRoot = InputRoot;"
SETS = COPY + " SET OutputRoot.XMLNSC.a = {};"


def in_out(**output: str) -> FlowFile:
    """A flow file from queue IN to queue OUT."""
    file = FlowFile().node("ComIbmMQInput", "MQ Input", queueName="IN", messageDomainProperty="XMLNSC")
    return file.node("ComIbmMQOutput", "MQ Output", **{"queueName": "OUT", **output})


def notes(flow: Flow) -> list[str]:
    return [f"{each.node}: {each.text}" for each in flow.notes]


def test_a_flow_file_runs_with_its_esql(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    write_esql(tmp_path / "app/a/b/Code.esql", "Change", SETS.format("'new'"), "a.b")
    file = in_out().node("ComIbmCompute", "Change it", computeExpression="esql://routine/a.b#Change.Main")
    file.wire("MQ Input.out", "Change it.in").wire("Change it.out", "MQ Output.in")
    file.write(tmp_path / "app/a/b/Orders.msgflow")
    flow = Project(tmp_path).flow("app.a.b.Orders")
    qm.put("IN", b"<a>old</a>")
    run(flow)
    assert bodies(qm, "OUT") == [b"<a>new</a>"]


def test_a_project_folder_is_not_part_of_the_schema(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "application.descriptor").write_text("<x/>")
        in_out().write(tmp_path / folder / "a/Orders.msgflow")
    in_out().write(tmp_path / "flows/Plain.msgflow")
    assert set(Project(tmp_path).flows) == {"a.Orders", "two/a.Orders", "Plain"}


def test_properties_of_nodes_become_ours(tmp_path: Path) -> None:
    file = FlowFile().node(
        "ComIbmMQInput",
        "in",
        queueName="Q",
        transactionMode="automatic",
        orderMode="byQueueOrder",
        componentLevel="node",
    )
    file.node(
        "ComIbmMQOutput",
        "out",
        destinationMode="list",
        newMsgId="true",
        messageContext="setAll",
        rotation="1",
    )
    file.node(
        "ComIbmCompute", "c", computeExpression="esql://routine/#M.Main", computeMode="all", somethingNew="1"
    )
    write_esql(tmp_path / "m.esql", "M", COPY)
    file.write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    start, out, compute = (flow.node(name).properties() for name in ("in", "out", "c"))
    assert (start["queue"], start["transaction"], start["order"]) == ("Q", "automatic", "byQueueOrder")
    assert (start["domain"], start["logical_order"]) == ("BLOB", False)
    assert (out["destination"], out["new_msg_id"], out["context"]) == ("list", True, "setAll")
    assert (out["new_correl_id"], out["persistence"]) == (False, "automatic")
    assert (compute["mode"], compute["esql"], compute["module"]) == ("all", "m.esql", "M")
    assert notes(flow) == ["c: property somethingNew='1' is not taken over"]


def test_a_subflow_has_the_terminals_of_its_ends(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    write_esql(tmp_path / "s.esql", "S", SETS.format("'by the subflow'"))
    sub = FlowFile().end("FCMSource", "Input").end("FCMSink", "Output")
    sub.node("ComIbmCompute", "Output1", computeExpression="esql://routine/#S.Main")
    sub.wire("Input.out", "Output1.in").wire("Output1.out", "Output.in").write(tmp_path / "x/y/Sub.subflow")
    file = in_out().node("x/y/Sub.subflow", "Sub")
    file.wire("MQ Input.out", "Sub.Input").wire("Sub.Output", "MQ Output.in").write(tmp_path / "F.msgflow")
    qm.put("IN", b"<a>old</a>")
    project = Project(tmp_path)
    assert set(project.flows) == {"F"}
    run(project.flow("F"))
    assert bodies(qm, "OUT") == [b"<a>by the subflow</a>"]


def test_a_library_beside_is_found_by_reference_first(tmp_path: Path) -> None:
    for name in ("app", "liba", "libb"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "library.descriptor").write_text("<x/>")
    descriptor = "<l><references><sharedLibraryReference><libraryName>libb</libraryName>"
    (tmp_path / "app/application.descriptor").write_text(
        descriptor + "</sharedLibraryReference></references></l>"
    )
    for name in ("liba", "libb"):
        sub = FlowFile().end("FCMSource", "in").end("FCMSink", "out").wire("in.out", "out.in")
        sub.node("ComIbmMQOutput", name, queueName=name).write(tmp_path / name / "Sub.subflow")
    in_out().node("Sub.subflow", "Sub").write(tmp_path / "app/F.msgflow")
    sub_node = Project(tmp_path).flow("F").node("Sub")
    assert isinstance(sub_node, nodes.Subflow)
    assert sub_node.definition.node("libb")


def test_same_module_in_two_applications_stays_apart(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "application.descriptor").write_text("<x/>")
        write_esql(tmp_path / name / "m.esql", "M", SETS.format(f"'{name}'"))
        file = in_out().node("ComIbmCompute", "c", computeExpression="esql://routine/#M.Main")
        file.wire("MQ Input.out", "c.in").wire("c.out", "MQ Output.in").write(
            tmp_path / name / f"{name}.msgflow"
        )
    for name in ("one", "two"):
        qm.put("IN", b"<a/>")
        run(Project(tmp_path).flow(name))
    assert bodies(qm, "OUT") == [b"<a>one</a>", b"<a>two</a>"]


EXTERNAL = """BROKER SCHEMA a
DECLARE who EXTERNAL CHARACTER 'nobody';
CREATE COMPUTE MODULE Who
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.a = InputBody.a || who; RETURN TRUE; END;
END MODULE;
"""


def who_flow(tmp_path: Path) -> None:
    """A flow with a subflow twice: each use gives the property another value."""
    (tmp_path / "who.esql").write_text(EXTERNAL)
    sub = FlowFile().property("who", "default").end("FCMSource", "in").end("FCMSink", "out")
    sub.node("ComIbmCompute", "c", computeExpression="esql://routine/a#Who.Main")
    sub.wire("in.out", "c.in").wire("c.out", "out.in").write(tmp_path / "Sub.subflow")
    file = in_out().node("Sub.subflow", "First", who="1").node("Sub.subflow", "Second")
    file.wire("MQ Input.out", "First.in").wire("First.out", "Second.in").wire("Second.out", "MQ Output.in")
    file.write(tmp_path / "F.msgflow")


def test_user_defined_properties_belong_to_each_use_of_a_subflow(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    who_flow(tmp_path)
    qm.put("IN", b"<a>x</a>")
    run(Project(tmp_path).flow("F"))
    assert bodies(qm, "OUT") == [b"<a>x1default</a>"]


def test_overrides_reach_nodes_subflows_and_properties(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    who_flow(tmp_path)
    told = "# a remark\n\nF#MQ Output.queueName=OUT2\nF#Second.who=2\nF#Nobody.queueName=X\nOther#a.b=c\n"
    flow = Project(tmp_path, overrides=read_override_file(told, "o.properties")).flow("F")
    qm.put("IN", b"<a>x</a>")
    run(flow)
    assert bodies(qm, "OUT2") == [b"<a>x12</a>"]
    assert notes(flow) == ["F#Nobody.queueName: an override names nothing in the flow"]


def test_a_bad_override_line_is_named() -> None:
    with pytest.raises(MQError, match="line 2"):
        read_override_file("a#b.c=d\nnonsense\n", "o.properties")


def test_broker_xml_beside_the_flows_overrides(tmp_path: Path) -> None:
    in_out().write(tmp_path / "app/F.msgflow")
    (tmp_path / "app/application.descriptor").write_text("<x/>")
    (tmp_path / "app/META-INF").mkdir()
    (tmp_path / "app/META-INF/broker.xml").write_text(
        '<Broker><CompiledMessageFlow name="F"><ConfigurableProperty uri="F#additionalInstances"/>'
        '<ConfigurableProperty override="OUT2" uri="F#MQ Output.queueName"/></CompiledMessageFlow></Broker>'
    )
    assert Project(tmp_path).flow("F").node("MQ Output").properties()["queue"] == "OUT2"


def test_a_promoted_property_sets_its_nodes(tmp_path: Path) -> None:
    file = in_out().node("ComIbmMQOutput", "Other").property("target", "Q1", user_defined=False)
    file.promote("target", "MQ Output", "queueName").promote("target", "Other", "queueName")
    file.write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    assert [flow.node(name).properties()["queue"] for name in ("MQ Output", "Other")] == ["Q1", "Q1"]
    flow.set("target", "Q2")
    assert [flow.node(name).properties()["queue"] for name in ("MQ Output", "Other")] == ["Q2", "Q2"]
    assert flow.properties == {}
    deployed = Project(tmp_path, overrides=read_override_file("F#target=Q3", "o")).flow("F")
    assert deployed.node("Other").properties()["queue"] == "Q3"


def test_what_cannot_run_is_listed_and_the_rest_runs(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    file = in_out().node("ComIbmIMSRequest", "Ask IMS").node("ComIbmMQOutput", "Failed", queueName="FAILED")
    file.wire("MQ Input.out", "MQ Output.in").wire("MQ Output.out", "Ask IMS.in")
    file.wire("Ask IMS.failure", "Failed.in").write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    found = CompiledFlow(flow).warnings
    assert [(each.severity, each.node) for each in found] == [("unavailable", "Ask IMS")]
    qm.put("IN", b"<a/>")
    run(flow)
    assert bodies(qm, "OUT") == [b"<a/>"]
    assert bodies(qm, "FAILED") == [b"<a/>"]


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (("ComIbmCompute", {"computeExpression": "esql://routine/a#M.Main"}), "no ESQL module a.M"),
        (("x/Sub.subflow", {}), "no x/Sub.subflow"),
        (("F.msgflow", {}), "contains itself"),
        (("my_Node", {}), "user-defined"),
        (("ComIbmMQInput", {"messageDomainProperty": "MRM", "messageSetProperty": "S"}), "message set"),
    ],
)
def test_a_node_that_cannot_be_made_says_why(
    tmp_path: Path, node: tuple[str, dict[str, str]], reason: str
) -> None:
    in_out().node(node[0], "N", **node[1]).write(tmp_path / "F.msgflow")
    made = Project(tmp_path).flow("F").node("N")
    assert isinstance(made, nodes.Unavailable)
    assert reason in made.reason


def test_a_user_defined_node_is_a_class_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes/mine.py").write_text(
        "from penstock.flow import Node\nclass Stamp(Node):\n"
        "    def __init__(self, colour='red', *, name=''):\n"
        "        super().__init__(name=name)\n        self.colour = colour\n"
    )
    file = (
        in_out().node("a_b_Stamp", "S1", colour="blue").node("ComIbmJavaCompute", "S2", javaClass="x.Stamp")
    )
    file.write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    assert flow.node("S1").properties() == {"colour": "blue"}
    assert isinstance(flow.node("S2"), Node)
    assert type(flow.node("S2")).__name__ == "Stamp"


def test_wires_to_nowhere_are_noted(tmp_path: Path) -> None:
    file = in_out().wire("MQ Input.sideways", "MQ Output.in")
    file.wires.append('<connections sourceNode="gone" targetNode="gone"/>')
    file.write(tmp_path / "F.msgflow")
    assert len(notes(Project(tmp_path).flow("F"))) == 2


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    in_out().write(tmp_path / "Good.msgflow")
    (tmp_path / "Empty.msgflow").write_text("")
    (tmp_path / "Marks.msgflow").write_text("<<<<<<< HEAD\n<a/>")
    (tmp_path / "Bomb.msgflow").write_text('<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>')
    project = Project(tmp_path)
    assert set(project.flows) == {"Good"}
    refused = {path.name: str(raised) for path, raised in project.flow_files.refused.items()}
    assert "empty" in refused["Empty.msgflow"]
    assert "line 1" in refused["Marks.msgflow"]
    assert "document type" in refused["Bomb.msgflow"]


def test_esql_with_a_mistake_stops_only_those_who_need_it(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    write_esql(tmp_path / "good.esql", "Good", COPY)
    write_esql(tmp_path / "bad.esql", "Bad", "SET OutputRoot.XMLNSC.a = ;")
    for name in ("Good", "Bad"):
        file = in_out().node("ComIbmCompute", "c", computeExpression=f"esql://routine/#{name}.Main")
        file.wire("MQ Input.out", "c.in").wire("c.out", "MQ Output.in").write(tmp_path / f"{name}.msgflow")
    project = Project(tmp_path)
    qm.put("IN", b"<a/>")
    run(project.flow("Good"))
    assert bodies(qm, "OUT") == [b"<a/>"]
    with pytest.raises(MQError, match=r"bad\.esql"):
        run(project.flow("Bad"))


def test_a_wire_that_leads_back_runs_until_the_limit(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    """Each turn puts a message in the unit of work; one that never ends is backed out and given up."""
    file = in_out().node("ComIbmPassthru", "Step").node("ComIbmMQOutput", "Failed", queueName="FAILED")
    file.wire("MQ Input.out", "Step.in").wire("Step.out", "MQ Output.in").wire("MQ Output.out", "Step.in")
    file.wire("MQ Input.catch", "Failed.in").write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    assert [str(each) for each in CompiledFlow(flow).warnings] == [
        "warning: MQ Output: its wire leads back to Step: a message may follow it 499 times"
    ]
    qm.put("IN", b"<a/>")
    run(flow)
    assert bodies(qm, "FAILED") == [b"<a/>"]


def test_a_ring_that_ends_in_time_does_its_work(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    write_esql(
        tmp_path / "Code.esql",
        "Down",
        "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.n = CAST(InputRoot.XMLNSC.n AS INTEGER) - 1;",
    )
    file = in_out().node("ComIbmCompute", "Down", computeExpression="esql://routine/#Down.Main")
    file.node("ComIbmFilter", "More", filterExpression="CAST(Root.XMLNSC.n AS INTEGER) > 0")
    file.wire("MQ Input.out", "Down.in").wire("Down.out", "More.in").wire("More.true", "Down.in")
    file.wire("More.false", "MQ Output.in").write(tmp_path / "F.msgflow")
    qm.put("IN", b"<n>300</n>")
    run(Project(tmp_path).flow("F"), Project(tmp_path))
    assert bodies(qm, "OUT") == [b"<n>0</n>"]


def test_a_name_of_ours_may_stand_in_an_override(tmp_path: Path) -> None:
    in_out().write(tmp_path / "F.msgflow")
    told = read_override_file("F#MQ Output.queue=OUT2\nF#MQ Input.transaction=no", "o")
    flow = Project(tmp_path, overrides=told).flow("F")
    assert (flow.node("MQ Output").properties()["queue"], notes(flow)) == ("OUT2", [])
    assert flow.overridden == {"F#MQ Output.queue", "F#MQ Input.transaction"}


DFDL_SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">
<xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
<dfdl:format representation="text" encoding="UTF-8" lengthKind="delimited" initiator="" terminator=""
 separator="" occursCountKind="implicit" textTrimKind="none" textNumberRep="standard" escapeSchemeRef=""/>
</xs:appinfo></xs:annotation>
<xs:element name="Order"><xs:complexType><xs:sequence dfdl:separator=",">
<xs:element name="Id" type="xs:string"/><xs:element name="Name" type="xs:string"/>
</xs:sequence></xs:complexType>
</xs:element></xs:schema>"""


def test_dfdl_has_its_root_element_and_a_type_alone_finds_the_schema(
    qm: Any, run: Any, tmp_path: Path
) -> None:
    (tmp_path / "Library").mkdir()
    (tmp_path / "Library" / "library.descriptor").write_text("<libraryDescriptor/>")
    (tmp_path / "Library" / "order.xsd").write_text(DFDL_SCHEMA)
    write_esql(
        tmp_path / "M.esql",
        "M",
        "SET OutputRoot = InputRoot;\nSET OutputRoot.DFDL.Order.Name = UPPER(InputRoot.DFDL.Order.Name);",
    )
    file = FlowFile().node(
        "ComIbmMQInput", "In", queueName="IN", messageDomainProperty="DFDL", messageTypeProperty="{}:Order"
    )
    file.node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    file.node("ComIbmMQOutput", "Out", queueName="OUT")
    file.wire("In.out", "Compute.in").wire("Compute.out", "Out.in").write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    qm.put("IN", b"5,pump")
    run(project.flow("F"), project=project)
    assert qm.get("OUT").body == b"5,PUMP"


def named_by_the_program(tmp_path: Path, said: str) -> FlowFile:
    """A flow whose ESQL makes a DFDL body for the schema of a library beside it."""
    (tmp_path / "Library").mkdir()
    (tmp_path / "Library" / "library.descriptor").write_text("<libraryDescriptor/>")
    (tmp_path / "Library" / "order.xsd").write_text(DFDL_SCHEMA)
    body = "SET OutputRoot.Properties = InputRoot.Properties; SET OutputRoot.MQMD = InputRoot.MQMD;\n" + said
    write_esql(tmp_path / "M.esql", "M", body)
    file = in_out().node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    return file.wire("MQ Input.out", "Compute.in").wire("Compute.out", "MQ Output.in")


MADE = "SET OutputRoot.DFDL.Order.Id = 7; SET OutputRoot.DFDL.Order.Name = InputBody.a;"


@pytest.mark.parametrize("library", ["{Library}", "Library", ""])
def test_a_program_names_a_library_and_a_type(qm: Any, run: Any, tmp_path: Path, library: str) -> None:
    said = f"SET OutputRoot.Properties.MessageSet = '{library}';"
    said += "SET OutputRoot.Properties.MessageType = '{}:Order';" + MADE
    named_by_the_program(tmp_path, said).write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    qm.put("IN", b"<a>pump</a>")
    run(project.flow("F"), project=project)
    assert qm.get("OUT").body == b"7,pump"


def test_asbitstream_names_a_library_and_a_type(qm: Any, run: Any, tmp_path: Path) -> None:
    said = "CREATE LASTCHILD OF Environment DOMAIN('DFDL') NAME 'DFDL';"
    said += MADE.replace("OutputRoot", "Environment")
    said += (
        "SET OutputRoot.BLOB.BLOB = ASBITSTREAM(Environment.DFDL SET '{Library}' TYPE '{}:Order' CCSID 1208);"
    )
    named_by_the_program(tmp_path, said).write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    qm.put("IN", b"<a>pump</a>")
    run(project.flow("F"), project=project)
    assert qm.get("OUT").body == b"7,pump"


def test_a_routine_of_a_schema_that_is_not_there_is_found_by_the_check(tmp_path: Path) -> None:
    write_esql(tmp_path / "M.esql", "M", "SET OutputRoot.XMLNSC.a = util.getLength('x');")
    file = in_out().node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    file.wire("MQ Input.out", "Compute.in").wire("Compute.out", "MQ Output.in").write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    found = [str(each) for each in check_flow(project.flow("F"), project).findings]
    said = "its ESQL uses util.getLength, which no file of the project declares"
    assert found == [f"unavailable: Compute: {said}"]
