"""Times that have a limit, which no test asserts: what a compiler takes, and who waits beside a long display.

A row's floor is its limit, so that it passes when the ratio is 1 at most. On a machine that others use, look
at the foreign load before a row that fails.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Result, Row, at_most, within
from penstock.lab.load.queue_server import QueueServer
from tests.bench.esql_programs import program
from tests.bench.topic_displays import grow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

COMPILE_SECONDS = 2.0  # for 2,000 lines, of processor time
BESIDE_SECONDS = 0.25  # that a publish may take beside a display
FIRST_ROW_SHARE = 0.2  # of the time of a display, before its first row
LOOK_EVERY = 1000  # rows
EMPTY = (
    "DISPLAY TPSTATUS('#') WHERE(RETAINED EQ YES)",
    "DISPLAY TPSTATUS('none/+')",
    "DISPLAY TPSTATUS('#') TYPE(PUB)",
)


def measure(setting: Setting) -> Iterator[Result]:
    lines = "\n".join(f"SET OutputRoot.XMLNSC.r.a{i} = InputRoot.XMLNSC.o.b{i} || 'x';" for i in range(2_000))
    yield within("compiling 2,000 lines of ESQL", COMPILE_SECONDS, [compiled(lines) for _ in rounds(setting)])
    home = Path(tempfile.mkdtemp(dir=setting.folder))
    server = QueueServer(home)
    try:
        with server.connect_locally() as admin, server.connect_locally() as other:
            topics = setting.size(100_000, 30_000)
            grow(other, topics)
            found = [shown(admin, other) for _ in rounds(setting)]
            beside = [slowest for _, _, slowest in found]
            yield within(f"a publish beside a display of {topics:,} topics, slowest", BESIDE_SECONDS, beside)
            first, whole = [each[0] for each in found], [each[1] for each in found]
            yield Row("the first row of a display", "all rows", "s", first, whole, at_most(FIRST_ROW_SHARE))
            empty = [max(beside_nothing(admin, other, command) for command in EMPTY) for _ in rounds(setting)]
            yield within("a publish beside a display that finds nothing, slowest", BESIDE_SECONDS, empty)
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def rounds(setting: Setting) -> range:
    return range(setting.rounds)


def compiled(lines: str) -> float:
    """Return the processor time of compiling a module."""
    begun = time.process_time()
    program(lines)
    return time.process_time() - begun


def shown(admin: Any, other: Any) -> tuple[float, float, float]:
    """Display all topics and publish meanwhile; return seconds: first row, all rows, slowest publish."""
    begun = time.perf_counter()
    rows, first, slowest = 0, 0.0, 0.0
    for piece in admin.mqsc_script(["DISPLAY TPSTATUS('#')"]):
        if getattr(piece, "attributes", None):
            first = first or time.perf_counter() - begun
            rows += 1
        if rows % LOOK_EVERY == 0:
            slowest = max(slowest, published(other))
    return first, time.perf_counter() - begun, slowest


def beside_nothing(admin: Any, other: Any, command: str) -> float:
    """Let a display look at all topics in vain; return the slowest publish beside it."""
    looking = Thread(target=admin.mqsc, args=(command,))
    looking.start()
    slowest = published(other)
    while looking.is_alive():
        slowest = max(slowest, published(other))
    looking.join()
    return slowest


def published(qm: Any) -> float:
    asked = time.perf_counter()
    qm.publish("t/beside", b"")
    return time.perf_counter() - asked
