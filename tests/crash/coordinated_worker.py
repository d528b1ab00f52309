"""A coordinated flow in a process of its own, with somebody killed at a step of the third unit.

Run as `python tests/crash/coordinated_worker.py HOME URL [STEP VICTIM PID]`. Steps are points between which
nothing durable happens; victims are `flow` (this process), `qmgr` (the process with that number) and
`database` (a server process of PostgreSQL: all of the database then recovers as after a crash).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import penstock
from penstock.esql.database.databases import Databases
from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.running.coordination import Coordination
from penstock.flow.running.queue_listener import QueueListener

ESQL = """
CREATE COMPUTE MODULE Booking
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    INSERT INTO Database.booked (id) VALUES (CAST(InputRoot.XMLNSC.id AS INTEGER));
    RETURN TRUE;
  END;
END MODULE;
"""
UNIT = 3  # the unit in which it happens


def kill(victim: str, process: int, qm: Any, databases: Any) -> None:
    if victim == "flow":
        os.kill(os.getpid(), signal.SIGKILL)
    elif victim == "qmgr":
        os.kill(process, signal.SIGKILL)
    else:
        connection = databases.engine("SHOP").connect()
        other = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        os.kill(int(other), signal.SIGKILL)
        connection.invalidate()


def arm(coordination: Coordination, step: str, victim: str, process: int) -> None:
    """Put the kill where it belongs: before or after a call that makes something durable."""
    when, _, what = step.partition(" ")
    owner, name = {
        "prepare": (coordination.databases, "prepare_all"),
        "decide": (coordination, "commit"),
        "follow": (coordination, "_follow"),
        "forget": (coordination, "_forget_done"),
    }[what]
    inner, calls = getattr(owner, name), []

    def call(*arguments: Any) -> Any:
        calls.append(1)
        if when == "before" and len(calls) == UNIT:
            kill(victim, process, coordination.qm, coordination.databases)
        found = inner(*arguments)
        if when == "after" and len(calls) == UNIT:
            kill(victim, process, coordination.qm, coordination.databases)
        return found

    setattr(owner, name, call)


def booking_flow(folder: Path, url: str) -> CompiledFlow:
    (folder / "esql").mkdir(parents=True, exist_ok=True)
    (folder / "esql" / "booking.esql").write_text(ESQL)
    flow = Flow("booking", coordinated=True)
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    book = flow.add(nodes.Compute(module="Booking", data_source="SHOP"))
    out = flow.add(nodes.MQOutput("OUT"))
    start.out >> book.in_
    book.out >> out.in_
    return CompiledFlow(flow, Project(folder, databases=Databases({"SHOP": url})))


def main(home: str, url: str, step: str = "", victim: str = "", process: str = "0") -> None:
    compiled = booking_flow(Path(home).parent / "booking", url)
    with penstock.connect("QM1", home=home, share=False) as qm:
        listener = QueueListener(compiled, "MQInput", qm)
        assert listener.coordination is not None
        if step:
            arm(listener.coordination, step, victim, int(process))
        listener.run(threading.Event(), until_empty=True)
        listener.coordination.databases.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
