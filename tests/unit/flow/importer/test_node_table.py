"""The node table fits the nodes: every argument that a row gives is one that the node takes."""

from __future__ import annotations

import inspect
import runpy
from typing import TYPE_CHECKING

import pytest

from penstock.flow import CompiledFlow, Project, nodes
from penstock.flow.importer.node_table import ROWS, reason
from penstock.flow.importer.python_writer import python_of
from tests.flow_files import FlowFile, write_esql

if TYPE_CHECKING:
    from pathlib import Path

# Properties of the file format that our nodes do not have: a value other than the default is noted.
NOT_THERE = {
    "MQOutput": {"validate"},
    "MQReply": {"validate"},
    "MQGet": {"validate"},
    "Compute": {"validate"},
    "ResetContentDescriptor": {"validate"},
    "SOAPInput": {"validate"},
    "SOAPReply": {"validate"},
    "SOAPRequest": {"validate"},
    "Filter": {"throw_database_errors"},
    "AggregateReply": {"transaction"},
    "HTTPInput": {"validate"},
    "HTTPRequest": {"validate"},
    "FileInput": {"validate"},
    "FileOutput": {"validate"},
    "FileRead": {"validate"},
    "XSLTransform": {"validate"},
    "TimeoutNotification": {"transaction"},
    "JMSInput": {"validate"},
    "JMSOutput": {"validate"},
    "JMSReply": {"validate"},
    "JMSReceive": {"validate"},
    "HTTPAsyncResponse": {"validate"},
    "RESTAsyncResponse": {"validate"},
    "KafkaConsumer": {"validate"},
    "KafkaProducer": {"validate"},
    "KafkaRead": {"validate"},
    "TCPIPClientInput": {"validate"},
    "TCPIPClientOutput": {"validate"},
    "TCPIPClientReceive": {"validate"},
    "TCPIPServerInput": {"validate"},
    "TCPIPServerOutput": {"validate"},
    "TCPIPServerReceive": {"validate"},
}


@pytest.mark.parametrize("type_", sorted(ROWS))
def test_a_row_fits_its_node(type_: str) -> None:
    row = ROWS[type_]
    made = getattr(nodes, row.node, None)
    if made is None:
        pytest.skip(f"there is no {row.node} yet")
    known = set(inspect.signature(made).parameters)
    given = {argument for argument, _ in row.properties.values()} | set(row.defaults)
    assert given - known <= NOT_THERE.get(row.node, set())
    assert "name" in known
    assert not row.inputs or set(row.inputs.values()) <= set(made.inputs)


def test_every_type_without_a_node_has_a_reason() -> None:
    assert "IMS" in reason("ComIbmIMSRequest")
    assert "yet" in reason("ComIbmSomethingElse")
    assert "user-defined" in reason("my_own_Thing")


def test_what_a_node_does_not_do_is_noted_never_dropped(tmp_path: Path) -> None:
    write_esql(tmp_path / "Code.esql", "M", "SET OutputRoot = InputRoot;")
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN")
    file.node("ComIbmResetContentDescriptor", "Reset", validateMaster="contentAndValue")
    file.node("ComIbmFilter", "Asks", filterExpression="TRUE", throwExceptionOnDatabaseError="false")
    file.node("ComIbmFilter", "Throws", filterExpression="TRUE", throwExceptionOnDatabaseError="true")
    file.node(
        "ComIbmCompute",
        "Compute",
        computeExpression="esql://routine/#M.Main",
        validateMaster="content",
    )
    file.node("ComIbmSOAPReply", "Reply", validateMaster="inherit")
    file.write(tmp_path / "F.msgflow")

    project = Project(tmp_path)
    found = CompiledFlow(project.flow("F"), project).warnings
    notes = [str(each) for each in found if "property" in str(each)]

    assert sorted(notes) == [
        "warning: Asks: property throw_database_errors='false' is not known to Filter",
        "warning: Compute: property validate='content' is not known to Compute",
        "warning: Reset: property validate='contentAndValue' is not known to ResetContentDescriptor",
    ]


def test_tables_inside_nodes_are_read(tmp_path: Path) -> None:
    file = FlowFile().node(
        "ComIbmRoute",
        "Route",
        '<outTerminals terminalNodeID="OutTerminal.big" dynamic="true" label="big"/>'
        '<filterTable filterPattern="$Root/XMLNSC/p:n > 5" routingOutputTerminal="OutTerminal.big"/>'
        '<nsMappingTable nsPrefix="p" namespace="urn:p"/>',
        distributionMode="first",
    )
    file.node(
        "ComIbmDatabaseRetrieve",
        "Look up",
        '<queryElements tableName="T" columnName="C" operator="=" value="$Root/XMLNSC/a"/>'
        '<queryElements tableName="T" columnName="D" operator="ASC" valueType="None" value="None"/>'
        '<dataElements columnName="T.E" messageElement="$OutputRoot/XMLNSC/b"/>',
        dataSourceName="SHOP",
    )
    file.write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    route, look = flow.node("Route").properties(), flow.node("Look up").properties()
    assert [tuple(each) for each in route["filters"]] == [("$Root/XMLNSC/p:n > 5", "big")]
    assert (route["distribution"], route["namespaces"]) == ("first", {"p": "urn:p"})
    assert [tuple(each) for each in look["query"]] == [
        ("T.C", "=", "Root.XMLNSC.a", "element"),
        ("T.D", "ASC", "None", "none"),
    ]
    assert (look["data"], look["copy_message"]) == ({"T.E": "OutputRoot.XMLNSC.b"}, False)
    assert "big" in flow.node("Route").outputs


