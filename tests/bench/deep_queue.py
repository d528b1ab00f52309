"""A queue that is much deeper than its buffer: memory for a message on disk, gets by id, and a restart.

Persistent messages of 100 bytes, each with a correlation id of its own, are put in units of 1,000 by one
process; others open the same folder. After a start every message lies on disk, so resident memory beyond that
of an empty one is what they cost. The gets by correlation id are for messages in the middle; the first
one of a process is shown apart.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from statistics import median
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures, Result, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.lab.load.setting import Setting

BYTES_EACH = at_most(1)
ALLOWED = 32.0  # bytes of memory for a message on disk

FILL = """
import sys, penstock
home, count = sys.argv[1], int(sys.argv[2])
with penstock.embed("BENCH", create=True, home=home) as qm:
    qm.mqsc("DEFINE QLOCAL(Q) MAXDEPTH(999999999)")
    for start in range(0, count, 1000):
        with qm.unit_of_work():
            for number in range(start, min(count, start + 1000)):
                qm.put("Q", bytes(100), persistent=True, correl_id=number.to_bytes(24, "big"))
"""
OPEN = """
import json, os, sys, time, penstock
home, count = sys.argv[1], int(sys.argv[2])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
with penstock.embed("EMPTY", create=True, home=home + "-empty"):
    before = resident()
began = time.perf_counter()
qm = penstock.embed("BENCH", home=home)
started = time.perf_counter() - began
grown = resident() - before
looks = []
for number in range(count // 2, count // 2 + 5):
    began = time.perf_counter()
    assert qm.get("Q", correl_id=number.to_bytes(24, "big")) is not None
    looks.append(time.perf_counter() - began)
began = time.perf_counter()
for _ in range(50):
    with qm.unit_of_work():
        for _ in range(1000):
            assert qm.get("Q") is not None
gets = 50_000 / (time.perf_counter() - began)
found = {"bytes": grown / count, "start": started, "gets": gets}
found |= {"first": looks[0], "others": sorted(looks[1:])[2]}
os.write(1, json.dumps(found).encode())
os.kill(os.getpid(), 9)
"""


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(10_000_000, 500_000)
    home = setting.folder / "deep"
    subprocess.run([sys.executable, "-c", FILL, str(home), str(count)], check=True)
    found: list[dict[str, float]] = []
    sizes = setting.interleave(lambda: _opened(home, count, found), lambda: ALLOWED)
    note = f"{count:,} messages of 100 bytes, all on disk after a start"
    yield Row("memory for a message on disk", "32 bytes", "bytes", *sizes, target=BYTES_EACH, note=note)
    columns = ("messages", "start s", "first get by id ms", "others ms", "gets/s in units of 1,000")
    values = [median(each[key] for each in found) for key in ("start", "first", "others", "gets")]
    row = [f"{values[0]:,.1f}", *(f"{value * 1e3:,.1f}" for value in values[1:3]), f"{values[3]:,.0f}"]
    yield Figures("A queue of which every message lies on disk", columns, [[f"{count:,}", *row]])
    shutil.rmtree(home)


def _opened(home: Path, count: int, found: list[dict[str, float]]) -> float:
    """Measure in a copy of the folder, because the gets change it."""
    copy = home.with_name("opened")
    shutil.copytree(home, copy)
    try:
        program = [sys.executable, "-c", OPEN, str(copy), str(count)]
        output = subprocess.run(program, stdout=subprocess.PIPE, check=False).stdout
    finally:
        shutil.rmtree(copy)
        shutil.rmtree(f"{copy}-empty", ignore_errors=True)
    values: dict[str, Any] = json.loads(output)
    found.append(values)
    return float(values["bytes"])
