"""Additional instances and execution groups, as in section 4 of the broker's performance report.

The flow with the very complex Compute, in real processes at a queue manager that is another one: `penstock
flow run --instances N` once, or N times with one instance. Messages are put while the flow waits for them;
the clock runs from the first put until the last is out. The processor time is that of all processes. On a
machine with fewer cores than there are copies, the rates say what the copies cost each other.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.flows.messages import path_message
from penstock.lab.flows.programs import HEAD, LOOP
from penstock.lab.measure import processor
from tests.bench.flow_driver import Cost, add_line, best_of, published, table
from tests.flow_station import Station
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting

COPIES = {1: "1", 2: "2", 4: "3", 8: "4"}  # and the last number of the report's section
BATCH = 100
POLL_SECONDS = 0.005
PATIENCE_SECONDS = 300.0
ESQL = f"""CREATE COMPUTE MODULE VeryComplex
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
{HEAD}{LOOP * 5}
RETURN TRUE;
END;
END MODULE;
"""
FLOW = """from penstock.flow import Flow, nodes

flow = Flow("very")
start = flow.add(nodes.MQInput("IN", domain="XML", transaction="automatic"))
compute = flow.add(nodes.Compute("esql/very.esql", module="VeryComplex"))
start.out >> compute.in_
compute.out >> flow.add(nodes.MQOutput("OUT")).in_
"""


def measure(setting: Setting) -> Iterator[Result]:
    lines = table("Instances and execution groups")
    with tempfile.TemporaryDirectory(dir=setting.folder) as folder:
        station = Station(Path(folder), log={})
        station.write("flows/very.py", FLOW)
        station.write("esql/very.esql", ESQL)
        station.start()
        try:
            with station.connect() as qm:
                for section, what in (("10.11.1", "instances"), ("10.11.2", "groups")):
                    for copies, last in COPIES.items():
                        if copies < 8 or not setting.quick:
                            measure_copies(setting, station, qm, lines, f"{section}.{last}", copies, what)
        finally:
            station.stop()
    yield lines


def measure_copies(
    setting: Setting, station: Station, qm: Any, lines: Any, section: str, copies: int, what: str
) -> None:
    """Start the copies once, and measure all sizes with them."""
    running = start(station, copies if what == "instances" else 1, 1 if what == "instances" else copies)
    try:
        warm(qm, copies)
        for theirs in published(section, setting.quick):
            body = path_message(theirs.size)
            count = setting.size(2000, 400) // (1 + theirs.size // 16384) // BATCH * BATCH or BATCH
            all_ = processor.family([station.server.pid if station.server else 0, *(e.pid for e in running)])
            best = best_of(setting, lambda b=body, c=count, p=theirs.persistent, a=all_: once(qm, b, c, p, a))
            add_line(lines, section, f"{copies} {what}", theirs.size, best, theirs)
    finally:
        for each in running:
            each.terminate()
        for each in running:
            each.wait(20)


def start(station: Station, instances: int, processes: int) -> list[subprocess.Popen[bytes]]:
    words = ("flow", "run", "very", "-p", str(station.project), "-m", "QM1", "--engine", "inline", "--quiet")
    command = station.command(*words, "--instances", str(instances))
    return [subprocess.Popen(command, env=station.env, stdout=subprocess.DEVNULL) for _ in range(processes)]


def warm(qm: Any, copies: int) -> None:
    """Wait until every copy is connected, and has had the chance of some messages."""
    until(lambda: connections(qm) >= copies, pause=0.05)
    for _ in range(3):
        qm.put_many("IN", [path_message(1024)] * 10 * copies)
        until(lambda: depth(qm, "IN") == 0, pause=0.05)
    drain(qm)


def once(qm: Any, body: bytes, count: int, persistent: bool, processes: set[int]) -> Cost:
    """Put messages and wait until all are out; return the cost of one."""
    before, began = processor.read((), processes), time.perf_counter()
    for _ in range(count // BATCH):
        qm.put_many("IN", [body] * BATCH, persistent=persistent)
    while depth(qm, "OUT") < count:
        if time.perf_counter() - began > PATIENCE_SECONDS:
            raise TimeoutError(f"{depth(qm, 'OUT')} of {count} messages came out")
        time.sleep(POLL_SECONDS)
    seconds, after = time.perf_counter() - began, processor.read((), processes)
    assert drain(qm) == count
    return Cost(seconds / count, (after.load - before.load) / count)


def drain(qm: Any) -> int:
    done = 0
    while found := qm.get_many("OUT", 1000, wait=0.05):
        done += len(found)
    return done


def depth(qm: Any, queue: str) -> int:
    with qm.open(queue) as handle:
        return int(handle.inquire("CURDEPTH")["CURDEPTH"])


def connections(qm: Any) -> int:
    """Return how many others are connected."""
    return str(qm.mqsc("DISPLAY CONN(*)")).count("CONN(") - 1
