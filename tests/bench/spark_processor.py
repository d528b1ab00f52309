"""Processor time per message, by process: what two cores can give a flow on Spark beside one inline process.

The same messages go through the fused plan in a warm session and through one inline process. The processor
time of the queue manager, the JVM, Spark's Python processes and the inline process is taken from /proc. The
bound of a ratio is the time of the inline way on its two processes, the slower of which decides, against all
the time that Spark needs, divided by the cores.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures
from tests.bench.spark_setting import bodies, station_in, staying

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting
    from tests.flow_station import Station

MESSAGES, MESSAGES_QUICK = 100_000, 20_000
TICK = os.sysconf("SC_CLK_TCK")
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
            with staying(station.home, "local[2]"):
                yield table(station, count)
        finally:
            station.stop()


def table(station: Station, count: int) -> Figures:
    from tests.bench.spark_flows import Bench

    class Own(Bench):
        def __init__(self) -> None:
            self.station, self.two, self.count = station, station.home, count
            self.bodies = bodies(count)

    bench = Own()
    lines = []
    for name in ("simple", "very"):
        bench.through_spark(name, 5_000)  # warms
        spark = spent(station, lambda name=name: bench.through_spark(name, count))
        inline = spent(station, lambda name=name: bench.through_inline(name, count))
        micro = {key: 1e6 * value / count for key, value in spark.items()}
        own = {key: 1e6 * value / count for key, value in inline.items()}
        whole = micro["server"] + micro["java"] + micro["python"]
        bound = max(own["server"], own["self"]) / (whole / 2)
        figures = (micro["server"], micro["java"], micro["python"], whole, own["server"], own["self"])
        lines.append([name, *(f"{each:.1f}" for each in figures), f"{bound:.2f}"])
    return Figures(
        "processor time per message, microseconds; bound: ratio that two cores allow", COLUMNS, lines
    )


def spent(station: Station, work) -> dict[str, float]:  # type: ignore[no-untyped-def]
    """Return the processor seconds of a piece of work by kind of process; it fills the queue, too."""
    before = by_kind(station)
    work()
    after = by_kind(station)
    return {kind: after[kind] - before.get(kind, 0.0) for kind in after}


def by_kind(station: Station) -> dict[str, float]:
    assert station.server is not None
    server = station.server.pid  # a fork: its environment does not tell whose it is
    found = {"server": seconds(server), "java": 0.0, "python": 0.0, "self": seconds(os.getpid())}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            home = f"PENSTOCK_HOME={station.home}\0" in (folder / "environ").read_text()
        except OSError:
            continue
        if not home or int(folder.name) in (os.getpid(), server):
            continue
        kind = "java" if words[0].endswith("java") else "python"
        found[kind] += seconds(int(folder.name), kind == "python")
    return found


def seconds(pid: int, children: bool = False) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11 : 15 if children else 13])) / TICK
