"""Answers in parts: a slow reader makes neither end keep more than a little, and holds nobody up."""

from __future__ import annotations

import asyncio
import itertools
import resource
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import penstock
from penstock.protocol import numbers as protocol
from tests.patience import attempts
from tests.served import Served

pytestmark = pytest.mark.installed

DISPLAY = "DISPLAY QMGR ALL"  # some 2 KB of answer
TOO_MANY = 2219  # long calls of a connection


def memory_bytes(served: Served) -> int:
    assert served.process is not None
    figures = Path(f"/proc/{served.process.pid}/statm").read_text().split()
    return int(figures[1]) * resource.getpagesize()


def test_a_slow_async_for_does_not_stop_others_of_its_connection(served: Served) -> None:
    async def run() -> tuple[int, int]:
        async with await penstock.aio.connect(served.name, home=served.home, timeout=60.0) as qm:
            read = puts = 0
            async for _ in qm.mqsc_script(itertools.repeat(DISPLAY, 2000)):
                read += 1
                if read % 500 == 0:
                    await asyncio.sleep(0.05)
                    await qm.put("APP.Q", b"meanwhile")
                    puts += 1
                    assert await qm.get("APP.Q") is not None
            return read, puts

    read, puts = asyncio.run(run())

    assert read > 2000
    assert puts >= 4


def test_a_reader_that_stops_makes_neither_end_grow(served: Served) -> None:
    async def run() -> tuple[int, int]:
        async with await penstock.aio.connect(served.name, home=served.home, timeout=60.0) as qm:
            rows = qm.mqsc_script(itertools.repeat(DISPLAY, 20_000))
            await rows.__anext__()
            await asyncio.sleep(0.5)
            (asked,) = qm.link.pending.values()
            assert asked.parts is not None
            kept = sum(size for size, _ in asked.parts)
            before = memory_bytes(served)
            await asyncio.sleep(1.0)
            grown = memory_bytes(served) - before
            assert (await qm.status()).name == served.name  # a connection whose stream waits still works
            await rows.aclose()
            return kept, grown

    kept, grown = asyncio.run(run())

    assert kept <= 2 * protocol.PARTS_AHEAD_BYTES
    assert grown < 8 << 20


def test_answers_that_were_given_up_do_not_count_against_the_connection(served: Served) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(served.name, home=served.home) as qm:
            rows = [await given_up(qm) for _ in range(10)]
            assert all(rows), "each of ten was answered, of which a connection may have four at a time"

    async def given_up(qm: penstock.aio.AsyncQueueManager) -> object:
        for _ in attempts():
            rows = qm.mqsc_script(itertools.repeat(DISPLAY, 5_000))
            try:
                first = await rows.__anext__()
                await rows.aclose()
                return first
            except penstock.MQError as failure:  # those before are on their way out
                if failure.reason != TOO_MANY:
                    raise
                await asyncio.sleep(0.05)
        return None

    asyncio.run(run())


def test_a_blocking_reader_that_gives_up_frees_its_call(served: Served) -> None:
    with served.local() as qm:
        done = 0
        for _ in attempts():
            rows = qm.mqsc_script(itertools.repeat(DISPLAY, 5_000))
            try:
                next(rows)
                rows.close()
                done += 1
                if done == 10:  # of which a connection may have four at a time
                    break
            except penstock.MQError as failure:  # those before are on their way out
                if failure.reason != TOO_MANY:
                    raise
                time.sleep(0.05)
        assert done == 10


def test_threads_of_a_connection_work_beside_a_slow_reader(served: Served) -> None:
    def slowly(rows: Iterator[object]) -> None:
        for number, _ in enumerate(rows):
            if number % 400 == 0:
                time.sleep(0.02)

    with served.local() as qm:
        reader = threading.Thread(target=slowly, args=(qm.mqsc_script(itertools.repeat(DISPLAY, 3000)),))
        reader.start()
        while reader.is_alive():
            qm.put("APP.Q", b"meanwhile")
            assert qm.get("APP.Q") is not None
        reader.join()


def test_more_streams_than_workers_do_not_shut_others_out(served: Served) -> None:
    """Twelve readers that have stopped hold no worker: a thirteenth is answered."""

    async def run() -> None:
        stuck = []
        for _ in range(12):
            qm = await penstock.aio.connect(served.name, home=served.home)
            rows = qm.mqsc_script(itertools.repeat(DISPLAY, 5_000))
            await rows.__anext__()
            stuck.append((qm, rows))
        async with await penstock.aio.connect(served.name, home=served.home, timeout=60.0) as other:
            assert await asyncio.wait_for(other.mqsc("PING QMGR"), 60)
        for qm, rows in stuck:
            await rows.aclose()
            await qm.close()

    asyncio.run(run())
