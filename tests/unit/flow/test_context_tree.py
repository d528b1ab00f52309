"""The context tree: what nodes sent, found by ESQL through `Context` and CONTEXTREFERENCE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow import Flow, Node, nodes
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHANGE = """
CREATE COMPUTE MODULE Change
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.XMLNSC.changed = 'yes';
    RETURN TRUE;
  END;
END MODULE;
"""
RESTORE = """
CREATE COMPUTE MODULE Restore
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    DECLARE first REFERENCE TO CONTEXTINVOCATIONNODE(PAYLOAD);
    SET OutputRoot.JSON.Data = first.Data;
    DECLARE node REFERENCE TO CONTEXTREFERENCE(Context.InvocationDetails.NodeName);
    MOVE node PARENT;
    DECLARE way CHARACTER '';
    MOVE node FIRSTCHILD;
    WHILE LASTMOVE(node) DO
      SET way = way || ' ' || FIELDNAME(node) || '=' || node.NodeType;
      MOVE node NEXTSIBLING;
    END WHILE;
    SET OutputRoot.JSON.Data.way = way;
    SET OutputRoot.JSON.Data.own = CONTEXTREFERENCE('Change').Payload.changed;
    DECLARE level CHARACTER 'Sub';
    SET OutputRoot.JSON.Data.inner = CONTEXTREFERENCE(NODENAME 'in' LEVELNAME level PAYLOADDETAILS).Domain;
    SET OutputRoot.JSON.Data.flow = Context.FlowDetails.FlowName;
    DECLARE gone REFERENCE TO CONTEXTREFERENCE('Nobody');
    SET OutputRoot.JSON.Data.gone = CAST(LASTMOVE(gone) AS CHARACTER);
    RETURN TRUE;
  END;
END MODULE;
"""


def test_a_node_in_a_subflow_finds_what_the_nodes_before_it_sent(
    qm: Any, run: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "c.esql").write_text(CHANGE + RESTORE)
    inner = Flow("inner")
    joint = inner.add(nodes.Input())
    restore = inner.add(nodes.Compute("esql/c.esql", module="Restore"))
    joint.out >> restore.in_
    restore.out >> inner.add(nodes.Output()).in_
    flow = Flow("outer")
    start = flow.add(nodes.MQInput("IN", domain="JSON"))
    change = flow.add(nodes.Compute("esql/c.esql", module="Change"))
    sub = flow.add(nodes.Subflow(inner, name="Sub"))
    start.out >> change.in_
    change.out >> sub.in_
    sub.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b'{"items":[1,2]}')

    run(flow)

    way = " MQInput=ComIbmMQInputNode Change=ComIbmComputeNode"
    assert bodies(qm, "OUT") == [
        b'{"items":[1,2],"way":"'
        + way.encode()
        + b'","own":"yes","inner":"XMLNSC","flow":"outer","gone":"FALSE"}'
    ]


def test_a_filter_looks_at_what_came_in(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "c.esql").write_text(CHANGE)
    flow = Flow("outer")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC", name="In"))
    change = flow.add(nodes.Compute("esql/c.esql", module="Change"))
    large = flow.add(nodes.Filter("CONTEXTREFERENCE('In').Payload.o.n > 5"))
    start.out >> change.in_
    change.out >> large.in_
    large.true >> flow.add(nodes.MQOutput("OUT")).in_
    for body in (b"<o><n>4</n></o>", b"<o><n>6</n></o>", b"not XML"):
        qm.put("IN", body)

    run(flow)

    assert bodies(qm, "OUT") == [b"<changed>yes</changed>"]


def flow_with(look: Node) -> tuple[Flow, Node]:
    """IN -> a node that drops the body -> a node that looks at what came in."""
    flow = Flow("outer")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC", name="In"))
    change = flow.add(nodes.Compute("esql/c.esql", module="Change"))
    start.out >> change.in_
    change.out >> flow.add(look).in_
    return flow, look


def test_a_trace_looks_at_what_came_in(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "c.esql").write_text(CHANGE)
    look = nodes.Trace("${CONTEXTREFERENCE('In').Payload.o.n}", destination="file", file="trace.txt")
    qm.put("IN", b"<o><n>4</n></o>")

    run(flow_with(look)[0])

    assert (tmp_path / "trace.txt").read_text() == "4\n"


def test_a_file_read_looks_at_what_came_in(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "c.esql").write_text(CHANGE)
    (tmp_path / "lines.txt").write_text("<r>3</r>\n<r>4</r>\n")
    flow, look = flow_with(
        nodes.FileRead(
            ".",
            "lines.txt",
            records="delimited",
            domain="XMLNSC",
            select="Root.XMLNSC.r = CONTEXTREFERENCE('In').Payload.o.n",
        )
    )
    look.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"<o><n>4</n></o>")

    run(flow)

    assert bodies(qm, "OUT") == [b"<r>4</r>"]


EVALUATE = """
CREATE COMPUTE MODULE Evaluate
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.XMLNSC.n = EVAL('CONTEXTREFERENCE(''In'').Payload.o.n');
    RETURN TRUE;
  END;
END MODULE;
"""


def test_eval_looks_at_what_came_in(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "c.esql").write_text(CHANGE + EVALUATE)
    flow, look = flow_with(nodes.Compute("esql/c.esql", module="Evaluate"))
    look.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"<o><n>4</n></o>")

    run(flow)

    assert bodies(qm, "OUT") == [b"<n>4</n>"]


SPLIT = """
CREATE COMPUTE MODULE Split
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    DECLARE part INTEGER 0;
    WHILE part < 2000 DO
      SET part = part + 1;
      SET OutputRoot.XMLNSC = InputRoot.XMLNSC;
      SET OutputRoot.XMLNSC.o.part = part;
      PROPAGATE;
    END WHILE;
    RETURN FALSE;
  END;
END MODULE;
"""


def test_a_node_that_sends_often_is_kept_once(qm: Any, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "c.esql").write_text(SPLIT)
    flow = Flow("splitting")
    split = flow.add(nodes.Compute("esql/c.esql", module="Split"))
    last = flow.add(nodes.Filter("CONTEXTREFERENCE('Split').Payload.o.part = 2000"))
    flow.add(nodes.MQInput("IN", domain="XMLNSC")).out >> split.in_
    split.out >> last.in_
    last.true >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"<o>" + b"<n>1</n>" * 2100 + b"</o>")

    run(flow)

    assert [body[-21:] for body in bodies(qm, "OUT")] == [b"<part>2000</part></o>"]
