"""Mapping: copies and transforms between domains, loops, tables, the NULL condition; YAML, Python, `.map`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.flow import Flow, Project, nodes
from penstock.flow.checking import check_flow
from penstock.flow.mapping import Map, read_map
from penstock.flow.mapping.graphical import read_graphical_map
from penstock.flow.mapping.graphical.map_file import MapSurroundings
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from tests.conformance.flow import shop

MODEL = """
model: ORDER
formats:
  HOST: {kind: CWF, ccsid: 37, encoding: 785}
  TEXT: {kind: TDS}
messages:
  Order:
    TEXT: {separation: tagged delimited, delimiter: ";", tag_data_separator: "="}
    fields:
      - {name: Id, type: integer, HOST: {length: 4}, TEXT: {tag: ID}}
      - {name: Name, min: 0, HOST: {length: 8}, TEXT: {tag: NAME}}
"""
XML = (
    b"<Order><Id>5</Id><Name>pump</Name>"
    b"<Line><Sku>a</Sku><Qty>2</Qty></Line><Line><Sku>b</Sku><Qty>0</Qty></Line></Order>"
)
HOST = Descriptor(ccsid=37, encoding=785)


def flow_of(node: nodes.Mapping, **source: str) -> Flow:
    flow = Flow("mapped")
    start = flow.add(nodes.MQInput("IN", **{"domain": "XMLNSC", **source}))
    flow.add(node)
    start.out >> node.in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def mapped(
    qm: Any, run: Any, body: bytes, map: Map | str, data_source: str = "", **source: str
) -> bytes | None:
    descriptor = HOST if source.get("message_format") == "HOST" else None
    qm.put("IN", body, correl_id=b"c" * 24, descriptor=descriptor)
    run(flow_of(nodes.Mapping(map, data_source=data_source), **source))
    found = qm.get("OUT")
    assert found is None or found.correl_id == b"c" * 24
    return None if found is None else found.body


@pytest.fixture
def model(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "order.yaml").write_text(MODEL)


def test_copy_from_xml_to_json(qm: Any, run: Any) -> None:
    map = Map("JSON")
    map.set("Data.id", "CAST(source.Order.Id AS INTEGER)")
    map.set("Data.name", "source.Order.Name")
    assert mapped(qm, run, XML, map) == b'{"id":5,"name":"pump"}'


def test_an_attribute_of_the_source_is_written_as_in_esql(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.set("Bill.@of", "source.Order.(XMLNSC.Attribute)id")

    assert mapped(qm, run, b'<Order id="7"/>', map) == b'<Bill of="7"/>'


def test_copy_of_a_folder_takes_all_below_it(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.set("Copy.First", "source.Order.Line[1]")
    assert mapped(qm, run, XML, map) == b"<Copy><First><Sku>a</Sku><Qty>2</Qty></First></Copy>"


def test_xml_to_cwf_to_tds_to_xml(qm: Any, run: Any, model: None) -> None:
    to_host, to_text, to_xml = (
        Map("MRM", model="order", message="Order", format="HOST", ccsid=37, encoding=785),
        Map("MRM", model="order", message="Order", format="TEXT", ccsid=1208, encoding=546),
        Map("XMLNSC"),
    )
    for map, place in ((to_host, "source.Order."), (to_text, "source."), (to_xml, "source.")):
        for name in ("Id", "Name"):
            map.set(f"Order.{name}" if map is to_xml else name, place + name)
    host = mapped(qm, run, XML, to_host)
    assert host == (5).to_bytes(4, "big") + "pump    ".encode("cp037")
    source = {"domain": "MRM", "model": "order", "message_type": "Order"}
    text = mapped(qm, run, host, to_text, **source, message_format="HOST")
    assert text == b"ID=5;NAME=pump"
    assert mapped(qm, run, text, to_xml, **source, message_format="TEXT") == (
        b"<Order><Id>5</Id><Name>pump</Name></Order>"
    )


COMPUTE = """
CREATE COMPUTE MODULE ToText
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.MQMD = InputRoot.MQMD;
    SET OutputRoot.Properties.MessageSet = '%s';
    SET OutputRoot.Properties.MessageType = 'Order';
    SET OutputRoot.Properties.MessageFormat = 'TEXT';
    SET OutputRoot.MRM.Id = CAST(InputRoot.XMLNSC.Order.Id AS INTEGER);
    SET OutputRoot.MRM.Name = InputRoot.XMLNSC.Order.Name;
    RETURN TRUE;
  END;
