"""A message that a flow gave up says why: as properties beside MQDLH or backout, in `dlq`, and in the log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application
from penstock.flow import Flow, nodes
from penstock.model.headers import DeadLetterHeader
from tests.flow_fixtures import bodies

ESQL = """
CREATE COMPUTE MODULE Double
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.XMLNSC.Order.Total = CAST(InputRoot.XMLNSC.Order.Total AS INTEGER) * 2;
    RETURN TRUE;
  END;
END MODULE;
"""
BAD = b"<Order><Total>many</Total></Order>"
BATCHES = pytest.mark.parametrize("batch", [1, 100])


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "double.esql").write_text(ESQL)
    made = Flow("orders")
    start = made.add(nodes.MQInput("IN", domain="XMLNSC"))
    double, out = made.add(nodes.Compute(module="Double", name="Doubling")), made.add(nodes.MQOutput("OUT"))
    start.out >> double.in_
    double.out >> out.in_
    return made


@BATCHES
@pytest.mark.parametrize("place", ["BACKOUT", "DEAD"])
def test_cause_flow_node_time_and_text_travel_as_properties(
    qm: penstock.QueueManager, run: Callable[..., Any], flow: Flow, batch: int, place: str
) -> None:
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.mqsc(f"ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME({'BACKOUT' if place == 'BACKOUT' else ' '})")
    qm.put("IN", BAD, persistent=True, properties={"colour": "red"}, format="MQSTR")
    run(flow, batch=batch)
    letter = qm.get(place)
    found = dict(letter.properties)
    assert found.pop("colour") == "red"
    assert found.pop("penstock.time").startswith("20")
    assert "many" in str(found.pop("penstock.text"))
    assert found == {
        "penstock.cause": 8202,
        "penstock.flow": "orders",
        "penstock.node": "Doubling",
        "penstock.queue": "IN",
    }
    body = letter.body
    if place == "DEAD":
        header = DeadLetterHeader.unpack(body, letter.descriptor.encoding, letter.descriptor.ccsid)
        assert (header.reason, header.queue, header.format.strip()) == (2362, "IN", "MQSTR")
        body = body[172:]
    assert body == BAD


@pytest.mark.parametrize("control", ["COMPAT", "NONE", "FORCE", "V6COMPAT"])
def test_programs_without_properties_get_body_and_header_byte_for_byte(
    qm: penstock.QueueManager, run: Callable[..., Any], flow: Flow, control: str
) -> None:
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.mqsc(f"ALTER QLOCAL(DEAD) PROPCTL({control})")
    qm.put("IN", BAD, persistent=True)
    run(flow)
    letter = qm.get("DEAD")
    if control != "FORCE":  # which asks for MQRFH2 whatever there is
        assert letter.format.strip() == "MQDEAD"
        assert letter.body[172:] == BAD


@pytest.mark.parametrize("place", ["BACKOUT", "DEAD"])
@pytest.mark.parametrize("command", [("retry",), ("move", "OUT2")])
def test_retry_and_move_remove_them(
    qm: penstock.QueueManager,
    run: Callable[..., Any],
    flow: Flow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.mqsc(f"ALTER QLOCAL(IN) BOQNAME({'BACKOUT' if place == 'BACKOUT' else ' '})")
    qm.put("IN", BAD, persistent=True, properties={"colour": "red"})
    run(flow)
    told = CliRunner().invoke(
        application(["dlq"]), ["dlq", *command, "--qmgr", "QM1", "--queue", place, "--yes"]
    )
    assert told.exit_code == 0, told.output
    found = qm.get("IN" if command[0] == "retry" else "OUT2")
    assert (found.body, found.properties) == (BAD, {"colour": "red"})
    assert qm.get(place) is None


def test_list_and_show_tell_them_and_group_by_cause(
    qm: penstock.QueueManager,
    run: Callable[..., Any],
    flow: Flow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    for body in (BAD, b"<Order>\x1b[2J", BAD):
        qm.put("IN", body, persistent=True)
    run(flow)

    def dlq(*words: str) -> str:
        told = CliRunner().invoke(application(["dlq"]), ["dlq", *words, "--qmgr", "QM1"])
        assert told.exit_code == 0, told.output
        return told.stdout

    shown = dlq("list")
    assert "2 messages: 8202 PSRC_ESQL_DATA at node Doubling of flow orders: " in shown
    assert "1 message: 81" in shown
    assert "\x1b" not in shown
    facts = json.loads(dlq("list", "--json"))
    assert [each["cause"] for each in facts][:2] == [8202, 8202]
    assert (facts[0]["flow"], facts[0]["node"], facts[0]["reason"]) == ("orders", "Doubling", 2362)
    assert len(json.loads(dlq("list", "--reason", "8202", "--json"))) == 2
    assert "Doubling" in dlq("show")


def test_one_bad_message_is_told_once(
    qm: penstock.QueueManager, run: Callable[..., Any], flow: Flow, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    qm.mqsc("ALTER QMGR DEADQ(DEAD)")
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(5)")
    qm.put("IN", BAD, persistent=True)
    for batch in (1, 100):
        caplog.clear()
        run(flow, batch=batch)
        if batch == 1:
            qm.get("DEAD")
            qm.put("IN", BAD, persistent=True)
        assert [record.event for record in caplog.records] == [  # type: ignore[attr-defined]
            "flow_message_failed",
            "flow_message_given_up",
        ]
    assert bodies(qm, "OUT") == []
