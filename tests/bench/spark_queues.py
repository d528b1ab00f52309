"""Messages through a flow from queue to queue: on a Spark that stays, and inline."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.flow import CompiledFlow, Project
from penstock.flow.running.queue_listener import QueueListener
from penstock.spark.runs.spark_run import JOB, SparkRun
from penstock.spark.starting import resident
from tests.bench.spark_setting import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.flow_station import Station

    Run = Callable[[str, int, Callable[[], float]], tuple[float, float]]

R = TypeVar("R")

BATCH = 100  # of the inline engine
CHUNK = 5_000  # messages of a put


class QueueRuns:
    """Runs of the station's flows from `IN` to `OUT`."""

    def __init__(self, station: Station, count: int) -> None:
        self.station, self.bodies = station, bodies(count)

    def on_spark(self, name: str, count: int, read: Callable[[], R]) -> tuple[R, R]:
        """Run a flow over so many messages in the session that stays; return a reading before and after."""
        self.fill(count)
        before = read()
        done = resident.request(JOB, self.spark_run(name, True), hear_nothing, home=self.station.home)
        after = read()
        assert done["messages"] == count, done
        self.empty(count)
        return before, after

    def inline(self, name: str, count: int, read: Callable[[], R]) -> tuple[R, R]:
        """The same in this process, over the local socket."""
        self.fill(count)
        project = Project(self.station.project)
        with self.station.connect() as qm:
            listener = QueueListener(CompiledFlow(project.flow(name), project), "In", qm, batch=BATCH)
            before = read()
            listener.run(threading.Event(), until_empty=True)
            after = read()
        self.empty(count)
        return before, after

    def spark_run(self, name: str, until_empty: bool) -> dict[str, Any]:
        return SparkRun(
            str(self.station.project),
            name,
            "QM1",
            until_empty=until_empty,
            options={"home": str(self.station.home)},
            checkpoint=str(self.station.home / "checkpoint" / name),
        ).arguments()

    def rate(self, run: Run, name: str, count: int) -> float:
        """Return the messages a second of one of the two ways."""
        began, ended = run(name, count, time.perf_counter)
        return count / (ended - began)

    def fill(self, count: int) -> None:
        with self.station.connect() as qm:
            for at in range(0, count, CHUNK):
                size = min(CHUNK, count - at)
                qm.put_many(
                    "IN", [self.bodies[n % len(self.bodies)] for n in range(at, at + size)], persistent=True
                )

    def empty(self, count: int) -> None:
        """Take the results away, and make sure that all are there."""
        with self.station.connect() as qm:
            (told,) = qm.mqsc("DISPLAY QLOCAL(OUT) CURDEPTH")
            assert int(told.attributes["CURDEPTH"]) == count, told
            qm.mqsc("CLEAR QLOCAL(OUT)")


def hear_nothing(event: dict[str, Any]) -> None:
    """Progress is of no interest here."""
