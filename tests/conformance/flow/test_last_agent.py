"""Coordinated transactions with SQLite, which has no two phases: it is the last agent, one in a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.esql.database.data_sources import DataSources
from penstock.flow import CompiledFlow, Flow, nodes
from penstock.flow.running.coordination import Coordination
from penstock.model.errors import error
from tests.conformance.flow import shop
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ESQL = """
CREATE DATABASE MODULE Audit CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  INSERT INTO Database.audit(id, note) VALUES (CAST(Root.XMLNSC.Order.Id AS INTEGER), 'seen');
  RETURN TRUE; END; END MODULE;
"""
ORDER = b"<Order><Id>5</Id></Order>"


@pytest.fixture
def sources(tmp_path: Path, penstock_home: Path) -> dict[str, str]:
    """Two SQLite databases with the table, SHOP and BANK."""
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "audit.esql").write_text(ESQL)
    urls = {name: f"sqlite:///{tmp_path}/{name}.db" for name in ("SHOP", "BANK")}
    for name, url in urls.items():
        DataSources(penstock_home).add(name, url)
        shop.create(url)
    return urls


def booking(*names: str, fails: bool = False) -> Flow:
    """A coordinated flow that writes to data sources, then to OUT or fails."""
    flow = Flow("booking", coordinated=True)
    place = flow.add(nodes.MQInput("IN", domain="XMLNSC")).out
    for name in names:
        node = flow.add(nodes.Database(module="Audit", data_source=name))
        place >> node.in_
        place = node.out
    place >> flow.add(nodes.Throw("no") if fails else nodes.MQOutput("OUT")).in_
    return flow


def noted(url: str) -> list[Any]:
    return shop.rows(url, "SELECT id FROM audit")


def test_a_message_and_its_row_are_there_once_and_the_log_says_what_may_be(
    qm: penstock.QueueManager, run: Callable[..., Any], sources: dict[str, str], caplog: Any
) -> None:
    qm.put("IN", ORDER, persistent=True)

    run(booking("SHOP"))

    assert (bodies(qm, "OUT"), noted(sources["SHOP"])) == ([ORDER], [(5,)])
    assert "flow_last_agent source=SHOP" in caplog.text


def test_what_fails_is_undone_in_the_database(
    qm: penstock.QueueManager, run: Callable[..., Any], sources: dict[str, str]
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", ORDER, persistent=True)

    run(booking("SHOP", fails=True))

    assert (bodies(qm, "BACKOUT"), noted(sources["SHOP"])) == ([ORDER], [])


def test_a_unit_holds_one_last_agent(
    qm: penstock.QueueManager, run: Callable[..., Any], sources: dict[str, str], caplog: Any
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", ORDER, persistent=True)

    run(booking("SHOP", "BANK"))

    assert bodies(qm, "BACKOUT") == [ORDER]
    assert noted(sources["SHOP"]) == noted(sources["BANK"]) == []
    assert "reason=8352" in caplog.text


def test_decision_a_crash_between_the_two_commits_repeats_the_row_of_the_last_agent(
    qm: penstock.QueueManager,
    run: Callable[..., Any],
    sources: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SQLite has committed, the queue manager has not: the message comes back. None is lost."""
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(3)")
    qm.put("IN", ORDER, persistent=True)

    def die(self: Coordination) -> None:
        raise error(2009, "the machine dies here")

    with monkeypatch.context() as patched:
        patched.setattr(Coordination, "commit", die)
        with pytest.raises(penstock.MQError, match="2009"):
            run(booking("SHOP"))

    run(booking("SHOP"))

    assert (bodies(qm, "OUT"), noted(sources["SHOP"])) == ([ORDER], [(5,), (5,)])


def test_only_flows_that_begin_with_queues_are_coordinated() -> None:
    flow = Flow("booking", coordinated=True)
    flow.add(nodes.HTTPInput("/order"))

    with pytest.raises(penstock.MQError, match="coordinated=True is for flows that begin with queues"):
        CompiledFlow(flow)
