"""DatabaseInput and DatabaseRoute, over SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from penstock.esql.database.engines import make_engine
from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.model.errors import MQError
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EVENTS = """
CREATE DATABASEEVENT MODULE NewOrders
  CREATE PROCEDURE ReadEvents(IN NewEvents REFERENCE) BEGIN
    SET NewEvents.Event[] = SELECT e.id AS Key, e.id AS Usr.id, e.item AS Usr.item FROM Database.events AS e;
  END;
  CREATE PROCEDURE BuildMessage(IN Event REFERENCE) BEGIN
    SET Root.XMLNSC.order.id = Event.Usr.id;
    SET Root.XMLNSC.order.item = Event.Usr.item;
  END;
  CREATE PROCEDURE EndEvent(IN Event REFERENCE) BEGIN
    DELETE FROM Database.events AS e WHERE e.id = Event.Usr.id;
  END;
END MODULE;
"""


def prepared(url: str, *statements: str) -> Any:
    engine = make_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    return engine


@pytest.fixture
def events(data_source: str, tmp_path: Path) -> Any:
    (tmp_path / "events.esql").write_text(EVENTS)
    engine = prepared(
        data_source,
        "DROP TABLE IF EXISTS events",
        "CREATE TABLE events (id INTEGER PRIMARY KEY, item VARCHAR(20))",
        "INSERT INTO events VALUES (1, 'apple'), (2, 'bad'), (3, 'pear')",
    )
    yield engine
    engine.dispose()


def reading(**properties: Any) -> Flow:
    flow = Flow("events")
    start = flow.add(
        nodes.DatabaseInput("events.esql", module="NewOrders", data_source="SHOP", name="DB", **properties)
    )
    route = flow.add(nodes.Route([("$Body/order/item = 'bad'", "bad")]))
    start.out >> route.in_
    route.bad >> flow.add(nodes.Throw("no")).in_
    route.default >> flow.add(nodes.MQOutput("OUT")).in_
    return flow


def left(engine: Any) -> list[int]:
    with engine.connect() as connection:
        return [row[0] for row in connection.execute(text("SELECT id FROM events ORDER BY id"))]


def test_an_event_ends_with_the_work_of_the_flow(qm: Any, run: Callable[..., Any], events: Any) -> None:
    run(reading())
    assert sorted(bodies(qm, "OUT")) == [
        b"<order><id>1</id><item>apple</item></order>",
        b"<order><id>3</id><item>pear</item></order>",
    ]
    assert left(events) == [2]  # it failed, and is there for the next time


def test_an_event_that_fails_too_often_goes_to_failure_and_ends(
    qm: Any, run: Callable[..., Any], events: Any
) -> None:
    flow = reading(retries=1)
    flow.node("DB").failure >> flow.add(nodes.MQOutput("FAILED")).in_
    run(flow)
    assert left(events) == []
    assert bodies(qm, "FAILED") == [b"<order><id>2</id><item>bad</item></order>"]


def test_a_module_without_its_procedures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "events.esql").write_text(
        "CREATE DATABASEEVENT MODULE NewOrders\n"
        "CREATE PROCEDURE ReadEvents(IN NewEvents REFERENCE) BEGIN END; END MODULE;"
    )
    with pytest.raises(MQError, match="has no procedure BUILDMESSAGE"):
        CompiledFlow(reading(), Project(tmp_path))
    assert "needs a data source" in " ".join(nodes.DatabaseInput("a", module="M").check())


@pytest.fixture
def customers(data_source: str) -> Any:
    engine = prepared(
        data_source,
        "DROP TABLE IF EXISTS customer",
        "CREATE TABLE customer (id VARCHAR(10), country VARCHAR(2), rank INTEGER)",
        "INSERT INTO customer VALUES ('a', 'GB', 5), ('b', 'US', 1), ('c', 'XX', 1)",
    )
    yield engine
    engine.dispose()


def routing(distribution: str = "all") -> Flow:
    flow = Flow("route")
    route = nodes.DatabaseRoute(
        "SHOP",
        query=[
            ("customer.country", "ASC", "", "none"),
            ("customer.rank", "ASC", "", "none"),
            ("customer.id", "=", "Body.order.customer"),
        ],
        filters=[
            ("$customer_country = 'GB'", "home"),
            ("$customer_rank > 3 and $Body/order", "important"),
            ("$customer_country = 'US'", "abroad"),
        ],
        distribution=distribution,
    )
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    start.out >> flow.add(route).in_
    for terminal, queue in (
        ("home", "OUT"),
        ("important", "OUT2"),
        ("abroad", "OUT3"),
        ("default", "FAILED"),
        ("keyNotFound", "CAUGHT"),
    ):
        route.terminal(terminal) >> flow.add(nodes.MQOutput(queue, name=queue)).in_
    return flow


@pytest.mark.parametrize(
    ("customer", "distribution", "queues"),
    [
        ("a", "all", ["OUT", "OUT2"]),
        ("a", "first", ["OUT"]),
        ("b", "all", ["OUT3"]),
        ("c", "all", ["FAILED"]),
        ("nobody", "all", ["CAUGHT"]),
    ],
)
def test_columns_decide_where_a_message_goes(
    qm: Any, run: Callable[..., Any], customers: Any, customer: str, distribution: str, queues: list[str]
) -> None:
    qm.put("IN", f"<order><customer>{customer}</customer></order>")
    run(routing(distribution))
    assert [name for name in ("OUT", "OUT2", "OUT3", "FAILED", "CAUGHT") if bodies(qm, name)] == queues


@pytest.mark.parametrize(
    ("properties", "text_"),
    [
        ({}, "needs a query"),
        ({"query": [("country", "=", "Body.a")]}, "is no column"),
        ({"query": [("t.c", "~", "Body.a")]}, "is no operator"),
        ({"query": [("t.c", "=", "Body.a")], "filters": [("$t_x = 1", "a")]}, "there is no variable $t_x"),
        ({"distribution": "some"}, "distribution 'some' is not one of"),
    ],
)
def test_what_cannot_be_is_refused(properties: dict[str, Any], text_: str) -> None:
    assert text_ in " ".join(nodes.DatabaseRoute("SHOP", **properties).check())
