"""From process start to the first get after `kill -9`, against reading and checksumming the same files.

A process puts persistent messages of 1 KB in units and kills itself. Each round starts from the same
state: what a start may change is copied, full message files (which are never changed, and checked not
to be) are linked. The floor is a Python process that imports as much, reads every file in large pieces
and computes the same checksum over every byte; with zlib's crc32 for comparison. Both find the files in
the page cache. The target is about elapsed time; processor time is shown too, because a busy machine
disturbs it less.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from penstock.lab.analysis.results import Figures, Result, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

TARGET = at_most(3)
FULL_BYTES = 64 << 20  # message files this large get no more records


class Times(NamedTuple):
    """Seconds that something took."""

    elapsed: float
    processor: float


FILL = """
import os, signal, sys, penstock
home, count = sys.argv[1], int(sys.argv[2])
qm = penstock.embed("BENCH", create=True, home=home)
qm.mqsc("DEFINE QLOCAL(Q) MAXDEPTH(999999999)")
body = bytes(1024)
for _ in range(count // 1000):
    qm.put_many("Q", [body] * 1000, persistent=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
FIRST_GET = """
import os, sys, penstock
qm = penstock.embed("BENCH", home=sys.argv[1])
assert qm.get("Q") is not None
os.write(1, b"got")
os.kill(os.getpid(), 9)
"""
READ = """
import os, sys, zlib
from pathlib import Path
import penstock
from penstock.store._checksum import crc32c
penstock.embed
check = zlib.crc32 if sys.argv[2] == "zlib" else crc32c
buffer = memoryview(bytearray(4 << 20))
for path in sorted(Path(sys.argv[1]).rglob("*")):
    if path.is_file():
        with path.open("rb", buffering=0) as file:
            while length := file.readinto(buffer):
                check(buffer[:length])
os.write(1, b"got")
os.kill(os.getpid(), 9)
"""


def measure(setting: Setting) -> Iterator[Result]:
    count = setting.size(1_000_000, 100_000)
    home = setting.folder / "killed"
    home.mkdir()
    state = fill(home, count)
    megabytes = sum(size for size, _ in state.values()) / 1e6
    what = f"start to first get, {count:,} messages, {megabytes:,.0f} MB"
    ours: list[Times] = []
    floors: list[Times] = []
    elapsed = setting.interleave(
        lambda: noted(ours, first_get(setting, home)), lambda: noted(floors, read(home, "crc32c"))
    )
    if look(home) != state:
        raise RuntimeError("a start changed a file that other rounds use")
    yield Row(what, "read, crc32c", "s", *elapsed, target=TARGET)
    used = [[times.processor for times in side] for side in (ours, floors)]
    yield Row("the same, processor time", "read, crc32c", "s", *used)
    with_zlib = [read(home, "zlib").elapsed for _ in ours]
    yield Row(
        "the same, elapsed", "read, zlib.crc32", "s", elapsed[0], with_zlib, note="floor measured after it"
    )
    each = [f"{median(side) / count * 1e9:,.0f}" for side in (elapsed[0], used[0])]
    columns = ("messages", "elapsed ns each", "processor ns each")
    yield Figures("Cost of a restart for each message", columns, [[f"{count:,}", *each]])
    shutil.rmtree(home)


def noted(list_of_times: list[Times], times: Times) -> float:
    list_of_times.append(times)
    return times.elapsed


def fill(home: Path, count: int) -> dict[str, tuple[int, int]]:
    """Put messages and kill the process; return sizes and times of its files."""
    done = subprocess.run([sys.executable, "-c", FILL, str(home), str(count)], check=False)
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the process that puts ended with {done.returncode}")
    os.sync()
    return look(home)


def look(home: Path) -> dict[str, tuple[int, int]]:
    found = {str(path): path.stat() for path in sorted(home.rglob("*")) if path.is_file()}
    return {path: (about.st_size, about.st_mtime_ns) for path, about in found.items()}


def first_get(setting: Setting, home: Path) -> Times:
    """Return the time from process start to the first message, in a copy of the folder."""
    copy = setting.folder / "restarted"
    checkpointed = next(home.rglob("CHECKPOINT")).stat().st_mtime_ns
    shutil.copytree(home, copy, copy_function=partial(copy_or_link, checkpointed))
    for path in copy.rglob("*"):
        if path.is_file():
            sync(path)
    try:
        return time_until_killed(FIRST_GET, str(copy))
    finally:
        shutil.rmtree(copy)


def copy_or_link(checkpointed: int, source: str, target: str) -> str:
    """Link a full message file that was complete at the last checkpoint; copy anything else."""
    about = Path(source).stat()
    if source.endswith(".DAT") and about.st_size >= FULL_BYTES and about.st_mtime_ns < checkpointed:
        os.link(source, target)
    else:
        shutil.copy2(source, target)
    return target


def sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def read(home: Path, checksum: str) -> Times:
    """Return the time that a process needs to read and checksum all files."""
    return time_until_killed(READ, str(home), checksum)


def time_until_killed(program: str, *arguments: str) -> Times:
    """Run a program until it says that it has got there."""
    began = perf_counter()
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as output:
        said = output.read(3)
        elapsed = perf_counter() - began
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if said != b"got":
        raise RuntimeError(f"the process ended with {process.returncode}")
    return Times(elapsed, usage.ru_utime + usage.ru_stime)