END MODULE;
"""


@pytest.mark.parametrize(("model_set", "written"), [("order", b"ID=5;NAME=pump"), ("", None)])
def test_a_compute_writes_by_the_model_that_properties_name(
    qm: Any, run: Any, model: None, tmp_path: Path, model_set: str, written: bytes | None
) -> None:
    (tmp_path / "to_text.esql").write_text(COMPUTE % model_set)
    flow = Flow("computed")
    start, change = (
        flow.add(nodes.MQInput("IN", domain="XMLNSC")),
        flow.add(nodes.Compute("to_text.esql", module="ToText")),
    )
    start.out >> change.in_
    change.out >> flow.add(nodes.MQOutput("OUT")).in_
    change.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    qm.put("IN", XML)
    run(flow)
    found = qm.get("OUT" if written else "FAILED")
    assert found.body == (written or XML)


def test_null_condition_leaves_a_missing_field_out(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.set("New.Id", "source.Order.Id")
    map.set("New.Fee", "COALESCE(source.Order.Fee, 'none')")
    map.set("New.Tax", "UPPER(source.Order.Tax)", skip_null=True)
    assert mapped(qm, run, XML, map) == b"<New><Id>5</Id><Fee>none</Fee></New>"


def test_when_is_a_condition_of_the_authors_own(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.set("New.Id", "source.Order.Id", when="source.Order.Name = 'pump'")
    map.set("New.Name", "source.Order.Name", when="source.Order.Id > 100")
    assert mapped(qm, run, XML, map) == b"<New><Id>5</Id></New>"


def test_each_makes_a_field_for_each_of_a_list(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    item = map.each("New.Items.Item", "source.Order.Line", variable="line", when="line.Qty > 0")
    item.set("@code", "UPPER(line.Sku)")
    item.set("Of", "source.Order.Id")
    assert mapped(qm, run, XML, map) == (b'<New><Items><Item code="A"><Of>5</Of></Item></Items></New>')


def test_namespaces_and_names_of_any_kind(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.set('{urn:new}Order."the-id"', "source.Order.Id")
    found = mapped(qm, run, XML, map)
    assert found is not None
    assert b"urn:new" in found
    assert b"<the-id>5</the-id>" in found


def test_a_python_function_transforms(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.call(
        "New.Name", lambda name, number: f"{name.title()}-{number}", "source.Order.Name", "source.Order.Id"
    )
    assert mapped(qm, run, XML, map) == b"<New><Name>Pump-5</Name></New>"


def test_a_table_of_a_database(qm: Any, run: Any, data_source: str) -> None:
    shop.create(data_source)
    map = Map("XMLNSC")
    row = map.rows("New.Customer", "Database.customer", where="row.id < CAST(source.Order.Id AS INTEGER) - 2")
    row.set("Name", "row.name")
    row.set("City", "row.city", skip_null=True)
    assert mapped(qm, run, XML, map, "SHOP") == (
        b"<New><Customer><Name>Ada</Name><City>London</City></Customer>"
        b"<Customer><Name>Ben</Name></Customer></New>"
    )


def test_yaml_has_the_same_words(qm: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "order.yaml").write_text(
        """
to: XMLNSC
skip_null: true
fields:
  New.Id: source.Order.Id
  New.Tax: source.Order.Tax
  New.Paid: true
  New.Name: {value: UPPER(source.Order.Name), when: source.Order.Id = 5}
  New.Item: {each: source.Order.Line, variable: line, fields: {Sku: line.Sku}}
