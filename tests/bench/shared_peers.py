"""Shared queues beside a job queue on the same PostgreSQL: procrastinate, in one run, in turn.

The same work on both: 16 producers store messages of 1 KB, each durable when its producer goes on; then 16
consumers take them, each removed for good when it is done. procrastinate runs in this process too, with
its own worker and its own pool of connections, jobs deleted when done, as its manual says. It is no part of
the tests' packages: `pip install procrastinate`. Where it is missing there is no figure.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures, Result, Row
from tests.bench.shared import seconds_of
from tests.postgresql import running_server
from tests.shared_groups import Members, members

if TYPE_CHECKING:
    from penstock.lab.load.setting import Setting

PROGRAMS = 16
MESSAGES, MESSAGES_QUICK = 4000, 400
BODY = "x" * 1024
PEER = "procrastinate"


def measure(setting: Setting) -> Iterator[Result]:
    if importlib.util.find_spec(PEER) is None:
        yield Figures(f"{PEER} is not installed: nothing measured", ("",), [])
        return
    count = MESSAGES_QUICK if setting.quick else MESSAGES
    with running_server() as url, TemporaryDirectory() as home:
        with members(url, Path(home), "QM1") as group:
            group.share("WORK", MAXDEPTH=1_000_000)
            jobs = Jobs(url, count)
            shared = SharedWork(group, count)
            try:
                mine, others = _in_turn(setting, shared.run, jobs.run)
            finally:
                jobs.close()
    for number, what in enumerate(("stored", "taken")):
        values = [each[number] for each in mine], [each[number] for each in others]
        yield Row(f"messages {what}, {PROGRAMS} programs", PEER, "/s", *values)


Rates = tuple[float, float]  # stored and taken, a second


def _in_turn(
    setting: Setting, subject: Callable[[], Rates], other: Callable[[], Rates]
) -> tuple[list[Rates], list[Rates]]:
    mine: list[Rates] = []
    others: list[Rates] = []
    for number in range(setting.rounds):
        sides = [(subject, mine), (other, others)]
        for run, values in sides if number % 2 == 0 else reversed(sides):
            values.append(run())
    return mine, others


class SharedWork:
    """The work on a shared queue."""

    def __init__(self, group: Members, count: int) -> None:
        self._qm, self._count = group.here["QM1"], count

    def run(self) -> Rates:
        """Put every message, then get every message in a unit of its own."""
        body = BODY.encode()
        got: list[int] = []

        def put() -> None:
            for _ in range(self._count // PROGRAMS):
                self._qm.put("WORK", body, persistent=True)

        def take() -> None:
            number = 0
            while True:
                with self._qm.unit_of_work():
                    if self._qm.get("WORK") is None:
                        break
                number += 1
            got.append(number)

        stored, taken = seconds_of(put, PROGRAMS), seconds_of(take, PROGRAMS)
        assert sum(got) == self._count // PROGRAMS * PROGRAMS
        return sum(got) / stored, sum(got) / taken


class Jobs:
    """The work as jobs of procrastinate."""

    def __init__(self, url: str, count: int) -> None:
        import procrastinate  # type: ignore[import-not-found]

        self._count = count
        self._loop = asyncio.new_event_loop()
        connector = procrastinate.PsycopgConnector(conninfo=url, min_size=PROGRAMS, max_size=PROGRAMS + 4)
        self._app: Any = procrastinate.App(connector=connector)
        self._done = 0

        @self._app.task(name="work", queue="work")  # type: ignore[untyped-decorator]
        async def work(body: str) -> None:
            self._done += 1

        self._task = work
        self._loop.run_until_complete(self._app.open_async())
        self._loop.run_until_complete(self._app.schema_manager.apply_schema_async())

    def run(self) -> Rates:
        """Defer every job, then have a worker run all of them."""
        return self._loop.run_until_complete(self._run())

    async def _run(self) -> Rates:
        async def defer() -> None:
            for _ in range(self._count // PROGRAMS):
                await self._task.defer_async(body=BODY)

        self._done = 0
        began = time.perf_counter()
        await asyncio.gather(*[defer() for _ in range(PROGRAMS)])
        stored = time.perf_counter()
        await self._app.run_worker_async(
            queues=["work"],
            concurrency=PROGRAMS,
            wait=False,
            listen_notify=False,
            install_signal_handlers=False,
            delete_jobs="always",
        )
        ended = time.perf_counter()
        assert self._done == self._count // PROGRAMS * PROGRAMS
        return self._done / (stored - began), self._done / (ended - stored)

    def close(self) -> None:
        """End its connections."""
        self._loop.run_until_complete(self._app.close_async())
        self._loop.close()
