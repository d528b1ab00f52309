"""Processor time per message, by process: what two cores can give a flow on Spark beside one inline process.

The same messages go through the fused plan in a warm session like that of `flow run`, and through one inline
process. The processor time of the queue manager, the JVM, Spark's Python processes and the inline process is
taken from /proc. The bound of a ratio is the time of the inline way on its two processes, the slower of which
decides, against all the time that Spark needs, divided by the cores.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures
from tests.bench.spark_queues import QueueRuns
from tests.bench.spark_setting import PROGRAMS, station_in, staying

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting
    from tests.flow_station import Station

MESSAGES, MESSAGES_QUICK = 200_000, 20_000
TICK = os.sysconf("SC_CLK_TCK")
CORES = 2
WARMING = 5_000
COLUMNS = (
    "flow",
    "queue manager",
    "JVM",
    "Spark's Python",
    "all of Spark",
    "inline: queue manager",
    "inline flow",
    "bound",
)


def measure(setting: Setting) -> Iterator[Figures]:
    count = setting.size(MESSAGES, MESSAGES_QUICK)
    with TemporaryDirectory(dir=setting.folder) as folder:
        station = station_in(Path(folder))
        try:
            with staying(station.home, f"local[{CORES}]", for_flows=True):
                runs = QueueRuns(station, count)
                yield table(f"{count:,} messages", {name: spent(runs, name, count) for name in PROGRAMS})
        finally:
            station.stop()


@dataclass(frozen=True)
class ProcessorTime:
    """Seconds of processor time by kind of process, for the same messages on Spark and inline."""

    spark: dict[str, float]
    inline: dict[str, float]
    count: int

    @property
    def bound(self) -> float:
        """The ratio to the inline rate that the cores allow."""
        return max(self.inline["server"], self.inline["self"]) / (self.whole / CORES)

    @property
    def whole(self) -> float:
        return self.spark["server"] + self.spark["java"] + self.spark["python"]

    def line(self) -> list[str]:
        spark, inline = self.spark, self.inline
        each = (spark["server"], spark["java"], spark["python"], self.whole, inline["server"], inline["self"])
        return [*(f"{1e6 * value / self.count:.1f}" for value in each), f"{self.bound:.2f}"]


def table(what: str, times: dict[str, ProcessorTime]) -> Figures:
    lines = [[name, *time.line()] for name, time in times.items()]
    title = f"processor time of a message, {what}, microseconds; bound: ratio that {CORES} cores allow"
    return Figures(title, COLUMNS, lines)


def spent(runs: QueueRuns, name: str, count: int) -> ProcessorTime:
    """Run a flow over so many messages in both ways, and return the processor time of each."""
    runs.on_spark(name, WARMING, time.perf_counter)
    read = partial(by_kind, runs.station)
    spark, inline = gone(*runs.on_spark(name, count, read)), gone(*runs.inline(name, count, read))
    return ProcessorTime(spark, inline, count)


def gone(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return {kind: after[kind] - before[kind] for kind in after}


def by_kind(station: Station, home: Path | None = None) -> dict[str, float]:
    """Return the processor time of the queue manager, the session that stays in a home, and this process."""
    assert station.server is not None
    server = station.server.pid  # a fork: its environment does not tell whose it is
    found = {"server": seconds(server), "java": 0.0, "python": 0.0, "self": seconds(os.getpid())}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            ours = f"PENSTOCK_HOME={home or station.home}\0" in (folder / "environ").read_text()
        except OSError:
            continue
        if not ours or int(folder.name) in (os.getpid(), server):
            continue
        kind = "java" if words[0].endswith("java") else "python"
        found[kind] += seconds(int(folder.name), kind == "python")
    return found


def seconds(pid: int, children: bool = False) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11 : 15 if children else 13])) / TICK
