"""Tests of flows: the rig, stubs and spies, cases in YAML, recordings, and the commands."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from penstock.flow import Flow, Project, nodes
from penstock.flow.testing.cases import content_of, read_cases, run_file
from penstock.flow.testing.recording import as_content, save_case
from penstock.flow.testing.rig import Rig
from penstock.model.errors import MQError

ORDERS = Path(str(files("penstock.examples"))) / "orders"
LARGE = (
    b"<Order><Id>17</Id><Customer><Id>C1</Id><Name>Alice</Name></Customer>"
    b"<Item><Article>lamp</Article><Price>700.00</Price><Quantity>2</Quantity></Item>"
    b"<Total>1400.00</Total></Order>"
)

NUMBERS = """
from penstock.flow import Flow, nodes

flow = Flow("numbers")
start = flow.add(nodes.MQInput("IN", domain="JSON"))
double = flow.add(nodes.Compute("esql/double.esql", module="Double"))
end = flow.add(nodes.MQOutput("OUT"))
start.out >> double.in_
double.out >> end.in_
"""
COPIED = """
from penstock.flow import Flow, Map, nodes

order = Map("XMLNSC")
order.set("Order.sum", "source.Data.sum")
order.set("Order.@rate", "source.Data.rate")
order.set("Order.next", "source.Data.sum + 1")
flow = Flow("numbers")
start = flow.add(nodes.MQInput("IN", domain="JSON"))
copy = flow.add(nodes.Mapping(order))
end = flow.add(nodes.MQOutput("OUT"))
start.out >> copy.in_
copy.out >> end.in_
"""
DOUBLE = """
CREATE COMPUTE MODULE Double
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.JSON.Data.twice = InputRoot.JSON.Data.sum * 2;
    RETURN TRUE;
  END;
