"""Database: terminals out and failure; transaction automatic and commit; errors thrown or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.flow import Flow, Node, nodes
from penstock.model.errors import MQError
from tests.conformance.flow import shop

AUDIT = """
CREATE DATABASE MODULE Audit
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    INSERT INTO Database.audit(id, note) VALUES (CAST(Root.XMLNSC.Order.Id AS INTEGER), 'seen');
    SET Environment.Seen = SQLCODE;
    RETURN TRUE;
  END;
END MODULE;
CREATE DATABASE MODULE Wrong
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    INSERT INTO Database.nowhere(id) VALUES (1);
    RETURN TRUE;
  END;
END MODULE;
CREATE DATABASE MODULE Ends
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    INSERT INTO Database.audit(id, note) VALUES (7, 'ended');
    RETURN FALSE;
  END;
END MODULE;
"""
ORDER = b"<Order><Id>5</Id></Order>"


class Failing(Node):
    """Fails on every message."""

    def process(self, assembly: Any, at: Any) -> None:
        raise ValueError("no")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, data_source: str) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "audit.esql").write_text(AUDIT)
    shop.create(data_source)


def flow_of(module: str, *after: Node, **options: Any) -> Flow:
    flow = Flow("audited")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    audit = flow.add(nodes.Database(module=module, data_source="SHOP", **options))
    start.out >> audit.in_
    last = audit
    for node in after:
        last.out >> flow.add(node).in_
        last = node
    failed = flow.add(nodes.MQOutput("FAILED", name="Failed"))
    audit.failure >> failed.in_
    return flow


def test_out_gets_the_message_unchanged_and_the_row_is_committed(qm: Any, run: Any, data_source: str) -> None:
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Audit", nodes.MQOutput("OUT")))
    assert qm.get("OUT").body == ORDER
    assert shop.rows(data_source, "SELECT id, note FROM audit") == [(5, "seen")]


def test_failure_gets_the_message_of_a_statement_that_failed(qm: Any, run: Any) -> None:
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Wrong", nodes.MQOutput("OUT")))
    assert qm.get("FAILED").body == ORDER
    assert qm.get("OUT") is None


def test_an_error_that_is_not_thrown_lets_the_message_go_on(qm: Any, run: Any) -> None:
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Wrong", nodes.MQOutput("OUT"), throw_database_errors=False))
    assert qm.get("OUT").body == ORDER


def test_decision_a_module_that_does_not_return_true_ends_the_message(
    qm: Any, run: Any, data_source: str
) -> None:
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Ends", nodes.MQOutput("OUT")))
    assert qm.get("OUT") is None
    assert shop.rows(data_source, "SELECT id FROM audit") == [(7,)]


def test_automatic_is_undone_with_the_unit_when_the_flow_fails_later(
    qm: Any, run: Any, data_source: str
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(BACKOUT)")
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Audit", Failing()))
    assert qm.get("BACKOUT").body == ORDER
    assert shop.rows(data_source, "SELECT id FROM audit") == []


def test_commit_keeps_every_attempt_when_the_flow_fails_later(qm: Any, run: Any, data_source: str) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(BACKOUT)")
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Audit", Failing(), transaction="commit"))
    assert qm.get("BACKOUT").body == ORDER
    assert shop.rows(data_source, "SELECT id FROM audit") == [(5,), (5,)]


def test_commit_undoes_what_the_module_did_before_it_failed_itself(
    qm: Any, run: Any, data_source: str, tmp_path: Path
) -> None:
    (tmp_path / "esql" / "half.esql").write_text(
        "CREATE DATABASE MODULE Half CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN "
        "INSERT INTO Database.audit(id, note) VALUES (1, 'half'); THROW USER EXCEPTION; RETURN TRUE; END; "
        "END MODULE;"
    )
    qm.put("IN", ORDER, persistent=True)
    run(flow_of("Half", transaction="commit"))
    assert qm.get("FAILED").body == ORDER
    assert shop.rows(data_source, "SELECT id FROM audit") == []


def test_properties_that_cannot_be_are_refused_by_name(run: Any) -> None:
    with pytest.raises(MQError, match="Audit: transaction 'maybe' is not one of automatic, commit"):
        run(flow_of("Audit", transaction="maybe"))
