"""What `spark_flows` works on: a queue manager, two flows, an archive of messages, and Sparks that stay."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.lab.flows.messages import path_message
from penstock.lab.flows.programs import HEAD, LOOP, SIMPLE
from penstock.lab.load.queue_server import DEPTH_MAX
from penstock.spark.starting import resident
from penstock.spark.starting.session import quick_start
from tests.bench.spark_jobs import LOOPS
from tests.flow_station import PENSTOCK, Station
from tests.uncompiled import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = 8  # of the archive
KILOBYTE = 1024
PATIENCE_SECONDS = 60.0
PROGRAMS = {"simple": SIMPLE, "very": HEAD + LOOP * LOOPS}
MODULE = (
    "CREATE COMPUTE MODULE {name}\nCREATE FUNCTION Main() RETURNS BOOLEAN\nBEGIN\n"
    "{body}\nRETURN TRUE;\nEND;\nEND MODULE;\n"
)
FLOW = """from penstock.flow import Flow, nodes

flow = Flow("{name}")
start = flow.add(nodes.MQInput("IN", domain="XML"), name="In")
compute = flow.add(nodes.Compute(module="{name}"))
out = flow.add(nodes.MQOutput("OUT"))
start.out >> compute.in_
compute.out >> out.in_
"""


@contextmanager
def staying(home: Path, master: str, *, for_flows: bool = False) -> Iterator[Path]:
    """Let a Spark stay in a home; its workers import the tests.

    One `for_flows` has the JVM of the session that `flow run` keeps; else it is one for Spark's own queries.
    """
    home.mkdir(exist_ok=True)
    options = quick_start(master, {}) if for_flows else {}
    words = [word for item in options.items() for word in ("--conf", "=".join(item))]
    command = (*PENSTOCK, "spark", "start", "--master", master, *words)
    environment = {**os.environ, "PENSTOCK_HOME": str(home), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # PySpark tells of every worker that ends
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "stays" in process.stdout.readline()
        yield home
        resident.stop(home)
        process.wait(PATIENCE_SECONDS)
    finally:
        process.kill()
        process.wait()


def station_in(folder: Path) -> Station:
    """Run a queue manager with room for all messages, beside a project with the two flows."""
    station = Station(folder, log={})
    for name, body in PROGRAMS.items():
        station.write(f"esql/{name}.esql", MODULE.format(name=name, body=body))
        station.write(f"flows/{name}.py", FLOW.format(name=name))
    station.start()
    with station.connect() as qm:
        for queue in ("IN", "OUT"):
            qm.mqsc(f"ALTER QLOCAL({queue}) MAXDEPTH({DEPTH_MAX})")
    return station


def bodies(count: int) -> list[bytes]:
    """Return messages of about a kilobyte, each with a field of its own."""
    head, tail = path_message(KILOBYTE).split(b"<A1>a</A1>")
    return [b"%s<A1>%d</A1>%s" % (head, number, tail) for number in range(count)]


def write_archive(folder: Path, made: list[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    size = -(-len(made) // FILES)
    for at in range(0, len(made), size):
        ids = [b"%024d" % number for number in range(at, min(at + size, len(made)))]
        table = pa.table(
            {"msg_id": pa.array(ids, pa.binary()), "body": pa.array(made[at : at + size], pa.binary())}
        )
        pq.write_table(table, folder / f"part-{at:08}.parquet")


def rows_in(folder: Path) -> int:
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(path).num_rows for path in folder.glob("*.parquet"))