"""
    )
    assert mapped(qm, run, XML, "order.yaml") == (
        b"<New><Id>5</Id><Paid>true</Paid><Name>PUMP</Name>"
        b"<Item><Sku>a</Sku></Item><Item><Sku>b</Sku></Item></New>"
    )


def test_failure_gets_a_message_whose_value_cannot_be(qm: Any, run: Any) -> None:
    map = Map("XMLNSC")
    map.set("New.Id", "CAST(source.Order.Name AS INTEGER)")
    assert mapped(qm, run, XML, map) is None
    assert qm.get("FAILED").body == XML


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("to: XMLNSC\nfields: {A: {valu: 1}}", "map: A: 'valu' means nothing here; did you mean 'value'"),
        ("fields: {A: b}", "expected domain"),
        ("to: XMLNSC", "fields are names"),
        ("[", "map: "),
    ],
)
def test_yaml_that_is_wrong_says_where(text: str, problem: str) -> None:
    with pytest.raises(MQError, match=problem):
        read_map(text)


MAP_FILE = b"""<?xml version="1.0" encoding="UTF-8"?>
<mappingRoot xmlns="http://www.ibm.com/2008/ccl/Mapping" targetNamespace="default" version="8.0.5.0">
 <namespaces><namespace kind="supplement" prefix="n" uri="urn:new"/></namespaces>
 <mappingDeclaration name="Orders">
  <input path="mb:msg(Order,assembly,XMLNSC,Properties)" var="In"/>
  <output path="mb:msg(New,assembly,XMLNSC,Properties)" var="Out"/>
  <move><input path="$In/Properties"/><output path="$Out/Properties"/></move>
  <local>
   <input path="$In/Order" var="Order"/><output path="$Out/n:New"/>
   <move><input path="$Order/Id" var="Id"/><output path="@id"/></move>
   <move><input path="$Order/Nothing"/><output path="Nothing"/></move>
   <assign value="it's new"><output path="State"/></assign>
   <if><input path="$Order/Name" var="Name"/><output path="."/><test>$Name = 'pump'</test>
    <move><input path="$Name"/><output path="Name"/></move></if>
   <foreach><input path="$Order/Line" var="Line"/><output path="Item"/><filter>$Line/Qty != 0</filter>
    <move><input path="$Line/Sku"/><output path="Sku"/></move></foreach>%s
  </local>
 </mappingDeclaration>
