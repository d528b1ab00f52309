"""Flows on Spark `local[2]` and `local[1]`, against one inline process, a hand-written job, Spark's own XML.

Parquet to Parquet runs the very complex program of the broker's performance report; queue to queue runs it
and a simple one, on persistent messages in the fused plan, beside the inline engine over the local socket.
Sessions are warm: two Sparks stay (`penstock spark start`), each on its own home, and are asked in turn.
Then the seconds of a first, a second and a resident start, of a single message, and growth.
"""

from __future__ import annotations

import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penstock.flow import CompiledFlow, Project
from penstock.flow.running.queue_listener import QueueListener
from penstock.lab.analysis.results import Figures, Result, Row, Target, at_least
from penstock.model.message import Message
from penstock.spark import class_archive, resident
from penstock.spark.flow_rows import FAILED
from penstock.spark.flow_work import FlowWork
from penstock.spark.session import spark_folder
from penstock.spark.spark_run import JOB, SparkRun
from tests.bench.esql_programs import same_document
from tests.bench.spark_setting import PATIENCE_SECONDS, bodies, rows_in, station_in, staying, write_archive
from tests.uncompiled import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting
    from tests.flow_station import Station

AGAINST_INLINE = at_least(1.5)
AGAINST_BY_HAND = at_least(1.8)
QUEUES, QUEUES_VERY, QUEUES_FEW = at_least(1.3), at_least(1.6), at_least(0.5)
FEW = 20_000
MESSAGES, MESSAGES_QUICK = 200_000, 20_000
HAND_PART = 10  # the hand-written job gets one message in so many: it would take most of the time
COMPARED = 100
INLINE, BY_HAND, FUNCTIONS = "one inline process", "mapInPandas + lxml", "from_xml, to_xml"
BATCH = 100  # of the inline engine
CHUNK = 5_000


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(MESSAGES, MESSAGES_QUICK)
    with TemporaryDirectory(dir=setting.folder) as folder, ExitStack() as stack:
        station = station_in(Path(folder))
        stack.callback(station.stop)
        yield starts(station)
        one = stack.enter_context(staying(Path(folder) / "one", "local[1]"))
        two = stack.enter_context(staying(station.home, "local[2]"))
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
        self.bodies = bodies(count)
        self.flow = {"project": str(station.project), "flow": "very", "input": "In"}
        write_archive(self.archive, self.bodies)
        self.sample = station.home / "sample.parquet"
        write_archive(self.sample, self.bodies[: count // HAND_PART])

    def target(self, target: Target) -> Target | None:
        """Return the target of a full run; small ones have more start than work in them."""
        return None if self.setting.quick else target

    # -- Parquet to Parquet ----------------------------------------------------------------

    def archives(self) -> Iterator[Row]:
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
        for master, against, target in (
            ("local[2]", INLINE, AGAINST_INLINE),
            ("local[2]", BY_HAND, AGAINST_BY_HAND),
            ("local[2]", FUNCTIONS, None),
            ("local[1]", INLINE, None),
        ):
            values = rates[master], rates[against]
            yield Row(f"{what}, {master}", against, "/s", *values, target=target and self.target(target))

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

    def queues(self) -> Iterator[Row]:
        for name, words, count, target in (
            ("simple", "simple", self.count, QUEUES),
            ("very", "very complex", self.count, QUEUES_VERY),
            ("simple", "simple, warm session", FEW, QUEUES_FEW),
        ):
            self.through_spark(name, CHUNK)  # warms
            values = self.setting.interleave(
                partial(self.through_spark, name, count), partial(self.through_inline, name, count)
            )
            what = f"queue to queue, fused, {count:,} messages, {words}, local[2]"
            yield Row(what, "inline, local socket", "/s", *values, target=target and self.target(target))

    def through_spark(self, name: str, count: int) -> float:
        self.fill(count)
        began = time.perf_counter()
        done = resident.request(JOB, self.spark_run(name, True), hear_nothing, home=self.two)
        took = time.perf_counter() - began
        assert done["messages"] == count, done
        self.empty(count)
        return count / took

    def spark_run(self, name: str, until_empty: bool) -> dict[str, Any]:
        return SparkRun(
            str(self.station.project),
            name,
            "QM1",
            until_empty=until_empty,
            options={"home": str(self.station.home)},
            checkpoint=str(self.station.home / "checkpoint" / name),
        ).arguments()

    def through_inline(self, name: str, count: int) -> float:
        self.fill(count)
        project = Project(self.station.project)
        with self.station.connect() as qm:
            listener = QueueListener(CompiledFlow(project.flow(name), project), "In", qm, batch=BATCH)
            began = time.perf_counter()
            listener.run(threading.Event(), until_empty=True)
            took = time.perf_counter() - began
        self.empty(count)
        return count / took

    def fill(self, count: int) -> None:
        with self.station.connect() as qm:
            for at in range(0, count, CHUNK):
                size = min(CHUNK, count - at)
                qm.put_many(
                    "IN", [self.bodies[n % self.count] for n in range(at, at + size)], persistent=True
                )

    def empty(self, count: int) -> None:
        """Take the results away, and make sure that all are there."""
        with self.station.connect() as qm:
            (told,) = qm.mqsc("DISPLAY QLOCAL(OUT) CURDEPTH")
            assert int(told.attributes["CURDEPTH"]) == count, told
            qm.mqsc("CLEAR QLOCAL(OUT)")

    # -- one message, many messages --------------------------------------------------------

    def latency(self) -> Figures:
        """A flow that runs continuously: one message put, its result got."""
        given = {"run": self.spark_run("simple", False), "body": self.bodies[0].decode()}
        told = resident.request("tests.bench.spark_jobs:single_messages", given, hear_nothing, home=self.two)
        took = told["seconds"]
        line = [f"{1000 * each:,.0f}" for each in (median(took), quantiles(took, n=10)[-1], max(took))]
        return Figures("single message through a continuous flow, ms", ("median", "90 %", "most"), [line])

    def growth(self) -> Figures:
        sizes = (10_000, 100_000) if self.setting.quick else (10_000, 100_000, 1_000_000)
        lines = []
        for size in sizes:
            rate = self.through_spark("simple", size)
            lines.append([f"{size:,}", f"{size / rate:.1f}", f"{rate:,.0f}"])
        return Figures(
            "growth: queue to queue, simple, local[2], start of the query included",
            ("messages", "seconds", "/s"),
            lines,
        )


def starts(station: Station) -> Figures:
    """Seconds of `penstock flow run` over one message: cold without and with archive, warm, inline.

    The targets: 15 without an archive, 8 with one, 1.5 in the session that stays, 15 for a newcomer: the
    command of `first-flow.md` after `make setup`, which has made the archive.
    """
    table = Figures("penstock flow run --until-empty over one message, seconds", ("start", "s"))

    def add(what: str, engine: str, warm: str) -> None:
        words = ("--project", str(station.project), "--qmgr", "QM1", "--engine", engine, "--until-empty")
        command = station.command("flow", "run", "simple", *words, "--json")
        with station.connect() as qm:
            qm.put("IN", bodies(1)[0], persistent=True)
        environment = {**station.env, "PENSTOCK_SPARK_WARM": warm}
        table.lines.append([what, f"{seconds_of(command, environment):.2f}"])

    with without_archive():
        add("cold, no class archive", "spark", "0")
    wait_for_archive(spark_folder(station.home))
    add("cold, class archive", "spark", "0")
    add("cold, starts the warm session: a newcomer's first run", "spark", "1")
    add("in the warm session, first", "spark", "1")
    add("in the warm session, second", "spark", "1")
    resident.stop(station.home)
    add("inline", "inline", "0")
    with station.connect() as qm:
        qm.mqsc("CLEAR QLOCAL(OUT)")
    return table


@contextmanager
def without_archive() -> Iterator[None]:
    """Take the archive of the installation away for a while."""
    shared = class_archive.shared_folder()
    aside = shared.with_name("spark-aside")
    if not shared.exists():
        yield
        return
    shared.rename(aside)
    try:
        yield
    finally:
        aside.rename(shared)


def wait_for_archive(folder: Path) -> None:
    """Wait until the JVM has written its archive: it goes on with that after the command has ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        written = [time.time() - each.stat().st_mtime for each in folder.glob("classes-*.new-*")]
        if written and min(written) > class_archive.SETTLED_SECONDS:
            return
        time.sleep(0.5)


def in_turn(ways: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Measure every way once a round, and return the values of each."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(ways[name]())
    return found


def seconds_of(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr or done.stdout}")
    return time.perf_counter() - began


def hear_nothing(event: dict[str, Any]) -> None:
    """Progress is of no interest here."""
