"""Flows that begin with HTTP requests, files or timers, and those with databases, are tested and traced."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

from penstock.cli.flow.trace import trace
from penstock.cli.main import application
from penstock.flow import Flow, Project, nodes
from penstock.flow.testing.cases import run_file
from penstock.testing import Rig

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "from penstock.flow import Flow, nodes\n"
HTTP = (
    HEAD
    + """
flow = Flow("web")
listen = dict(port=17080, domain="JSON", certificate="no.pem")
request = flow.add(nodes.HTTPInput("/orders/*", **listen), name="request")
change = flow.add(nodes.Compute("esql/web.esql", module="Web"), name="change")
copy = flow.add(nodes.MQOutput("ORDERS"), name="copy")
reply = flow.add(nodes.HTTPReply(), name="reply")
request.out >> change.in_
change.out >> copy.in_
change.out >> reply.in_
"""
)
WEB_ESQL = """
CREATE COMPUTE MODULE Web
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    IF InputRoot.JSON.Data.total < 0 THEN
      THROW USER EXCEPTION MESSAGE 3001 VALUES ('a negative total');
    END IF;
    SET OutputRoot = InputRoot;
    SET OutputRoot.JSON.Data.method = InputLocalEnvironment.HTTP.Input.RequestLine.Method;
    SET OutputRoot.JSON.Data.agent = InputRoot.HTTPInputHeader."User-Agent";
    RETURN TRUE;
  END;
END MODULE;
"""
FILES = (
    HEAD
    + """
flow = Flow("files")
start = flow.add(nodes.FileInput("in", "*.csv", records="delimited", least_age=30.0), name="start")
check = flow.add(nodes.Filter(expression="Root.BLOB.BLOB <> X'626164'"), name="check")
end = flow.add(nodes.FileOutput("/var/spool/out", "all.txt", records="delimited"), name="end")
wrong = flow.add(nodes.Throw("wrong record"), name="wrong")
start.out >> check.in_
check.true >> end.in_
check.false >> wrong.in_
start.EOD >> end.finish
"""
)
TIMER = (
    HEAD
    + """
flow = Flow("timers")
start = flow.add(nodes.TimeoutNotification("BEAT", interval=60.0), name="start")
stamp = flow.add(nodes.Compute("esql/timers.esql", module="Stamp"), name="stamp")
end = flow.add(nodes.MQOutput("BEATS"), name="end")
start.out >> stamp.in_
stamp.out >> end.in_
"""
)
TIMER_ESQL = """
CREATE COMPUTE MODULE Stamp
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.XMLNSC.At = CAST(CURRENT_GMTTIMESTAMP AS CHARACTER FORMAT 'HH:mm:ss');
    RETURN TRUE;
  END;
END MODULE;
"""
DATABASE = (
    HEAD
    + """
flow = Flow("rows")
start = flow.add(nodes.MQInput("IN", domain="XMLNSC"), name="start")
enter = flow.add(nodes.Database("esql/rows.esql", module="Enter", data_source="SHOP"), name="enter")
start.out >> enter.in_
"""
)
DATABASE_ESQL = """
CREATE DATABASE MODULE Enter
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    INSERT INTO Database.orders (id) VALUES (CAST(Root.XMLNSC.Order.Id AS INTEGER));
    RETURN TRUE;
  END;
END MODULE;
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "flows/web.py": HTTP,
        "esql/web.esql": WEB_ESQL,
        "flows/files.py": FILES,
        "flows/timers.py": TIMER,
        "esql/timers.esql": TIMER_ESQL,
        "flows/rows.py": DATABASE,
        "esql/rows.esql": DATABASE_ESQL,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def problems(project: Path, flow: str, *cases: dict[str, Any]) -> list[list[str]]:
    tests = project / "tests" / f"{flow}.yaml"
    tests.parent.mkdir(exist_ok=True)
    tests.write_text(yaml.safe_dump({"flow": flow, "tests": list(cases)}, sort_keys=False))
    return [result.problems for result in run_file(Project(project), tests)]


def invoke(*words: str) -> str:
    told = CliRunner().invoke(application(), list(words))
    assert told.exit_code == 0, told.output
    return told.stdout


# -- HTTP ----------------------------------------------------------------------------------


def test_a_request_and_its_reply(project: Path) -> None:
    body = {"total": 12, "method": "PUT", "agent": "test"}
    given = {
        "json": {"total": 12},
        "method": "PUT",
        "path": "/orders/17?x=1",
        "headers": {"User-Agent": "test"},
    }
    good = {"in": [given], "out": {"ORDERS": [{"json": body}]}, "replies": [{"json": body}]}
    typed = {"replies": [{"status": 200, "headers": {"Content-Type": "application/json; charset=utf-8"}}]}
    bad = {**good, "replies": [{"status": 201, "json": body}]}

    found = problems(project, "web", good, {**good, **typed}, bad)

    assert found[0] == []
    assert found[1] == []
    assert found[2] == [f"reply 1: status 200, expected 201: '{json.dumps(body, separators=(',', ':'))}'"]


