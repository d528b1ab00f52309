"""Flows on Spark `local[2]` and `local[1]`, against one inline process, a hand-written job, Spark's own XML.

Parquet to Parquet runs the very complex program of the broker's performance report; queue to queue runs it
and a simple one, on persistent messages in the fused plan, beside the inline engine over the local socket.
Sessions are warm: three Sparks stay, each on its own home, and are asked in turn. The two for archives are
those of `penstock spark start`; the one for queues has the JVM options of the session that `flow run` keeps.
Then the milliseconds of a single message, and growth. `spark_starts` has the seconds of a start.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures, Result, Row, Target, at_least
from penstock.model.message import Message
from penstock.spark.runs.flow_rows import FAILED
from penstock.spark.runs.flow_work import FlowWork
from penstock.spark.starting import resident
from tests.bench.esql_programs import same_document
from tests.bench.spark_processor import ProcessorTime, by_kind, gone, spent, table
from tests.bench.spark_queues import CHUNK, QueueRuns, hear_nothing
from tests.bench.spark_setting import rows_in, station_in, staying, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting
    from tests.flow_station import Station

AGAINST_INLINE, AGAINST_BY_HAND, AGAINST_FUNCTIONS = at_least(1.8), at_least(6), at_least(1)
QUEUES, QUEUES_VERY, QUEUES_FEW = at_least(1.3), at_least(1.6), at_least(0.5)
OF_BOUND = 0.9  # of the ratio that the cores allow, where that is less than the target
FEW = 20_000
MESSAGES, MESSAGES_QUICK = 200_000, 20_000
HAND_PART = 10  # the hand-written job gets one message in so many: it would take most of the time
COMPARED = 100
INLINE, BY_HAND, FUNCTIONS = "one inline process", "mapInPandas + lxml", "from_xml, to_xml"


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(MESSAGES, MESSAGES_QUICK)
    with TemporaryDirectory(dir=setting.folder) as folder, ExitStack() as stack:
        station = station_in(Path(folder))
        stack.callback(station.stop)
        one = stack.enter_context(staying(Path(folder) / "one", "local[1]"))
        two = stack.enter_context(staying(Path(folder) / "two", "local[2]"))
        stack.enter_context(staying(station.home, "local[2]", for_flows=True))
        bench = Bench(setting, station, one, two, count)
        yield from bench.archives()
        yield from bench.queues()
        yield bench.latency()
        yield bench.growth()


class Bench:
    """The comparisons, over one station and two Sparks that stay."""

    def __init__(self, setting: Setting, station: Station, one: Path, two: Path, count: int) -> None:
        self.setting, self.station, self.count = setting, station, count
        self.one, self.two = one, two
        self.archive = station.home / "archive.parquet"
        self.runs = QueueRuns(station, count)
        self.flow = {"project": str(station.project), "flow": "very", "input": "In"}
        write_archive(self.archive, self.runs.bodies)
        self.sample = station.home / "sample.parquet"
        write_archive(self.sample, self.runs.bodies[: count // HAND_PART])

    def target(self, target: Target) -> Target | None:
        """Return the target of a full run; small ones have more start than work in them."""
        return None if self.setting.quick else target

    # -- Parquet to Parquet ----------------------------------------------------------------

    def archives(self) -> Iterator[Result]:
        """All ways take turns in every round, each round beginning with another one."""
        for home in (self.one, self.two):  # warms what a first run loads
            self.on_spark(home, "flow")
        assert self.same_as_by_hand()
        ways: dict[str, Callable[[], float]] = {
            "local[2]": lambda: self.on_spark(self.two, "flow"),
            "local[1]": lambda: self.on_spark(self.one, "flow"),
            INLINE: self.inline,
            BY_HAND: lambda: self.on_spark(self.two, "hand"),
            FUNCTIONS: lambda: self.on_spark(self.two, "functions"),
        }
        rates = in_turn(ways, self.setting.rounds)
        what = f"Parquet to Parquet, {self.count:,} messages, very complex"
        spent_time = self.time_of_archives()
        yield table("Parquet to Parquet", {"very complex": spent_time})
        for master, against, target in (
            ("local[2]", INLINE, allowed(AGAINST_INLINE, spent_time)),
            ("local[2]", BY_HAND, AGAINST_BY_HAND),
            ("local[2]", FUNCTIONS, AGAINST_FUNCTIONS),
            ("local[1]", INLINE, None),
        ):
            values = rates[master], rates[against]
            yield Row(f"{what}, {master}", against, "/s", *values, target=target and self.target(target))

    def time_of_archives(self) -> ProcessorTime:
        """Return the processor time of the flow over the archive, in Spark's processes and inline."""
        read = partial(by_kind, self.station, self.two)
        begun = read()
        self.on_spark(self.two, "flow")
        half = read()
        self.inline()
        return ProcessorTime(gone(begun, half), gone(half, read()), self.count)

    def on_spark(self, home: Path, way: str) -> float:
        target, count = home / f"{way}.parquet", self.count // (HAND_PART if way == "hand" else 1)
        archive = self.sample if way == "hand" else self.archive
        given = {"way": way, "archive": str(archive), "target": str(target), "flow": self.flow}
        told = resident.request("tests.bench.spark_jobs:parquet_to_parquet", given, hear_nothing, home=home)
        assert rows_in(target) == count
        return count / float(told["seconds"])

    def inline(self) -> float:
        """The same in this process: bodies out of Parquet, the flow, results into Parquet."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        began, done = time.perf_counter(), 0
        work = FlowWork({**self.flow, "options": {"deadLetterQueue": FAILED}})
        with pq.ParquetWriter(self.station.home / "inline.parquet", pa.schema({"body": pa.binary()})) as out:
            for path in sorted(self.archive.iterdir()):
                for batch in pq.ParquetFile(path).iter_batches(CHUNK, columns=["body"]):
                    messages = [Message(body) for body in batch.column("body").to_pylist()]
                    made = [output.message.body for output in work.outputs(messages)]
                    out.write_batch(pa.record_batch({"body": pa.array(made, pa.binary())}))
                    done += len(made)
        assert done == self.count
        return done / (time.perf_counter() - began)

    def same_as_by_hand(self) -> bool:
        """Say whether the flow and the hand-written job give the same documents."""
        import pyarrow.parquet as pq

        self.on_spark(self.two, "hand")
        flow = pq.read_table(self.two / "flow.parquet", columns=["source_id", "body"]).to_pydict()
        hand = pq.read_table(self.two / "hand.parquet").slice(0, COMPARED).to_pylist()
        ours = dict(zip(flow["source_id"], flow["body"], strict=True))
        return all(same_document(ours[row["msg_id"]], row["body"]) for row in hand)

    # -- queue to queue --------------------------------------------------------------------

    def queues(self) -> Iterator[Result]:
        """Judge by the target, or by what the cores allow if that is less: see `spark_processor`."""
        times = {}
        for name, words, count, target in (
            ("simple", "simple", self.count, QUEUES),
            ("very", "very complex", self.count, QUEUES_VERY),
            ("simple", "simple, warm session", FEW, QUEUES_FEW),
        ):
            what = f"{words}, {count:,} messages"
            times[what] = spent(self.runs, name, count)
            values = self.setting.interleave(
                partial(self.runs.rate, self.runs.on_spark, name, count),
                partial(self.runs.rate, self.runs.inline, name, count),
            )
            whole = f"queue to queue, fused, {what}, local[2]"
            goal = self.target(allowed(target, times[what]))
            yield Row(whole, "inline, local socket", "/s", *values, target=goal)
        yield table("queue to queue", times)

    # -- one message, many messages --------------------------------------------------------

    def latency(self) -> Figures:
        """A flow that runs continuously: one message put, its result got."""
        given = {"run": self.runs.spark_run("simple", False), "body": self.runs.bodies[0].decode()}
        told = resident.request(
            "tests.bench.spark_jobs:single_messages", given, hear_nothing, home=self.station.home
        )
        took = told["seconds"]
        line = [f"{1000 * each:,.0f}" for each in (median(took), quantiles(took, n=10)[-1], max(took))]
        return Figures("single message through a continuous flow, ms", ("median", "90 %", "most"), [line])

    def growth(self) -> Figures:
        sizes = (10_000, 100_000) if self.setting.quick else (10_000, 100_000, 1_000_000)
        lines = []
        for size in sizes:
            rate = self.runs.rate(self.runs.on_spark, "simple", size)
            lines.append([f"{size:,}", f"{size / rate:.1f}", f"{rate:,.0f}"])
        return Figures(
            "growth: queue to queue, simple, local[2], start of the query included",
            ("messages", "seconds", "/s"),
            lines,
        )


def allowed(target: Target, time: ProcessorTime) -> Target:
    """Return a target, or most of what the cores allow if that is less."""
    return at_least(round(min(target.bound, OF_BOUND * time.bound), 2))


def in_turn(ways: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Measure every way once a round, and return the values of each."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(ways[name]())
    return found