END MODULE;
"""


def test_the_cases_of_the_example_pass() -> None:
    results = run_file(Project(ORDERS), ORDERS / "tests" / "orders.yaml")
    assert [result.problems for result in results] == [[]] * 5


def test_spies_see_and_stubs_answer() -> None:
    with Rig("orders", ORDERS) as rig:
        spy = rig.spy("Billing")
        rig.stub("Bill", "<Stubbed/>")
        rig.put(LARGE)
        rig.run()
        assert spy.bodies == [b"<Stubbed/>"]
        assert rig.bodies("BILLING") == [b"<Stubbed/>"]


def test_a_stub_may_be_a_function_and_choose_the_terminal() -> None:
    with Rig("orders", ORDERS) as rig:
        rig.stub("Large", lambda assembly, send: send("false", assembly))
        rig.put(LARGE)
        rig.run()
        assert len(rig.bodies("WAREHOUSE")) == 1


def test_an_unknown_label_is_named_with_the_likely_one() -> None:
    with Rig("orders", ORDERS) as rig, pytest.raises(MQError, match="did you mean 'Bill'"):
        rig.spy("Bil")


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"out": {}}, "queue OUT: messages 1, expected 0"),
        ({"out": {"OUT": [{"body": "y"}]}}, "body 'x', expected 'y'"),
        ({"out": {"OUT": [{"body": "x"}]}, "wires": {"MQInput.out": 2}}, "messages 1, expected 2"),
        ({"out": {"OUT": [{"body": "x", "priority": 7}]}}, "priority 0, expected 7"),
        ({"out": {"OUT": [{"hex": "79"}]}}, "body 78, expected 79"),
        ({"in": [{"body": "x", "ccsid": 37}], "out": {"OUT": [{"ccsid": 1208}]}}, "ccsid 37, expected 1208"),
        (
            {"in": [{"body": "x", "encoding": 785}], "out": {"OUT": [{"encoding": 546}]}},
            "encoding 785, expected",
        ),
        ({"out": ["OUT"]}, "'out' of a test is a mapping"),
        ({"out": {"OUT": [{"hex": "zz"}]}}, "the body of a message cannot be had"),
        ({"out": {"OUT": [{"body": "x"}]}, "wires": {"MQInput.uot": 0}}, "no such terminal"),
        ({"uot": {}}, "'uot' is not known here; did you mean 'out'?"),
        ({"in": [{"body": "x", "correl_id": "xyz"}]}, "correl_id is hexadecimal digits in quotes, not 'xyz'"),
        ({"in": [{"body": "x", "correl_id": 5}]}, "correl_id is hexadecimal digits in quotes, not 5"),
        ({"in": [{"body": "x", "msg_id": "00" * 25}]}, "msg_id has at most 48 digits, not 50"),
        ({"out": {"OUT": [{"json": {"a": 1}}]}}, "queue OUT, message 1: body 'x' is not JSON"),
        ({"database": {"D": "CREATE TABLE t (a)"}}, "D has a list of statements, not 'CREATE TABLE t (a)'"),
        ({"database": {"D": ["CREATE"]}}, "data source D: incomplete input: CREATE"),
        ({"out": {"OUT": [{}]}, "rows": {"D": {"t": []}}}, "no data source D"),
        ({"rows": {"D": 5}}, "rows of D are by table, not 5"),
        ({"stubs": {"MQOutput": {"terminal": "out"}}}, "stub MQOutput is a body or has one"),
        ({"queues": "MORE"}, "queues are a list of names, not 'MORE'"),
    ],
)
def test_what_is_not_as_expected_is_told(tmp_path: Path, case: dict[str, Any], told: str) -> None:
    flow = Flow("through")
    start, end = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT"))
    start.out >> end.in_
    project = Project(tmp_path)
    project.flows = {"through": flow}
    path = tmp_path / "cases.yaml"
    path.write_text(json.dumps({"flow": "through", "tests": [{"name": "t", "in": [{"body": "x"}], **case}]}))
    try:
        (result,) = run_file(project, path)
        problems = result.problems
    except MQError as raised:
        problems = [str(raised)]
    assert told in "\n".join(problems)


def test_json_may_be_written_as_what_it_is(tmp_path: Path) -> None:
    flow = Flow("through")
    start, end = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT"))
    start.out >> end.in_
    project = Project(tmp_path)
    project.flows = {"through": flow}
    path = tmp_path / "cases.yaml"
    case = {
        "in": [{"json": {"a": [1, "\u00e9", None, True]}}],
        "out": {"OUT": [{"json": {"a": [1, "\u00e9", None, True]}}]},
    }
    path.write_text(json.dumps({"flow": "through", "tests": [case]}))
    (result,) = run_file(project, path)
    assert not result.problems


def test_a_project_without_flows_says_where_they_should_be(tmp_path: Path) -> None:
    with pytest.raises(MQError, match=r"there are: none in .*flows"):
        Project(tmp_path).flow("shop")


def test_trace_shows_every_wire_and_saves_a_test(tmp_path: Path) -> None:
    message = tmp_path / "large.xml"
    message.write_bytes(LARGE)
    saved = tmp_path / "tests" / "orders.yaml"
    arguments = ["flow", "trace", "orders", str(message), "--project", str(ORDERS)]
    told = CliRunner().invoke(application(), [*arguments, "--save-test", str(saved)])
    assert told.exit_code == 0, told.output
    assert "== Large.true -> Bill" in told.output
    assert "== queue BILLING" in told.output
    (result,) = run_file(Project(ORDERS), saved)
    assert result.problems == []


def test_trace_reads_a_message_in_its_character_set_and_saves_it(tmp_path: Path) -> None:
    message = tmp_path / "large.xml"
    message.write_bytes(LARGE.decode().encode("cp037"))
    saved = tmp_path / "tests" / "orders.yaml"
    arguments = ["flow", "trace", "orders", str(message), "--project", str(ORDERS), "--save-test", str(saved)]
    told = CliRunner().invoke(application(), [*arguments, "--ccsid", "37", "--encoding", "785"])
    assert told.exit_code == 0, told.output
    assert "== queue BILLING" in told.output
    (result,) = run_file(Project(ORDERS), saved)
    assert result.problems == []


def test_trace_of_a_body_that_cannot_be_parsed_shows_where_it_went(tmp_path: Path) -> None:
    message = tmp_path / "broken.xml"
    message.write_bytes(b"<Order><Tot")
    command = ["flow", "trace", "orders", str(message), "-p", str(ORDERS)]
    assert "+ XMLNSC = cannot be parsed: 8101" in CliRunner().invoke(application(), command).output
    told = CliRunner().invoke(application(), [*command, "--full"])
    assert told.exit_code == 0, told.output
    assert "XMLNSC cannot be parsed: 8101 PSRC_PARSE_ERROR: line 1, column 12" in told.output
    assert "MsgType = '8' (INTEGER)" in told.output
    assert "== queue REJECTED\n<Order><Tot" in told.output


def test_trace_shows_a_folder_that_a_node_dropped_as_one_line(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "numbers.py").write_text(NUMBERS)
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "double.esql").write_text(
        DOUBLE.replace("OutputRoot = InputRoot", "OutputRoot.MQMD = InputRoot.MQMD").replace(
            "OutputRoot.JSON.Data.twice", "OutputRoot.XMLNSC.Twice"
        )
    )
    (tmp_path / "order.json").write_text('{"sum":1,"rate":2}')
    command = ["flow", "trace", "numbers", str(tmp_path / "order.json"), "-p", str(tmp_path)]

    told = CliRunner().invoke(application(), command).output

    assert "- JSON (2 fields)\n" in told
    assert "- Properties (" in told
    assert "- Properties." not in told


def test_trace_shows_json_numbers_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "numbers.py").write_text(NUMBERS)
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "double.esql").write_text(DOUBLE)
    (tmp_path / "order.json").write_text('{"sum":123.45,"rate":0.10}')
    command = ["flow", "trace", "numbers", str(tmp_path / "order.json"), "-p", str(tmp_path)]

    told = CliRunner().invoke(application(), command).output

    assert "+ JSON.Data.sum = '123.45'\n+ JSON.Data.rate = '0.10'" in told
    assert "+ JSON.Data.twice = '2.469E+2'" in told  # as the FLOAT is written


@pytest.mark.parametrize("also", [[], ["--full"]])
def test_trace_shows_json_numbers_that_a_map_copies_into_xml_as_they_are_written(
    tmp_path: Path, also: list[str]
) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "numbers.py").write_text(COPIED)
    (tmp_path / "order.json").write_text('{"sum":123.45,"rate":0.10}')
    command = ["flow", "trace", "numbers", str(tmp_path / "order.json"), "-p", str(tmp_path), *also]

    told = CliRunner().invoke(application(), command).output

    assert told.count("sum = '123.45'") == told.count("rate = '0.10'") == 2  # in JSON and in XML
    assert told.count("next = '1.2445E+2'") == 1  # as the FLOAT is written


def test_a_project_without_tests_says_so(tmp_path: Path) -> None:
    told = CliRunner().invoke(application(), ["flow", "test", str(tmp_path)])
    assert told.exit_code == 1
    assert f"There are no tests in {tmp_path}" in told.stderr


def test_the_command_fails_when_a_case_does(tmp_path: Path) -> None:
    bad = tmp_path / "tests" / "bad.yaml"
    bad.parent.mkdir()
    bad.write_text("flow: orders\ntests:\n- name: wrong\n  in: [{body: x}]\n  out: {BILLING: [{body: y}]}\n")
    shutil.copytree(ORDERS / "flows", tmp_path / "flows")
    shutil.copytree(ORDERS / "esql", tmp_path / "esql")
    report = tmp_path / "report.xml"
    told = CliRunner().invoke(application(), ["flow", "test", str(bad), "--json", "--junit", str(report)])
    assert told.exit_code == 1
    assert json.loads(told.stdout)["failed"] == 1
    suite = ET.parse(report).getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == (str(bad), "1", "1")
    assert suite[0].get("name") == "wrong"
    assert "BILLING" in str(suite[0][0].get("message"))


@pytest.mark.parametrize(
    "body", [b"", b"a\r\nb", b" x \n", "\x85x\n".encode(), b"\x00\n", b"\xff", b"null", b"- [1\n"]
)
def test_a_body_that_was_recorded_is_the_same_again(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "cases.yaml"

    save_case(path, "f", {"name": "n", "in": [as_content(body)], "out": {}})

    assert content_of(read_cases(path)["tests"][0]["in"][0], path) == body


def test_a_run_is_not_added_to_tests_of_another_flow(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    save_case(path, "f", {"name": "n", "in": [], "out": {}})

    with pytest.raises(MQError, match="has tests of flow f, not of g"):
        save_case(path, "g", {"name": "n", "in": [], "out": {}})