@pytest.mark.parametrize("type_", sorted(set(ROWS) - {"ComIbmMSLMapping", "ComIbmXslMqsi"}))
def test_a_node_without_properties_is_made_and_written_again(type_: str, tmp_path: Path) -> None:
    row = ROWS[type_]
    write_esql(tmp_path / "m.esql", "M", "SET OutputRoot = InputRoot;")
    given = {row.esql: "esql://routine/#M.Main"} if row.esql else {}
    FlowFile().node(type_, "N", **given).write(tmp_path / "F.msgflow")
    node = Project(tmp_path).flow("F").node("N")
    assert type(node).__name__ == row.node
    written = tmp_path / "written.py"
    written.write_text(python_of(Project(tmp_path).flow("F")))
    again = runpy.run_path(str(written))["flow"].node("N")
    assert again.properties() == node.properties()
    assert (again.inputs, again.outputs) == (node.inputs, node.outputs)


def test_what_arms_a_change_counts(tmp_path: Path) -> None:
    file = FlowFile().node(
        "ComIbmResetContentDescriptor",
        "Reset",
        resetMessageDomain="true",
        messageDomain="JSON",
        messageType="x",
    )
    file.node(
        "ComIbmValidate", "Check", checkDomain="true", domain="XMLNSC", set="S", validateMaster="content"
    )
    file.node(
        "ComIbmWSRequest",
        "Ask",
        URLSpecifier="http://h/",
        useWholeInputMsgAsRequest="false",
        timeoutForServer="7",
    )
    file.node(
        "ComIbmFileOutput",
        "Write",
        outputDirectory="/d",
        recordDefinition="delimited",
        recordDelimiter="customDelimiter",
        customDelimiter="2c",
    )
    file.node(
        "ComIbmMQHeader", "Head", mqmdAAAOptions="Modify header", mqmdReplyToQ="R", mqmdFormat="MQFMT_NONE"
    )
    file.node(
        "ComIbmMQGet", "Get", waitInterval="2500", copyMessage="copyEntireMessage", copyLocalEnv="none"
    ).wire("Get.out", "Write.EOD")
    write_esql(tmp_path / "m.esql", "M", "SET OutputRoot = InputRoot;")
    file.node("ComIbmCompute", "Insert", computeExpression="esql://routine/#M.Main", transaction="commit")
    file.node("ComIbmAggregateReply", "Reply", aggregateName="A", transactionMode="true")
    flow = file.write(tmp_path / "F.msgflow") and Project(tmp_path).flow("F")
    own = {node.name: node.properties() for node in flow.nodes}
    assert (own["Reset"]["domain"], own["Reset"]["message_type"]) == ("JSON", None)
    assert (own["Check"]["domain"], own["Check"]["model"], own["Check"]["content"]) == (
        "XMLNSC",
        "",
        "content",
    )
    assert (own["Ask"]["request_location"], own["Ask"]["timeout"]) == ("InputRoot", 7.0)
    assert (own["Write"]["records"], own["Write"]["delimiter"]) == ("delimited", "2c")
    assert own["Head"]["actions"] == {"MQMD": "modify"}
    assert own["Head"]["fields"]["MQMD"]["ReplyToQ"] == "R"
    assert (own["Get"]["wait"], own["Get"]["copy_message"]) == (2.5, "entire")
    assert own["Get"]["copy_local_environment"] is False
    assert [wire.input for wire in flow.wires] == ["finish"]
    assert (own["Insert"]["transaction"], own["Reply"]["transaction"]) == ("commit", "yes")


def test_nodes_of_groups_keep_names_times_and_folders(tmp_path: Path) -> None:
    file = FlowFile()
    file.node("ComIbmGroupScatter", "Scatter", GroupName="G", GroupTimeout="50.0")
    asked = {"AddRequestToGroup": "true", "GroupRequestFolderName": "Door"}
    file.node("ComIbmMQOutput", "Ask", queueName="Q", **asked)
    file.node("ComIbmCallableFlowAsyncInvoke", "Call", **asked)
    file.node("ComIbmGroupGather", "Gather", GroupName="G", UnknownMessageTimeout="5.0")
    file.node("ComIbmGroupComplete", "Complete", GroupName="G")
    file.wire("Scatter.out", "Ask.in").wire("Scatter.GroupCreated", "Gather.in")
    flow = file.write(tmp_path / "F.msgflow") and Project(tmp_path).flow("F")

    own = {node.name: node.properties() for node in flow.nodes}
    assert (own["Scatter"]["group"], own["Scatter"]["timeout"]) == ("G", 50.0)
    for label in ("Ask", "Call"):
        assert (own[label]["add_to_group"], own[label]["group_folder"]) == (True, "Door")
    assert (own["Gather"]["group"], own["Gather"]["unknown_timeout"]) == ("G", 5.0)
    assert own["Complete"]["group"] == "G"
    assert len(flow.wires) == 2
    assert flow.notes == []
