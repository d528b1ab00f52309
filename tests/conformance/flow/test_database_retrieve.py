"""DatabaseRetrieve: terminals out, keyNotFound and failure; query, data, copy_message, multiple_rows."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.flow import Flow, nodes
from penstock.model.errors import MQError
from tests.conformance.flow import shop

ORDER = b"<Order><Customer>%d</Customer></Order>"
QUERY = [("customer.id", "=", "$Body/Order/Customer")]


@pytest.fixture(autouse=True)
def tables(data_source: str) -> None:
    shop.create(data_source)


def flow_of(**options: Any) -> Flow:
    flow = Flow("enriched")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    options = {"query": QUERY, "data": {"customer.name": "$OutputRoot/XMLNSC/Order/Name"}, **options}
    look = flow.add(nodes.DatabaseRetrieve("SHOP", **options))
    start.out >> look.in_
    for terminal, queue in (("out", "OUT"), ("keyNotFound", "OUT2"), ("failure", "FAILED")):
        look.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


def test_out_has_the_columns_in_the_message(qm: Any, run: Any) -> None:
    qm.put("IN", ORDER % 1)
    run(flow_of())
    assert qm.get("OUT").body == b"<Order><Customer>1</Customer><Name>Ada</Name></Order>"


def test_key_not_found_gets_the_message_as_it_came(qm: Any, run: Any) -> None:
    qm.put("IN", ORDER % 9)
    run(flow_of())
    assert qm.get("OUT2").body == ORDER % 9
    assert qm.get("OUT") is None


def test_failure_gets_the_message_when_the_table_is_not_there(qm: Any, run: Any) -> None:
    qm.put("IN", ORDER % 1)
    run(flow_of(query=[("nowhere.id", "=", "$Body/Order/Customer")]))
    assert qm.get("FAILED").body == ORDER % 1


def test_a_value_from_a_stranger_is_a_value_and_never_sql(qm: Any, run: Any, data_source: str) -> None:
    qm.put("IN", b"<Order><Customer>1' OR '1'='1</Customer></Order>")
    run(flow_of(query=[("customer.name", "=", "Body.Order.Customer")]))
    assert qm.get("OUT") is None
    assert len(shop.rows(data_source, "SELECT id FROM customer")) == 3


def test_local_environment_may_be_the_target(qm: Any, run: Any) -> None:
    flow = flow_of(data={"customer.name": "$OutputLocalEnvironment/Found/Name"})
    flow.wires = [wire for wire in flow.wires if wire.output != "out" or wire.source.name == "MQInput"]
    seen = flow.add(nodes.Filter("LocalEnvironment.Found.Name = 'Ada'"))
    flow.node("DatabaseRetrieve").out >> seen.in_
    seen.true >> flow.node("MQOutput").in_
    qm.put("IN", ORDER % 1)
    run(flow)
    assert qm.get("OUT").body == ORDER % 1


def test_multiple_rows_repeat_the_field_in_the_order_asked_for(qm: Any, run: Any) -> None:
    qm.put("IN", b"<Order><City>London</City></Order>")
    query = [("customer.city", "=", "Body.Order.City"), ("customer.id", "DESC")]
    run(flow_of(query=query, multiple_rows=True))
    assert qm.get("OUT").body == b"<Order><City>London</City><Name>Cyd</Name><Name>Ada</Name></Order>"


def test_one_row_is_taken_without_multiple_rows(qm: Any, run: Any) -> None:
    qm.put("IN", b"<Order/>")
    query = [("customer.city", "=", "London", "constant"), ("customer.id", "ASC")]
    run(flow_of(query=query))
    assert qm.get("OUT").body == b"<Order><Name>Ada</Name></Order>"


def test_is_null_needs_no_value(qm: Any, run: Any) -> None:
    qm.put("IN", b"<Order/>")
    run(flow_of(query=[("customer.city", "IS NULL")]))
    assert qm.get("OUT").body == b"<Order><Name>Ben</Name></Order>"


def test_without_copy_message_the_output_has_only_what_was_found(qm: Any, run: Any) -> None:
    qm.put("IN", ORDER % 1, correl_id=b"c" * 24)
    run(flow_of(copy_message=False))
    found = qm.get("OUT")
    assert (found.body, found.correl_id) == (b"<Order><Name>Ada</Name></Order>", b"c" * 24)


def test_columns_and_operators_that_cannot_be_are_refused(run: Any) -> None:
    with pytest.raises(MQError, match="'id; drop' is no column"):
        run(flow_of(query=[("id; drop", "=", "Body.x")]))
    with pytest.raises(MQError, match="'~' is no operator"):
        run(flow_of(query=[("customer.id", "~", "Body.x")]))
