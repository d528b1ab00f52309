"""The node table fits the nodes: every argument that a row gives is one that the node takes."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

from penstock.flow import Project, nodes
from penstock.flow.importer.node_table import ROWS, reason
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

# Properties of the file format that our nodes do not have: a value other than the default is noted.
NOT_THERE = {
    "MQOutput": {"validate"},
    "MQReply": {"validate"},
    "MQGet": {"validate"},
    "AggregateReply": {"transaction"},
    "HTTPInput": {"validate", "https", "set_label"},
    "HTTPRequest": {"validate"},
    "FileInput": {"validate"},
    "FileOutput": {"validate"},
    "FileRead": {"validate"},
    "XSLTransform": {"validate"},
    "TimeoutNotification": {"transaction"},
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
    assert set(row.inputs.values()) <= set(made.inputs)


def test_every_type_without_a_node_has_a_reason() -> None:
    assert "IMS" in reason("ComIbmIMSRequest")
    assert "yet" in reason("ComIbmSomethingElse")
    assert "user-defined" in reason("my_own_Thing")


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