</mappingRoot>"""


def test_map_file_with_moves_loops_and_conditions(qm: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "orders.map").write_bytes(MAP_FILE % b"")
    found = mapped(qm, run, XML, "orders.map")
    assert found is not None
    assert b'id="5"' in found
    assert (
        found.endswith(b"<State>it&apos;s new</State><Name>pump</Name><Item><Sku>a</Sku></Item></NS1:New>")
        or b"<Name>pump</Name><Item><Sku>a</Sku></Item>" in found
    )
    assert b"Nothing" not in found
    assert b"urn:new" in found


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        (b'<magic><output path="Short"/></magic>', "magic to Short is not understood"),
        (b'<function ref="fn:none"><output path="Short"/></function>', "function to Short: function fn:none"),
        (b'<expression><output path="S"/><code>1 +</code></expression>', "expression to S: expression '1 +'"),
        (b'<foreach><input path="$Order/Line"/><output path="S[3]"/></foreach>', "the path 'S[3]'"),
        (b'<submap ref="map:None"><output path="S"/></submap>', "there is no submap None.map"),
    ],
)
def test_map_file_is_refused_before_it_runs(inside: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "orders.map").write_bytes(MAP_FILE % inside)
    with pytest.raises(MQError) as raised:
        Project(tmp_path).graphical_map("orders.map")
    assert raised.value.reason == 8336
    assert why in raised.value.detail


ALONE = MapSurroundings(lambda _: None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_map_file_with_entities_is_refused(encoding: str) -> None:
    with pytest.raises(MQError, match="document type") as raised:
        read_graphical_map('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode(encoding), "bad.map", ALONE)
    assert raised.value.reason == 8361


@pytest.mark.parametrize("depth", [250, 1900, 3000])
def test_map_file_may_not_nest_without_end(depth: int) -> None:
    nested = b'<local><input path="$In/a"/><output path="b"/>' * depth + b"</local>" * depth
    with pytest.raises(MQError, match="within each other"):
        read_graphical_map(MAP_FILE % nested, "deep.map", ALONE)


# -- sources that are not there ----------------------------------------------------------------

OTHER = b"<Invoice><No>1</No></Invoice>"


def order_map() -> Map:
    made = Map("XMLNSC", name="orders")
    made.set("Out.Id", "CAST(source.Order.Id AS INTEGER)")
    made.set("Out.Name", "source.Order.Name", skip_null=True)
    made.set("Out.Kind", "'order'")
    made.each("Out.Line", "source.Order.Line")
    return made


def test_a_message_without_any_source_fails_and_names_them(qm: Any, run: Any) -> None:
    assert mapped(qm, run, OTHER, order_map()) is None
    assert qm.get("FAILED").body == OTHER


def test_one_source_is_enough(qm: Any, run: Any) -> None:
    assert mapped(qm, run, b"<Order><Name>n</Name></Order>", order_map()) is not None
    assert mapped(qm, run, b"<Order><Line/></Order>", order_map()) is not None


def test_a_map_of_constants_reads_nothing(qm: Any, run: Any) -> None:
    made = Map("XMLNSC")
    made.set("Out.Kind", "'order'")
    assert mapped(qm, run, OTHER, made) == b"<Out><Kind>order</Kind></Out>"


def test_it_may_be_logged_only(qm: Any, run: Any, caplog: pytest.LogCaptureFixture) -> None:
    qm.put("IN", OTHER)
    run(flow_of(nodes.Mapping(order_map(), sources_missing="log")))
    assert qm.get("OUT").body == b"<Out><Kind>order</Kind></Out>"
    assert "none of the fields that map orders reads: source.Order.Id, source.Order.Name" in caplog.text
    assert list(nodes.Mapping(order_map(), sources_missing="?").check()) == [
        "sources_missing '?' is not one of fail, log"
    ]


@pytest.mark.usefixtures("model")
def test_flow_check_warns_of_sources_that_the_model_does_not_have(tmp_path: Path) -> None:
    made = Map("XMLNSC")
    made.set("Out.Id", "source.Id")
    made.set("Out.Sum", 'CAST(source."Sum" AS DECIMAL) + 1')
    made.call("Out.Name", str.title, "source.Name", "source.Id.Part")
    source = {"domain": "MRM", "model": "order", "message_type": "Order", "message_format": "HOST"}
    texts = [
        str(each) for each in check_flow(flow_of(nodes.Mapping(made), **source), Project(tmp_path)).findings
    ]
    assert [each.split("reads ")[1].split(",")[0] for each in texts] == ['source."Sum"', "source.Id.Part"]
    assert all(each.startswith("warning: Mapping:") for each in texts)

    unknown = flow_of(nodes.Mapping(made))  # without a model nothing is known
    assert check_flow(unknown, Project(tmp_path)).findings == []
    changed = flow_of(nodes.Mapping(made), **source)  # behind a node that changes the message, too
    changed.wires.clear()
    compute = changed.add(nodes.ResetContentDescriptor(domain="XMLNSC"))
    changed.nodes[0].out >> compute.in_
    compute.out >> changed.nodes[1].in_
    assert [each for each in check_flow(changed, Project(tmp_path)).findings if "reads" in each.text] == []


def test_fields_of_a_json_body_are_in_data(
    qm: Any, run: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = Map("XMLNSC")
    made.set("Out.Id", "source.id")
    flow = flow_of(nodes.Mapping(made, sources_missing="log"), domain="JSON")
    assert [each.text for each in check_flow(flow, Project(tmp_path)).findings] == [
        "the map reads source.id, but the fields of a JSON body are in source.Data"
    ]
    qm.put("IN", b'{"id": 1}')
    run(flow)
    assert "reads: source.id (the fields of a JSON body are in source.Data)" in caplog.text
