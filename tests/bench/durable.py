"""Durable puts against the rate at which the disk itself makes a small write durable.

The floor writes 1,100 bytes and calls fdatasync, one after the other, over a file whose blocks were
all written before: what a journal with one writer and nothing else to do would reach from Python. A put
returns when its record is on disk. Sixteen threads share syncs; units of 100 messages need one sync
each, and their floor writes as many bytes at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Result, Row, at_least

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import penstock
    from penstock.lab.load.setting import Setting

TARGET = at_least(0.6)
TIMES = 3
THREADS = 16
UNIT = 100
KILOBYTE = bytes(1024)
RECORD = os.urandom(1100)
FILE_BYTES = 64 << 20


def measure(setting: Setting) -> Iterator[Result]:
    seconds = 0.15 if setting.quick else 0.5
    path = setting.folder / "floor"
    preallocate(path)
    floor = partial(sync_rate, path, RECORD, seconds)
    floor_unit = partial(sync_rate, path, RECORD * UNIT, seconds)
    with setting.queue_manager("Q") as qm:
        values = setting.interleave(partial(put_rate, qm, 1, seconds), floor, times=TIMES)
        yield Row("durable puts, 1 thread", "write + fdatasync", "/s", *values, target=TARGET)
        values = setting.interleave(partial(put_rate, qm, THREADS, seconds), floor, times=TIMES)
        yield Row(f"durable puts, {THREADS} threads", "write + fdatasync", "/s", *values)
        mine, others = setting.interleave(partial(unit_rate, qm, seconds), floor_unit, times=TIMES)
        what = f"durable puts in units of {UNIT}, 1 thread"
        yield Row(what, f"{UNIT} records a sync", "/s", mine, [rate * UNIT for rate in others])
    path.unlink()


def preallocate(path: Path) -> None:
    with path.open("wb") as file:
        file.write(bytes(FILE_BYTES))
        os.fsync(file.fileno())


def sync_rate(path: Path, record: bytes, seconds: float) -> float:
    """Return writes made durable a second."""
    descriptor = os.open(path, os.O_WRONLY)
    count = at = 0
    began = perf_counter()
    end = began + seconds
    try:
        while (now := perf_counter()) < end:
            os.pwrite(descriptor, record, at)
            os.fdatasync(descriptor)
            count += 1
            at = at + len(record) if at + 2 * len(record) <= FILE_BYTES else 0
    finally:
        os.close(descriptor)
    return count / (now - began)


def put_rate(qm: penstock.QueueManager, threads: int, seconds: float) -> float:
    """Return the durable puts a second of some threads."""
    return together(threads, seconds, lambda: qm.put("Q", KILOBYTE, persistent=True) and 1, qm)


def unit_rate(qm: penstock.QueueManager, seconds: float) -> float:
    """Return the messages a second of one thread that puts in units."""
    bodies = [KILOBYTE] * UNIT
    return together(1, seconds, lambda: len(qm.put_many("Q", bodies, persistent=True)), qm)


def together(threads: int, seconds: float, step: Callable[[], int], qm: penstock.QueueManager) -> float:
    """Let threads repeat a step for some time; return what they did a second, then empty the queue."""
    counts = [0] * threads
    ready = threading.Barrier(threads + 1)
    end = 0.0

    def work(place: int) -> None:
        ready.wait()
        done = 0
        while perf_counter() < end:
            done += step()
        counts[place] = done

    workers = [threading.Thread(target=work, args=(place,)) for place in range(threads)]
    for worker in workers:
        worker.start()
    began = perf_counter()
    end = began + seconds
    ready.wait()
    for worker in workers:
        worker.join()
    elapsed = perf_counter() - began
    qm.mqsc("CLEAR QLOCAL(Q)")
    return sum(counts) / elapsed
