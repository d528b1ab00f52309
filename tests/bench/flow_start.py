"""From the start of `penstock flow run` to the first message out: the real command, a message waiting.

A queue manager runs in a process of its own; before each start a message lies in IN. The clock runs from the
start of the process until a get on OUT returns. The floor is `python -c pass` in the same round, which no
program in Python can beat; the time by itself is what the target speaks of (half a second on a machine that
is free).
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures, Result, Row
from tests.flow_station import Station

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

TARGET_SECONDS = 0.5
WAIT_SECONDS = 60.0


def measure(setting: Setting) -> Iterator[Result]:
    processor: list[float] = []
    with tempfile.TemporaryDirectory(dir=setting.folder) as folder:
        station = Station(Path(folder))
        station.start()
        try:
            first_out(station, processor)  # what is compiled is in the caches from now on
            values = setting.interleave(partial(first_out, station, processor), bare_python)
        finally:
            station.stop()
    row = Row("flow run --engine inline: start to first message out", "python -c pass", "s", *values)
    found = [f"{of(row.subject):.2f} s" for of in (min, median, max)]
    verdict = "within" if median(row.subject) <= TARGET_SECONDS else "not within"
    yield row
    yield Figures(
        f"First message out: target {TARGET_SECONDS} s on a machine that is free",
        ("best", "median", "worst", "verdict of the median", "processor, with its end"),
        [[*found, f"{verdict} {TARGET_SECONDS} s", f"{median(processor[1:]):.2f} s"]],
    )


def first_out(station: Station, processor: list[float]) -> float:
    """Start the command and return the seconds until its first message is out; note its processor time."""
    before = ended_processes()
    with station.connect() as qm:
        qm.put("IN", b"first")
        began = time.perf_counter()
        words = (
            "flow",
            "run",
            "copy",
            "-p",
            str(station.project),
            "-m",
            "QM1",
            "--engine",
            "inline",
            "--quiet",
        )
        process = station.begin(*words)
        try:
            message = qm.get("OUT", wait=WAIT_SECONDS)
            took = time.perf_counter() - began
        finally:
            process.terminate()
            process.communicate()
    assert message is not None, "nothing came out"
    processor.append(ended_processes() - before)
    return took


def ended_processes() -> float:
    """Return the processor seconds of all processes that this one has started and waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def bare_python() -> float:
    """Return the seconds of a Python that does nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began