def test_a_failed_request_is_seen_whether_or_not_it_is_expected(project: Path) -> None:
    case = {"in": [{"json": {"total": -1}}]}

    unexpected, expected = problems(project, "web", case, {**case, "replies": [{"status": 500}]})

    assert len(unexpected) == 1
    assert unexpected[0].startswith("reply 1: status 500: ")
    assert expected == []


def test_requests_of_a_rig(project: Path) -> None:
    with Rig("web", project) as rig:
        rig.request('{"total": 1}')
        rig.request('{"total": 2}', method="GET")
        rig.run()
        assert [each.status for each in rig.replies if each is not None] == [200, 200]
        assert rig.filled() == {"ORDERS": 2}
    assert Project(project).flow("web").node("request").port == 17080
    assert rig.flow.node("request").port == 17080  # as before


def test_a_request_is_traced_and_saved(project: Path) -> None:
    body = project / "order.json"
    body.write_text('{"total": 12}')
    command = [
        "flow",
        "trace",
        "web",
        str(body),
        "-p",
        str(project),
        "--method",
        "PUT",
        "--header",
        "User-Agent: me",
    ]

    told = invoke(*command)
    facts = json.loads(invoke(*command, "--json"))
    whole = json.loads(invoke(*command, "--json", "--full"))
    invoke(*command, "--save-test", str(project / "tests" / "saved.yaml"))

    assert "== change.out -> reply\n+ JSON.Data.method = 'PUT'\n+ JSON.Data.agent = 'me'\n" in told
    assert '== reply: 200\n{"total":12,"method":"PUT","agent":"me"}' in told
    assert "HTTPInputHeader" not in told.partition("== change.out")[2]
    assert [each["wire"] for each in facts["wires"]] == [
        "request.out -> change",
        "change.out -> copy",
        "change.out -> reply",
    ]
    assert "message" not in facts["wires"][0]
    assert "HTTPInputHeader" in whole["wires"][2]["message"]
    assert facts["replies"][0]["status"] == 200
    (result,) = run_file(Project(project), project / "tests" / "saved.yaml")
    assert result.problems == []


# -- files ---------------------------------------------------------------------------------


def test_a_file_and_what_is_written(project: Path) -> None:
    good = {"in": [{"body": "a\nb\n", "filename": "x.csv"}], "written": {"/var/spool/out/all.txt": "a\nb\n"}}
    missed = {"in": [{"body": "a\n"}]}
    backed_out = {
        "in": [{"body": "a\nbad\n"}],
        "written": {"in/mqsibackout/input.csv": "a\nbad\n"},
    }

    found = problems(project, "files", good, missed, backed_out)

    assert found == [[], ["file var/spool/out/all.txt was not expected: 'a\\n'"], []]
    assert sorted(path.name for path in project.iterdir()) == [
        "esql",
        "flows",
        "tests",
    ]  # the project is untouched


def test_a_file_that_the_node_never_takes_is_a_mistake_of_the_case(project: Path) -> None:
    """Nothing happened with it, so a case without expectations passed."""
    (found,) = problems(project, "files", {"in": [{"body": "a\n", "filename": "x.txt"}]})

    assert len(found) == 1
    assert "start takes files whose names fit '*.csv', so never 'x.txt'" in found[0]


def test_a_file_is_traced(project: Path) -> None:
    lines = project / "lines.csv"
    lines.write_text("a\nb\n")

    told = invoke("flow", "trace", "files", str(lines), "-p", str(project))

    assert told.count("== check.true -> end") == 2
    assert "== file var/spool/out/all.txt\na\nb\n" in told


def test_files_that_are_there_before(tmp_path: Path) -> None:
    flow = Flow("reading")
    start = flow.add(nodes.MQInput("IN"))
    rates = flow.add(nodes.FileRead("tables", "rates.xml", domain="XMLNSC"))
    end = flow.add(nodes.MQOutput("OUT"))
    start.out >> rates.in_
    rates.out >> end.in_
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "rates.xml").write_text("<of>project</of>")

    for given, expected in (
        ({}, b"<of>project</of>"),
        ({"tables/rates.xml": "<of>test</of>"}, b"<of>test</of>"),
    ):
        with Rig(flow, tmp_path) as rig:
            for name, text in given.items():
                rig.file(name, text)
            rig.put(b"x")
            rig.run()
            assert rig.bodies("OUT") == [expected]
            assert rig.files.written() == {}


