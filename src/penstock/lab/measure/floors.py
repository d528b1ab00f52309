"""Floors of a machine: what its processor, disk and loopback can do, whatever runs on them.

They are measured at the begin of each sitting. A figure is comparable between days only as far as its floor
has stayed the same.
"""

from __future__ import annotations

import os
import socket
import threading
from statistics import median
from time import perf_counter, perf_counter_ns, thread_time_ns
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RECORD = bytes(4096)
SYNCS = 60
LOOPS = 200_000
TRIPS = 400
COPY_BYTES = 32 << 20


def measure(folder: Path) -> dict[str, float]:
    """Measure all floors; it takes about a second."""
    return {**syncs(folder), "loop_ns": loop_ns(), "loopback_us": loopback_us(), "copy_gb_s": copy_gb_s()}


def syncs(folder: Path) -> dict[str, float]:
    """Write a page and sync it over a file that has its length already, again and again."""
    path = folder / "floor"
    path.write_bytes(RECORD * SYNCS)
    descriptor = os.open(path, os.O_WRONLY)
    times = []
    try:
        os.fsync(descriptor)
        for number in range(SYNCS):
            began = perf_counter_ns()
            os.pwrite(descriptor, RECORD, number * len(RECORD))
            os.fdatasync(descriptor)
            times.append((perf_counter_ns() - began) / 1000)
    finally:
        os.close(descriptor)
        path.unlink()
    return {"sync_us": median(times), "sync_us_p99": sorted(times)[int(SYNCS * 0.99) - 1]}


def loop_ns() -> float:
    """Return the processor time of a round of an empty loop, the best of some."""
    best = float("inf")
    for _ in range(5):
        began = thread_time_ns()
        for _ in range(LOOPS):
            pass
        best = min(best, (thread_time_ns() - began) / LOOPS)
    return best


def loopback_us() -> float:
    """Return the median round trip of a byte over a loopback socket between two threads."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answering = threading.Thread(target=_answer, args=(listener,), daemon=True)
        answering.start()
        times = []
        with socket.create_connection(listener.getsockname()) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(TRIPS):
                began = perf_counter_ns()
                line.sendall(b"x")
                line.recv(1)
                times.append((perf_counter_ns() - began) / 1000)
        answering.join()
    return median(times)


def _answer(listener: socket.socket) -> None:
    line, _ = listener.accept()
    with line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while byte := line.recv(1):
            line.sendall(byte)


def copy_gb_s() -> float:
    """Return how many gigabytes per second a copy in memory moves, the best of some."""
    source = bytearray(COPY_BYTES)
    best = float("inf")
    for _ in range(3):
        began = perf_counter()
        bytes(source)
        best = min(best, perf_counter() - began)
    return COPY_BYTES / best / 1e9
