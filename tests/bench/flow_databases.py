"""Database nodes beside the same work by hand: the same statements over the driver, the same queue calls.

SQLite in this process, and PostgreSQL where the tests' server can be started. By hand means: get, statements
with bound values on the driver's cursor, put, commit of the database, commit of the queues; reads share a
unit of work as in the flow. Processor time of one message.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.esql.database.databases import Databases
from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.lab.analysis.results import Result, Row, at_most
from tests.bench.flow_driver import run_flow
from tests.postgresql import running_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

BATCH = 100
TARGET = at_most(2)
PROGRAM = """
CREATE DATABASE MODULE InsertDelete CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  INSERT INTO Database.t(id, v) VALUES (1000, 'x');
  DELETE FROM Database.t AS T WHERE T.id = 1000; RETURN TRUE; END; END MODULE;
CREATE DATABASE MODULE Read CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  SET Environment.V = THE (SELECT ITEM T.v FROM Database.t AS T WHERE T.id = 7); RETURN TRUE; END; END MODULE;
"""
STATEMENTS = {
    "Read": (("SELECT v FROM t WHERE id = {0}", (7,)),),
    "InsertDelete": (
        ("INSERT INTO t (id, v) VALUES ({0}, {0})", (1000, "x")),
        ("DELETE FROM t WHERE id = {0}", (1000,)),
    ),
}
CREATE = ("DROP TABLE IF EXISTS t", "CREATE TABLE t (id INTEGER PRIMARY KEY, v VARCHAR(20))")


def measure(setting: Setting) -> Iterator[Result]:
    with tempfile.TemporaryDirectory(dir=setting.folder) as name, setting.queue_manager("IN", "OUT") as qm:
        folder = Path(name)
        (folder / "t.esql").write_text(PROGRAM)
        yield from rows(setting, qm, folder, "SQLite", f"sqlite:///{folder / 't.db'}", "?")
        with running_server() as url:
            yield from rows(setting, qm, folder, "PostgreSQL", url, "%s")


def rows(setting: Setting, qm: Any, folder: Path, kind: str, url: str, marker: str) -> Iterator[Row]:
    databases = Databases({"T": url})
    connection = databases.engine("T").raw_connection()
    cursor = connection.cursor()
    for statement in (*CREATE, *(f"INSERT INTO t VALUES ({n}, 'x')" for n in range(100))):
        cursor.execute(statement)
    connection.commit()
    project = Project(folder, databases=databases)
    count = setting.size(400, 100)
    for module, statements in STATEMENTS.items():
        flow = CompiledFlow(flow_with(module), project)
        texts = [(text.format(marker), values) for text, values in statements]
        size = BATCH if module == "Read" else 1
        values = setting.interleave(
            lambda flow=flow: run_flow(qm, flow, b"<a/>", count, False).processor * 1e9,  # type: ignore[misc]
            lambda texts=texts, size=size: by_hand(qm, connection, texts, count, size),  # type: ignore[misc]
        )
        yield Row(f"Database {module}, {kind}, CPU", "by hand", "ns", *values, target=TARGET)
    connection.close()
    databases.close()


def flow_with(module: str) -> Flow:
    flow = Flow(module)
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    node = flow.add(nodes.Database("t.esql", module=module, data_source="T"))
    start.out >> node.in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    return flow


def by_hand(qm: Any, connection: Any, statements: list[Any], count: int, size: int) -> float:
    """Do the same without a flow; return the nanoseconds of a message."""
    qm.put_many("IN", [b"<a/>"] * count)
    began = time.process_time()
    done = 0
    while done < count:
        with qm.unit_of_work():
            for message in qm.get_many("IN", size):
                for text, values in statements:
                    cursor = connection.cursor()
                    cursor.execute(text, values)
                    if text.startswith("SELECT"):
                        cursor.fetchall()
                    cursor.close()
                qm.put("OUT", message.body)
                done += 1
            connection.commit()
    taken = (time.process_time() - began) * 1e9 / count
    qm.mqsc("CLEAR QLOCAL(OUT)")
    return taken