# -- timers --------------------------------------------------------------------------------


def test_a_timer_fires_when_its_time_has_come(project: Path) -> None:
    early = {"in": [{"after": 59}], "out": {"BEATS": []}}
    once = {"out": {"BEATS": [{"xml": "<At>10:12:12</At>"}]}}  # the rig's clock begins at 10:11:12

    assert problems(project, "timers", early, once) == [[], []]
    assert "== queue BEATS\n<At>10:12:12</At>" in invoke("flow", "trace", "timers", "-p", str(project))


# -- databases -----------------------------------------------------------------------------


def test_a_trace_without_its_database_says_how_to_give_one(
    project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (project / "order.xml").write_text("<Order><Id>17</Id></Order>")
    invoke("flow", "trace", "rows", str(project / "order.xml"), "-p", str(project))

    assert "--database SHOP=FILE" in caplog.text


def test_a_database_flow_is_traced_with_its_rows(project: Path) -> None:
    (project / "shop.sql").write_text("CREATE TABLE orders (id INTEGER);\nINSERT INTO orders\n VALUES (1);\n")
    (project / "order.xml").write_text("<Order><Id>17</Id></Order>")
    command = ["flow", "trace", "rows", str(project / "order.xml"), "-p", str(project)]
    command += [
        "--database",
        f"SHOP={project / 'shop.sql'}",
        "--save-test",
        str(project / "tests" / "rows.yaml"),
    ]

    told = invoke(*command)

    assert "== rows of SHOP.orders\nid=1\nid=17\n" in told
    (result,) = run_file(Project(project), project / "tests" / "rows.yaml")
    assert result.problems == []
    again = invoke(
        "flow", "trace", "rows", "-p", str(project), "--test", str(project / "tests" / "rows.yaml")
    )
    assert "== rows of SHOP.orders\nid=1\nid=17\n" in again
    with pytest.raises(typer.BadParameter, match="--test takes the message"):
        trace("rows", project / "order.xml", project, test=project / "tests" / "rows.yaml")


# -- dead letters and logs -----------------------------------------------------------------


def test_a_test_looks_into_dead_letters(project: Path) -> None:
    given = {
        "in": [{"xml": "<Order><Id>x</Id></Order>"}],
        "database": {"SHOP": ["CREATE TABLE orders (id INTEGER)"]},
    }
    letter = {"reason": "MQRC_BACKOUT_THRESHOLD_REACHED", "queue": "IN", "xml": "<Order><Id>x</Id></Order>"}
    cases = [
        {**given, "dead_letters": [{**letter, "properties": {"penstock.node": "enter"}}]},
        {**given, "dead_letters": [{"reason": 2053, "body": "other"}]},
        {**given, "dead_letters": []},
    ]

    good, other, none = problems(project, "rows", *cases)

    assert good == []
    assert [text.partition(": ")[2].split()[0] for text in other] == ["body", "reason"]
    assert len(none) == 1
    assert none[0].startswith("dead letters 1, expected 0: 2362 MQRC_BACKOUT_THRESHOLD_REACHED '<Order>")


def test_the_log_of_a_passing_test_is_not_printed(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = {
        "in": [{"xml": "<Order><Id>x</Id></Order>"}],
        "database": {"SHOP": ["CREATE TABLE orders (id INTEGER)"]},
    }
    passing = {**given, "name": "passing", "dead_letters": [{"queue": "IN"}]}
    failing = {**given, "name": "failing"}
    problems(project, "rows", passing)
    file = str(project / "tests" / "rows.yaml")

    quiet = CliRunner().invoke(application(), ["flow", "test", file])
    assert quiet.exit_code == 0
    assert "flow_message_failed" not in quiet.output + "".join(capfd.readouterr())

    problems(project, "rows", failing)
    loud = CliRunner().invoke(application(), ["flow", "test", file])
    assert loud.exit_code == 1
    assert "       log: flow_message_failed" in loud.stdout
    facts = json.loads(CliRunner().invoke(application(), ["flow", "test", file, "--json"]).stdout)
    assert any("flow_message_failed" in line for line in facts["tests"][0]["log"])


def test_what_a_case_sets_is_gone_in_the_next(project: Path) -> None:
    moved = {"set": {"end.queue": "ELSEWHERE"}, "out": {"ELSEWHERE": [{"xml": "<At>10:12:12</At>"}]}}
    plain = {"out": {"BEATS": [{"xml": "<At>10:12:12</At>"}]}}

    assert problems(project, "timers", moved, plain) == [[], []]


def test_words_of_another_input_are_refused(project: Path) -> None:
    ((text,),) = problems(project, "rows", {"in": [{"body": "x", "method": "PUT"}]})

    assert "'method' is for HTTPInput; start is MQInput" in text
