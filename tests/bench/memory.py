"""What a message that waits on a queue costs in memory: spilled to disk, and kept.

A queue holds many messages of 1 KB: once with the default buffer, beyond which bodies go to message
files, once with a buffer that holds them all. Each is a process of its own, since a process seldom gives
memory back; what counts is how much its resident memory grew. The rate of the puts shows what spilling
costs in time, and the rate of reading the messages back.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures, Result, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

DEFAULT_BUFFER = 64 << 20
ALL = 1 << 40

PROGRAM = """
import json, os, sys, time, penstock
home, count, buffer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
qm = penstock.embed("BENCH", create=True, home=home, default_q_buffer_size=buffer)
qm.mqsc("DEFINE QLOCAL(Q) MAXDEPTH(999999999)")
for _ in range(1000):
    qm.put("Q", bytes(1024)); qm.get("Q")
before = resident()
began = time.perf_counter()
for _ in range(count):
    qm.put("Q", bytes(1024))
putting = time.perf_counter() - began
grown = resident() - before
sample = count // 2
began = time.perf_counter()
for _ in range(sample):
    assert qm.get("Q") is not None
getting = time.perf_counter() - began
os.write(1, json.dumps({"bytes": grown / count, "puts": count / putting, "gets": sample / getting}).encode())
os.kill(os.getpid(), 9)
"""


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(1_000_000, 200_000)
    found: dict[int, list[dict[str, float]]] = {DEFAULT_BUFFER: [], ALL: []}
    setting.interleave(
        partial(_measured, setting, count, DEFAULT_BUFFER, found),
        partial(_measured, setting, count, ALL, found),
    )
    spilled, kept = found[DEFAULT_BUFFER], found[ALL]
    note = f"{count:,} non-persistent messages of 1 KB, buffer of {DEFAULT_BUFFER >> 20} MB"
    yield Row("memory for a message", "kept in memory", "bytes", *_each("bytes", spilled, kept), note=note)
    yield Row("puts while spilling", "kept in memory", "/s", *_each("puts", spilled, kept))
    yield Row("gets, spilled ones read back", "kept in memory", "/s", *_each("gets", spilled, kept))
    beyond = 1 - DEFAULT_BUFFER / 1024 / count
    whole = median(values["bytes"] for values in spilled)
    each = (whole - DEFAULT_BUFFER / count) / beyond
    title = "Memory that one spilled message costs (the buffer's own share taken off)"
    yield Figures(title, ("messages", "bytes each"), [[f"{count:,}", f"{each:,.0f}"]])


def _measured(setting: Setting, count: int, buffer: int, found: dict[int, list[dict[str, float]]]) -> float:
    home = tempfile.mkdtemp(dir=setting.folder)
    command = [sys.executable, "-c", PROGRAM, home, str(count), str(buffer)]
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
    finally:
        shutil.rmtree(home)
    values: dict[str, Any] = json.loads(output)
    found[buffer].append(values)
    return float(values["bytes"])


def _each(
    key: str, spilled: list[dict[str, float]], kept: list[dict[str, float]]
) -> tuple[list[float], list[float]]:
    return [values[key] for values in spilled], [values[key] for values in kept]
