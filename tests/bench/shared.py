"""Shared queues against the same statements made plainly: rows S1 to S8 and S15 to S17 of the targets.

The floor is what pgbench does, made with psycopg: a connection per client, insert and delete of a 1 KB row,
commit. A unit is a get and a put of 1 KB, committed. Members are in this process; the server is one that the
tests use. `--quick` is for a look: the ratios of a busy machine say little.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import psycopg

from penstock.lab.analysis.results import Result, Row, at_least
from tests.postgresql import running_server
from tests.shared_groups import Members, members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting

KILOBYTE = bytes(1024)
TIMES = 3
AHEAD = 500  # messages that are there before units begin
WAKES = 20


def measure(setting: Setting) -> Iterator[Result]:
    seconds = 1.0 if setting.quick else 5.0
    with running_server() as url, TemporaryDirectory() as home:
        with members(url, Path(home), "QM1", "QM2") as group:
            for queue in ("A", "B"):
                group.share(queue, MAXDEPTH=1_000_000)
            for qm in group.here.values():
                qm.mqsc("DEFINE QLOCAL(LOCAL) MAXDEPTH(1000000)")
            fill(group, persistent=True)
            yield from units(setting, group, seconds)
            yield from others(setting, group, seconds)


def units(setting: Setting, group: Members, seconds: float) -> Iterator[Result]:
    one, both = [group.here["QM1"]], list(group.here.values())
    floor = "insert + delete + commit"
    pairs = [
        ("S1 units, 1 client", one, 1, 1, at_least(0.5)),
        ("S2 units, 2 members of 8 clients", both, 8, 16, at_least(0.8)),
        ("S3 units, 2 members of 64 clients", both, 64, 16, at_least(2.0)),
    ]
    for what, qms, clients, connections, target in pairs:
        values = setting.interleave(
            partial(unit_rate, qms, clients, seconds, True),
            partial(statement_rate, group.url, connections, seconds),
            times=TIMES,
        )
        yield Row(what, f"{floor}, {connections} connections", "/s", *values, target=target)


def others(setting: Setting, group: Members, seconds: float) -> Iterator[Result]:
    both = list(group.here.values())
    lasting = partial(unit_rate, both, 8, seconds, True)
    fill(group, persistent=False)
    values = setting.interleave(partial(unit_rate, both, 8, seconds, False), lasting, times=TIMES)
    yield Row("S5 non-persistent units, 16 clients", "persistent", "/s", *values, target=at_least(2.0))
    values = setting.interleave(partial(mixed_rate, both[0], 16, seconds), lasting, times=TIMES)
    yield Row("S15 mixed units, 16 clients", "shared only", "/s", *values, target=at_least(0.55))
    waits = [wake_seconds(group) for _ in range(WAKES)]
    trips = [trip_seconds(group.url) for _ in range(WAKES)]
    yield Row("S6 put to waiting getter elsewhere", "a round trip", "s", waits, trips)


def fill(group: Members, persistent: bool) -> None:
    with group.here["QM1"].unit_of_work():
        for _ in range(AHEAD):
            for queue in ("A", "B"):
                group.here["QM1"].put(queue, KILOBYTE, persistent=persistent)


def unit_rate(qms: list[Any], clients: int, seconds: float, persistent: bool) -> float:
    """Return units a second: a get from one queue and a put to the other."""

    def unit(qm: Any, number: int) -> None:
        source, target = ("A", "B") if number % 2 else ("B", "A")
        with qm.unit_of_work():
            message = qm.get(source)
            if message is not None:
                qm.put(target, message.body, persistent=persistent)

    return rate([partial(unit, qm, number) for qm in qms for number in range(clients)], seconds)


def mixed_rate(qm: Any, clients: int, seconds: float) -> float:
    """Return units a second: a put to a shared and one to a local queue."""

    def unit() -> None:
        with qm.unit_of_work():
            qm.put("A", KILOBYTE, persistent=True)
            qm.put("LOCAL", KILOBYTE, persistent=True)

    return rate([unit] * clients, seconds)


def statement_rate(url: str, connections: int, seconds: float) -> float:
    """Return transactions a second that insert and delete a row, one connection per client."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create table if not exists floor(id bigint primary key, body bytea)")
        connection.execute("truncate floor")

    class Client:
        def __init__(self, number: int) -> None:
            self.next = number << 40
            self.connection = psycopg.connect(url)
            self.connection.prepare_threshold = 0

        def __call__(self) -> None:
            self.next += 1
            with self.connection.transaction():
                self.connection.execute("insert into floor values (%s, %s)", (self.next, KILOBYTE))
                self.connection.execute("delete from floor where id = %s", (self.next - 1,))

    clients = [Client(number) for number in range(connections)]
    try:
        return rate(clients, seconds)
    finally:
        for client in clients:
            client.connection.close()


def rate(actions: list[Callable[[], None]], seconds: float) -> float:
    """Return how often a second all actions together are done, a thread for each."""
    counts = [0] * len(actions)
    end = time.perf_counter() + seconds

    def run(number: int) -> None:
        while time.perf_counter() < end:
            actions[number]()
            counts[number] += 1

    numbers = iter(range(len(actions)))
    seconds_all = seconds_of(lambda: run(next(numbers)), len(actions))
    return sum(counts) / seconds_all


def seconds_of(work: Callable[[], None], programs: int) -> float:
    """Return how long it takes until as many threads have done some work once each."""
    threads = [threading.Thread(target=work) for _ in range(programs)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def wake_seconds(group: Members) -> float:
    """Return the time from the answer to a put until a getter of another member has the message."""
    one, two = group.here["QM1"], group.here["QM2"]
    got: list[float] = []
    if "W" not in group.queues:
        group.share("W")

    def wait() -> None:
        two.get("W", wait=60)
        got.append(time.perf_counter())

    getter = threading.Thread(target=wait)
    getter.start()
    queue = two.host.engine.queues["W"]
    while queue.waiting is None or not queue.waiting.count:
        time.sleep(0.001)
    one.put("W", KILOBYTE, persistent=True)
    answered = time.perf_counter()
    getter.join()
    return max(got[0] - answered, 0.0)


def trip_seconds(url: str) -> float:
    """Return the time of a statement that does nothing."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("select 1")
        began = time.perf_counter()
        connection.execute("select 1")
        return time.perf_counter() - began
