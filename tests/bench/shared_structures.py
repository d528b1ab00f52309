"""Shared queues beyond units: rows S4, S7 to S10, S12, S14, S16 and S17 of the targets.

Growth to eight members, a pinned horizon, the death of a member, large bodies in data sets against rows,
reads from buffers, backup, capacity, private queues beside a group, many messages in a row. Members are in
this process; the server is one that the tests use. S11 and S13 are in `shared_data_sets`.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import psycopg

import penstock
from penstock.host import starting
from penstock.lab.analysis.results import Figures, Result, Row, at_least
from penstock.qmgr.sharing.offload_rules import DEFAULT_RULES, cost_bytes, is_offloaded, percent_full
from tests.bench.shared import KILOBYTE, TIMES, fill, rate, unit_rate
from tests.postgresql import running_server
from tests.shared_groups import Members, members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

CLAIMS = 2000
CLAIMS_QUICK = 200
RUN_MESSAGES = 100_000
RUN_MESSAGES_QUICK = 2000
BATCH = 100
SIZE_BYTES = 512 << 20
SEED_CAPACITY = 158_166  # 16 KB messages in 0.5 GB, tiered offload, as published


def measure(setting: Setting) -> Iterator[Result]:
    seconds = 1.0 if setting.quick else 5.0
    with running_server() as url, TemporaryDirectory() as home:
        yield from growth(setting, url, Path(home), seconds)
        with members(url, Path(home) / "pair", "QM1", "QM2") as group:
            for queue in ("A", "B"):
                group.share(queue, MAXDEPTH=10_000_000)
            yield from pinned(setting, group, seconds)
            yield from death(setting, group)
            yield from private(setting, group, Path(home), seconds)
            yield from in_a_row(setting, group)
        yield from large(setting, url, Path(home) / "large", seconds)
    lines = [[f"{capacity():,}", f"{SEED_CAPACITY:,}"]]
    yield Figures("S14 16 KB messages in SIZE(512M), tiered offload", ("here", "published"), lines)


def growth(setting: Setting, url: str, home: Path, seconds: float) -> Iterator[Result]:
    """Eight members with eight clients each against two."""
    names = [f"QM{number}" for number in range(1, 9)]
    with members(url, home / "eight", *names) as eight, members(url, home / "two", "QM1", "QM2") as two:
        for group in (eight, two):
            for queue in ("A", "B"):
                group.share(queue, MAXDEPTH=1_000_000)
            fill(group, persistent=True)
        values = setting.interleave(
            partial(unit_rate, list(eight.here.values()), 8, seconds, True),
            partial(unit_rate, list(two.here.values()), 8, seconds, True),
            times=TIMES,
        )
    yield Row("S4 units at 8 members of 8 clients", "at 2 members", "/s", *values, target=at_least(1.0))


def pinned(setting: Setting, group: Members, seconds: float) -> Iterator[Result]:
    """Units while another session keeps its snapshot, against units without one."""
    both = list(group.here.values())
    fill(group, persistent=True)
    plain = partial(unit_rate, both, 8, seconds, True)

    def with_snapshot() -> float:
        with horizon(group.url):
            return plain()

    values = setting.interleave(with_snapshot, plain, times=TIMES)
    yield Row("S7 units, horizon pinned", "not pinned", "/s", *values, target=at_least(1 / 1.5))


@contextmanager
def horizon(url: str) -> Iterator[None]:
    with psycopg.connect(url) as connection:
        connection.execute("set transaction isolation level repeatable read")
        connection.execute("select count(*) from pg_class")
        yield


def death(setting: Setting, group: Members) -> Iterator[Result]:
    """Seconds until the claims of a member that died are free."""
    count = CLAIMS_QUICK if setting.quick else CLAIMS
    took = []
    for number in range(setting.rounds):
        dead = group.start(f"DEAD{number}")
        with dead.unit_of_work():
            for _ in range(count):
                dead.put("A", KILOBYTE, persistent=True)
        dead.begin()
        for _ in range(count):
            dead.get("A")
        began = time.perf_counter()
        dead.host.abandon()
        while group.rows("select from claim limit 1"):
            time.sleep(0.01)
        took.append(time.perf_counter() - began)
        del group.here[f"DEAD{number}"]
    lines = [[f"{seconds:.2f}"] for seconds in took]
    yield Figures(f"S8 {count} claims of a dead member are free (target 0.5 s)", ("seconds",), lines)


def private(setting: Setting, group: Members, home: Path, seconds: float) -> Iterator[Result]:
    """Private queues of a member against those of a queue manager without a group."""
    starting.create("ALONE", home)
    alone = penstock.embed("ALONE", home=home)
    try:
        for qm in (alone, group.here["QM1"]):
            qm.mqsc("DEFINE QLOCAL(OWN) MAXDEPTH(1000000)")
        values = setting.interleave(
            partial(own_rate, group.here["QM1"], seconds), partial(own_rate, alone, seconds), times=TIMES
        )
    finally:
        alone.close()
    yield Row("S16 private queue of a member", "without a group", "/s", *values, target=at_least(0.94))


def own_rate(qm: Any, seconds: float) -> float:
    def pair() -> None:
        qm.put("OWN", KILOBYTE, persistent=False)
        qm.get("OWN")

    return rate([pair], seconds)


def in_a_row(setting: Setting, group: Members) -> Iterator[Result]:
    """Put and get many messages: the last fifth against the first."""
    one, two = group.here["QM1"], group.here["QM2"]
    messages = RUN_MESSAGES_QUICK if setting.quick else RUN_MESSAGES
    fifths: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(messages // 5 // BATCH):
            with one.unit_of_work():
                for _ in range(BATCH):
                    one.put("B", KILOBYTE, persistent=True)
            with two.unit_of_work():
                for _ in range(BATCH):
                    two.get("B")
        fifths.append(messages / 5 / (time.perf_counter() - began))
    yield Row(
        f"S17 {messages} messages, last fifth",
        "the first fifth",
        "/s",
        fifths[-1:],
        fifths[:1],
        target=at_least(0.95),
    )


def large(setting: Setting, url: str, home: Path, seconds: float) -> Iterator[Result]:
    """Put and get of large bodies: data sets against rows, buffers against the file, and a backup."""
    with members(url, home, "QM1", "QM2") as group:
        one, two = group.here["QM1"], group.here["QM2"]
        words = f"RECOVER(YES) OFFLOAD(SMDS) DSGROUP('{home}/smds/*/FILES') DSBLOCK(256K)"
        one.mqsc(f"DEFINE CFSTRUCT(FILES) {words}", check=True)
        one.mqsc("DEFINE CFSTRUCT(ROWS) RECOVER(YES) OFFLOAD(DB2)", check=True)
        for name in ("FILES", "ROWS"):
            attributes = f"CFSTRUCT({name}) DEFPSIST(YES) MAXMSGL(100000000)"
            one.mqsc(f"DEFINE QLOCAL({name}) QSGDISP(SHARED) {attributes}", check=True)
        while "ROWS" not in two.engine.queues:
            time.sleep(0.01)
        for size, target in ((100 << 10, 1.3), (1 << 20, 2.5), (4 << 20, 4.0)):
            values = setting.interleave(
                partial(body_rate, one, one, "FILES", size, seconds),
                partial(body_rate, one, one, "ROWS", size, seconds),
                times=TIMES,
            )
            what = f"S9 put and get of {size >> 10} KB, data set"
            yield Row(what, "database rows", "/s", *values, target=at_least(target))
        values = setting.interleave(
            partial(body_rate, one, one, "FILES", 100 << 10, seconds),
            partial(body_rate, one, two, "FILES", 100 << 10, seconds),
            times=TIMES,
        )
        yield Row(
            "S10 got at the member that put (buffers)", "at the other", "/s", *values, target=at_least(1.5)
        )
        count = 20 if setting.quick else 200
        for _ in range(count):
            one.put("FILES", bytes(1 << 20), persistent=True)
        began = time.perf_counter()
        one.mqsc("BACKUP CFSTRUCT(FILES)", check=True)
        took = time.perf_counter() - began
        lines = [[f"{count * (1 << 20) / 1e6 / took:.0f}"]]
        yield Figures("S12 backup (target 73 MB/s)", ("MB/s",), lines)


def body_rate(putter: Any, getter: Any, queue: str, size: int, seconds: float) -> float:
    body = bytes(size)

    def pair() -> None:
        putter.put(queue, body, persistent=True)
        assert len(getter.get(queue).body) == size

    return rate([pair], seconds)


def capacity() -> int:
    """Return how many 16 KB messages a structure of 512 MB takes by the rules."""
    used = count = 0
    while percent_full(used, SIZE_BYTES) < 100:
        away = is_offloaded(16 << 10, percent_full(used, SIZE_BYTES), DEFAULT_RULES)
        used += cost_bytes(16 << 10, away)
        count += 1
    return count
