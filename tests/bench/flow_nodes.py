"""The node tests of the broker's performance report as flows here: messages a second and CPU ms a message.

The table of the tests of sections 3.1 and 3.3 to 3.6, and 3.10; `flow_driver` runs them. Databases are SQLite
files without coordination. Each flow is also shown as a ratio to the trivial flow in the same round.
"""

from __future__ import annotations

import sqlite3
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.esql.database.databases import Databases
from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.lab.analysis.results import Result, Row
from tests.bench.esql_programs import HEAD, LOOP, NESTED, SIMPLE, path_message, sale_message
from tests.bench.flow_driver import add_line, best_of, count_for, published, run_flow, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting

ROWS = 100  # in the table of the database tests
LABELS = 100
MODULE = """CREATE {kind} MODULE {name}
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
{body}
RETURN TRUE;
END;
END MODULE;
"""
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
    """A test of the report: its section, what stands between input and output, and its messages."""

    section: str
    what: str
    between: Callable[[Flow, Node], Node]
    message: Callable[[int], bytes] = path_message


def measure(setting: Setting) -> Iterator[Result]:
    lines = table("Nodes")
    with tempfile.TemporaryDirectory(dir=setting.folder) as folder, setting.queue_manager("IN", "OUT") as qm:
        project = project_in(Path(folder))
        flows = {case.section: CompiledFlow(flow_of(case), project) for case in CASES}
        for case in CASES:
            for theirs in published(case.section, setting.quick):
                body, count = case.message(theirs.size), count_for(setting, theirs.size)
                once = partial(run_flow, qm, flows[case.section], body, count, theirs.persistent)
                add_line(lines, case.section, case.what, theirs.size, best_of(setting, once), theirs)
            if case is not CASES[0]:
                yield beside_trivial(setting, qm, case, flows)
        yield list_of_queues(setting, qm, project)
    yield lines


def list_of_queues(setting: Setting, qm: Any, project: Project) -> Row:
    """Put to a destination list of a hundred queues, and of one: processor time of each destination.

    The report has destination lists for RouteToLabel alone; those stand in the table.
    """
    qm.mqsc("".join(f"DEFINE QLOCAL(LIST.{number})\n" for number in range(1, LABELS + 1)))
    body, flows = (
        path_message(4096),
        {count: CompiledFlow(list_flow(count), project) for count in (1, LABELS)},
    )

    def each(entries: int, count: int) -> float:
        taken = run_flow(qm, flows[entries], body, count, False).processor * 1e9 / entries
        for number in range(1, LABELS + 1):
            qm.mqsc(f"CLEAR QLOCAL(LIST.{number})")
        return taken

    count = setting.size(200, 50)
    values = setting.interleave(partial(each, LABELS, count), partial(each, 1, count))
    return Row(f"MQOutput, list of {LABELS} queues, each, CPU", "list of 1", "ns", *values)


def list_flow(entries: int) -> Flow:
    flow = Flow(f"list of {entries}")
    start = flow.add(nodes.MQInput("IN", domain="XML", transaction="automatic"))
    fill = flow.add(nodes.Compute(module=f"Queues{entries}", mode="destination"))
    out, last = flow.add(nodes.MQOutput(destination="list")), flow.add(nodes.MQOutput("OUT"))
    start.out >> fill.in_
    fill.out >> out.in_
    out.out >> last.in_
    return flow


def beside_trivial(setting: Setting, qm: Any, case: Case, flows: dict[str, CompiledFlow]) -> Row:
    """Compare processor time with that of the trivial flow, for 4 KB, not persistent."""
    body, count = case.message(4096), setting.size(400, 100)
    values = setting.interleave(
        lambda: run_flow(qm, flows[case.section], body, count, False).processor * 1e9,
        lambda: run_flow(qm, flows[CASES[0].section], body, count, False).processor * 1e9,
    )
    return Row(f"{case.what}, 4 KB, CPU", "MQInput to MQOutput", "ns", *values)


# -- the flows ---------------------------------------------------------------------------------


def flow_of(case: Case) -> Flow:
    flow = Flow(f"test {case.section}")
    start = flow.add(nodes.MQInput("IN", domain="XML", transaction="automatic"))
    last = case.between(flow, start)
    out = flow.add(nodes.MQOutput("OUT"))
    exit_ = last.true if isinstance(last, nodes.Filter) else last.out
    exit_ >> out.in_
    return flow


def computing(*modules: str) -> Callable[[Flow, Node], Node]:
    def between(flow: Flow, start: Node) -> Node:
        for module in modules:
            compute = flow.add(nodes.Compute(module=module))
            start.out >> compute.in_
            start = compute
        return start

    return between


def one(make: Callable[[], Node]) -> Callable[[Flow, Node], Node]:
    def between(flow: Flow, start: Node) -> Node:
        node = flow.add(make())
        start.out >> node.in_
        return node

    return between


def ordering(flow: Flow, start: Node) -> Node:
    order = flow.add(nodes.FlowOrder())
    first, second = flow.add(nodes.Compute(module="Copy")), flow.add(nodes.Compute(module="Simple"))
    start.out >> order.in_
    order.first >> first.in_
    order.second >> second.in_
    return second


def labelled(entries: int) -> Callable[[Flow, Node], Node]:
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
