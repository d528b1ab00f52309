"""The MQI response-time tool: what each verb takes, from 50 bytes to 2 MB, persistent and not.

As the published tool does: one thread, a local queue that is otherwise empty, a circular log of files
of 2,048 pages, the 90th percentile of 5,000 measurements of each verb. Large persistent messages are
measured as often as their share of the time allows; the table says how often. The floor of a pair is
`queue.SimpleQueue` for non-persistent messages and two synced writes (the message, then a short record)
for persistent ones, timed alike.
"""

from __future__ import annotations

import os
import queue
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, perf_counter_ns
from typing import TYPE_CHECKING, TypeVar

import penstock
from penstock.lab.analysis.results import Figures, Result, Row
from penstock.lab.analysis.samples import percentile
from penstock.model import constants as mq
from tests.bench.durable import FILE_BYTES, preallocate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

LENGTHS = (50, 2 << 10, 20 << 10, 64 << 10, 256 << 10, 1 << 20, 2 << 20)
COUNT = 5000
PERCENT = 90
VERBS = ("MQPUT", "MQGET", "pair", "MQCMIT", "MQBACK")
CALLS = ("MQCONN", "MQOPEN", "MQCLOSE", "MQDISC")
FILE_PAGES = 2048
GET_RECORD = bytes(64)

T = TypeVar("T")
Times = dict[str, list[int]]


def measure(setting: Setting) -> Iterator[Result]:
    floor_path = setting.folder / "floor"
    preallocate(floor_path)
    sizes = Figures(f"MQI response times, {PERCENT}th percentile, microseconds (milliseconds)", _columns())
    with setting.queue_manager("Q", file_pages=FILE_PAGES) as qm:
        yield _calls(setting, qm)
        for persistent in (False, True):
            for length in LENGTHS:
                row, line = _cell(setting, qm, persistent, length, floor_path)
                sizes.lines.append(line)
                yield row
    yield sizes
    floor_path.unlink()


def _columns() -> list[str]:
    return ["message", *(f"{verb}" for verb in VERBS), "measured"]


def _calls(setting: Setting, qm: penstock.QueueManager) -> Figures:
    count = setting.size(COUNT, 1000)
    times: Times = defaultdict(list)
    home = qm.host.folder.path.parent
    for _ in range(count):
        connection = _timed(times["MQCONN"], partial(penstock.embed, "BENCH", home=home))
        handle = _timed(times["MQOPEN"], partial(connection.open, "Q", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED))
        _timed(times["MQCLOSE"], handle.close)
        _timed(times["MQDISC"], connection.close)
    cells = [_both(percentile(times[call], PERCENT)) for call in CALLS]
    title = f"MQI response times, {PERCENT}th percentile of {count:,}, microseconds (milliseconds)"
    return Figures(title, ["", *CALLS], [["any message", *cells]])


def _cell(
    setting: Setting, qm: penstock.QueueManager, persistent: bool, length: int, floor_path: Path
) -> tuple[Row, list[str]]:
    body = bytes(length)
    count = setting.size(COUNT, 500)
    seconds = 0.3 if setting.quick else 6.0
    times: Times = defaultdict(list)
    floor = (
        partial(_synced_pair, floor_path, body)
        if persistent
        else partial(_simple_pair, queue.SimpleQueue(), body)
    )
    name = f"{_length(length)}, {'persistent' if persistent else 'non-persistent'}"
    with qm.open("Q", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED) as handle:
        ours, floors = setting.interleave(
            partial(
                _pairs, handle, body, persistent, count // setting.rounds, seconds / setting.rounds, times
            ),
            partial(_floor_pairs, floor, count // setting.rounds, seconds / setting.rounds / 2),
        )
        _units(qm, handle, body, persistent, setting.size(count // 5, count // 10), seconds / 3, times)
    cells = [_both(percentile(times[verb], PERCENT)) for verb in VERBS]
    peer = "two synced writes" if persistent else "SimpleQueue pair"
    row = Row(f"p90 of a pair by handle, {name}", peer, "ns", ours, floors)
    return row, [name, *cells, f"{len(times['pair']):,}, {len(times['MQCMIT']):,}"]


def _pairs(
    handle: penstock.ObjectHandle, body: bytes, persistent: bool, count: int, seconds: float, times: Times
) -> float:
    """Measure puts and gets by a handle; return the 90th percentile of this round's pairs in ns."""
    clock = perf_counter_ns
    pairs = []
    end = perf_counter() + seconds
    while len(pairs) < count and perf_counter() < end:
        first = clock()
        handle.put(body, persistent=persistent, options=mq.MQPMO_NO_SYNCPOINT)
        second = clock()
        handle.get(options=mq.MQGMO_NO_SYNCPOINT)
        third = clock()
        times["MQPUT"].append(second - first)
        times["MQGET"].append(third - second)
        pairs.append(third - first)
    times["pair"] += pairs
    return percentile(pairs, PERCENT)


def _units(
    qm: penstock.QueueManager,
    handle: penstock.ObjectHandle,
    body: bytes,
    persistent: bool,
    count: int,
    seconds: float,
    times: Times,
) -> None:
    """Measure the commit and the backout of a unit with one put."""
    end = perf_counter() + seconds
    for _ in range(count):
        if perf_counter() > end and times["MQBACK"]:
            break
        handle.put(body, persistent=persistent, options=mq.MQPMO_SYNCPOINT)
        _timed(times["MQCMIT"], qm.commit)
        handle.get(options=mq.MQGMO_NO_SYNCPOINT)
        handle.put(body, persistent=persistent, options=mq.MQPMO_SYNCPOINT)
        _timed(times["MQBACK"], qm.backout)


def _floor_pairs(floor: Callable[[], None], count: int, seconds: float) -> float:
    times: list[int] = []
    end = perf_counter() + seconds
    while len(times) < count and perf_counter() < end:
        _timed(times, floor)
    return percentile(times, PERCENT)


def _simple_pair(simple: queue.SimpleQueue[bytes], body: bytes) -> None:
    simple.put(body)
    simple.get()


def _synced_pair(path: Path, body: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        for record in (body, GET_RECORD):
            os.pwrite(descriptor, record, 0)
            os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def _timed(times: list[int], call: Callable[[], T]) -> T:
    began = perf_counter_ns()
    result = call()
    times.append(perf_counter_ns() - began)
    return result


def _both(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e3:,.1f} ({nanoseconds / 1e6:.3f})"


def _length(length: int) -> str:
    if length < 1 << 10:
        return f"{length} bytes"
    return f"{length >> 10} KB" if length < 1 << 20 else f"{length >> 20} MB"


assert max(LENGTHS) <= FILE_BYTES
