"""The node tests of the broker's performance report as flows: sections 3.1, 3.3 to 3.6, and 3.10.

Databases are SQLite files without coordination.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from penstock.esql.database.databases import Databases
from penstock.flow import Flow, Node, Project, nodes
from penstock.lab.flows.messages import path_message, sale_message
from penstock.lab.flows.programs import HEAD, LOOP, MODULE, NESTED, SIMPLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = 100  # in the table of the database tests
LABELS = 100
COMPUTES = {
    "Simple": SIMPLE,
    "Complex": HEAD + LOOP,
    "VeryComplex": HEAD + LOOP * 5,
    "Nested": NESTED,
    "Copy": "SET OutputRoot = InputRoot;",
}
STATEMENTS = {
    "InsertDelete": "INSERT INTO Database.t(id, v) VALUES (1000, 'x');\n"
    "DELETE FROM Database.t AS T WHERE T.id = 1000;",
    "Update": f"UPDATE Database.t AS T SET v = 'y' WHERE T.id = CAST(RAND() * {ROWS} AS INTEGER);",
    "Read": "SET Environment.V = THE (SELECT ITEM T.v FROM Database.t AS T WHERE T.id = 7);",
}


class Case(NamedTuple):
    """A test of the report: its section, the nodes between input and output, and its messages."""

    section: str
    what: str
    between: Callable[[Flow, Node], Node]
    message: Callable[[int], bytes] = path_message


def flow_of(case: Case, prefix: str = "") -> Flow:
    """Return a test's flow from IN to OUT; both begin with the prefix."""
    flow = Flow(f"test {case.section}")
    start = flow.add(nodes.MQInput(f"{prefix}IN", domain="XML", transaction="automatic"))
    last = case.between(flow, start)
    out = flow.add(nodes.MQOutput(f"{prefix}OUT"))
    exit_ = last.true if isinstance(last, nodes.Filter) else last.out
    exit_ >> out.in_
    return flow


def computing(*modules: str) -> Callable[[Flow, Node], Node]:
    """Put Compute nodes of these modules, one behind the other behind the input."""

    def between(flow: Flow, start: Node) -> Node:
        for module in modules:
            compute = flow.add(nodes.Compute(module=module))
            start.out >> compute.in_
            start = compute
        return start

    return between


def one(make: Callable[[], Node]) -> Callable[[Flow, Node], Node]:
    """Put one node behind the input."""

    def between(flow: Flow, start: Node) -> Node:
        node = flow.add(make())
        start.out >> node.in_
        return node

    return between


def ordering(flow: Flow, start: Node) -> Node:
    """Put a FlowOrder before two Compute nodes behind the input."""
    order = flow.add(nodes.FlowOrder())
    first, second = flow.add(nodes.Compute(module="Copy")), flow.add(nodes.Compute(module="Simple"))
    start.out >> order.in_
    order.first >> first.in_
    order.second >> second.in_
    return second


def labelled(entries: int) -> Callable[[Flow, Node], Node]:
    """Put a RouteToLabel with a list of this many entries after the input."""

    def between(flow: Flow, start: Node) -> Node:
        fill = flow.add(nodes.Compute(module=f"List{entries}", mode="destination"))
        route = flow.add(nodes.RouteToLabel("first"))
        start.out >> fill.in_
        fill.out >> route.in_
        return flow.add(nodes.Label("L1"))

    return between


def project_in(folder: Path) -> Project:
    """Write the programs and the database of the tests."""
    entry = "SET OutputLocalEnvironment.Destination.RouterList.DestinationData[{0}].labelName = 'L{0}';"
    queue = "SET OutputLocalEnvironment.Destination.MQ.DestinationData[{0}].queueName = 'LIST.{0}';"
    computes = COMPUTES | {
        f"{kind}{count}": "\n".join(each.format(n) for n in range(1, count + 1))
        for kind, each in (("List", entry), ("Queues", queue))
        for count in (1, LABELS)
    }
    text = "".join(MODULE.format(kind="COMPUTE", name=name, body=body) for name, body in computes.items())
    text += "".join(MODULE.format(kind="DATABASE", name=name, body=body) for name, body in STATEMENTS.items())
    (folder / "esql").mkdir()
    (folder / "esql" / "tests.esql").write_text(text)
    with sqlite3.connect(folder / "t.db") as database:
        database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v VARCHAR(20))")
        database.executemany("INSERT INTO t VALUES (?, 'x')", [(n,) for n in range(ROWS)])
    return Project(folder, databases=Databases({"T": f"sqlite:///{folder / 't.db'}"}))


def database(module: str) -> Callable[[Flow, Node], Node]:
    """Put a Database node behind the input."""
    return one(lambda: nodes.Database(module=module, data_source="T"))


CASES = (
    Case("10.1", "MQInput to MQOutput", lambda flow, start: start),
    Case("10.3.1", "simple Compute", computing("Simple")),
    Case("10.3.2", "complex Compute", computing("Complex")),
    Case("10.3.3", "five complex Computes", computing(*["Complex"] * 5)),
    Case("10.3.4", "very complex Compute", computing("VeryComplex")),
    Case("10.3.5", "nested SELECT", computing("Nested"), sale_message),
    Case("10.4.1", "Database insert and delete", database("InsertDelete")),
    Case("10.4.2", "Database update", database("Update")),
    Case("10.4.3", "Database read", database("Read")),
    Case("10.5", "Filter", one(lambda: nodes.Filter("Body.CSIM.A1 = 'a'"))),
    Case("10.6.1", "two Computes", computing("Copy", "Simple")),
    Case("10.6.2", "FlowOrder", ordering),
    Case("10.10.1", "RouteToLabel, 1 entry", labelled(1)),
    Case("10.10.2", f"RouteToLabel, {LABELS} entries", labelled(LABELS)),
)
