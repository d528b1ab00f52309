"""Penstock.

`penstock flow run`, and beside it the hand-written loop on the same queues over the same socket.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.flow_inline import BATCH, CASES, ESQL, by_hand
from tests.bench.flow_peers.engine import Engine
from tests.flow_station import Station

if TYPE_CHECKING:
    from tests.bench.flow_inline import Case

NODES = {
    "pass": "",
    "filter": 'nodes.Filter("Body.Order.Total > 1000")',
    "set": 'nodes.Compute("esql/bench.esql", module="SetXml")',
    "route": 'nodes.Route([("$Root/XMLNSC/Order/Total > 1000", "large")])',
    "JSON": 'nodes.Compute("esql/bench.esql", module="SetJson")',
}
TERMINALS = {"filter": "true", "route": "large"}


class PenstockFlow(Engine):
    """A flow in a process of its own, the queue manager in another."""

    name = "Penstock"

    def start(self, folder: Path) -> None:
        self.station = Station(folder, log={})
        self.station.write("esql/bench.esql", ESQL)
        for case in CASES:
            self.station.write(f"flows/{case.name.lower()}.py", flow_text(case))
        self.running.callback(self.station.stop)
        self.station.start()
        self.qm: Any = self.running.enter_context(self.station.connect())

    def fill(self, case: Case, body: bytes, count: int) -> None:
        for _ in range(count // BATCH):
            self.qm.put_many("IN", [body] * BATCH)

    def begin(self, case: Case) -> subprocess.Popen[bytes]:
        words = ("flow", "run", case.name.lower(), "-p", str(self.station.project), "-m", "QM1")
        command = self.station.command(*words, "--engine", "inline", "--quiet")
        return subprocess.Popen(command, env=self.station.env, stdout=subprocess.DEVNULL)

    def done(self) -> int:
        with self.qm.open("OUT") as handle:
            return int(handle.inquire("CURDEPTH")["CURDEPTH"])

    def clear(self) -> None:
        for queue in ("IN", "OUT"):
            while self.qm.get_many(queue, 1000):
                pass


class HandLoop(PenstockFlow):
    """The loop that a person would write with lxml, as a client of the same queue manager."""

    name = "lxml loop"

    def begin(self, case: Case) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-m", "tests.bench.flow_peers.penstock_flow", case.name)
        return subprocess.Popen(command, env=self.station.env | {"PYTHONPATH": str(Path.cwd())})


def flow_text(case: Case) -> str:
    """Return the flow of a case as a file of a project."""
    node, terminal = NODES[case.name], TERMINALS.get(case.name, "out")
    between = f"middle = flow.add({node})\nstart.out >> middle.in_\n" if node else "middle = start\n"
    return (
        "from penstock.flow import Flow, nodes\n\n"
        f'flow = Flow("{case.name.lower()}")\n'
        f'start = flow.add(nodes.MQInput("IN", domain="{case.domain}"))\n'
        f'{between}middle.terminal("{terminal}") >> flow.add(nodes.MQOutput("OUT")).in_\n'
    )


if __name__ == "__main__":
    import penstock

    with penstock.connect("QM1", home=Path(os.environ["PENSTOCK_HOME"]), share=False) as connection:
        by_hand(next(each for each in CASES if each.name == sys.argv[1]), connection)
