"""What watching costs: a put and a get with statistics, accounting, traces and OpenTelemetry on, against off.

Two embedded queue managers, one of them watched, take turns. The thread's processor time is measured, so the
disk's time is not in the persistent rows. Counts of queues are always on: no row is without them. No
collector takes the spans: they are dropped. `python -m tests.instructions` counts the same in instructions.
The trace of a client channel is measured as the processor time of the server for pairs by that channel, and
by another one.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Result, Row
from penstock.lab.load.queue_server import CHANNEL, QueueServer
from penstock.telemetry.settings import Settings
from penstock.telemetry.spans import configure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import penstock
    from penstock.lab.load.setting import Setting

TIMES = 5
BODY = bytes(1024)
TRACED_SECONDS = 3600.0
NOBODY = "http://127.0.0.1:9/v1/traces"
WAYS = {
    "statistics every second": "ALTER QMGR STATMQI(ON) STATQ(ON) STATINT(1)",
    "accounting": "ALTER QMGR ACCTMQI(ON) ACCTQ(ON)",
    "trace of the queue": "QUEUE",
    "trace of everything": "ALL",
    "OpenTelemetry at 1 %": "OTEL",
}


def measure(setting: Setting) -> Iterator[Result]:
    for persistent in (False, True):
        pairs = setting.size(100, 15) if persistent else setting.size(60_000, 5_000)
        kind = "persistent" if persistent else "non-persistent"
        for way, change in WAYS.items():
            with ExitStack() as stack:
                plain = stack.enter_context(setting.queue_manager("Q"))
                seen = stack.enter_context(watched(setting, change))
                for qm in (plain, seen):
                    pair(qm, persistent, 20)
                subject, floor = (partial(pair, qm, persistent, pairs) for qm in (seen, plain))
                values = setting.interleave(subject, floor, times=TIMES)
            yield Row(f"{kind} pair, {way}", "off", "ns", *values)
    yield from of_channels(setting)


def of_channels(setting: Setting) -> Iterator[Result]:
    """Measure the trace of one client channel: on that channel, and on another."""
    pairs = setting.size(2_000, 500)
    home = Path(tempfile.mkdtemp(dir=setting.folder))
    server = QueueServer(home, ("DEFINE QLOCAL(Q)", "DEFINE CHANNEL(OTHER) CHLTYPE(SVRCONN)"))
    try:
        with server.connect_locally() as admin, server.connect() as client:
            pair(client, False, 20)
            ticks = partial(server_time, server, client, pairs)
            for what, name in (("this channel", CHANNEL), ("another channel", "OTHER")):
                subject = partial(traced, admin, name, ticks)
                values = setting.interleave(subject, ticks, times=TIMES)
                yield Row(f"server's time for a pair by a client, trace of {what}", "off", "ns", *values)
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def traced(admin: Any, channel: str, measured: Callable[[], float]) -> float:
    """Measure while a channel is traced."""
    admin.trace("CHANNEL", channel, seconds=TRACED_SECONDS)
    try:
        return measured()
    finally:
        admin.trace("CHANNEL", channel, seconds=-1.0)


def server_time(server: QueueServer, client: Any, pairs: int) -> float:
    """Return the server's processor time for a pair, in nanoseconds."""
    tasks = Path(f"/proc/{server.process.session}/task")
    before = _nanoseconds(tasks)
    pair(client, False, pairs)
    return (_nanoseconds(tasks) - before) / pairs


def _nanoseconds(tasks: Path) -> int:
    """Return how long the threads of a process have run."""
    return sum(int(each.read_text().split()[0]) for each in tasks.glob("*/schedstat"))


@contextmanager
def watched(setting: Setting, change: str) -> Iterator[penstock.QueueManager]:
    """Run a queue manager that is watched in one way."""
    configure(Settings(NOBODY, 0.01) if change == "OTEL" else None)
    with setting.queue_manager("Q") as qm:
        configure(None)  # the connection has asked
        if change.startswith("ALTER"):
            qm.mqsc(change, check=True)
        elif change != "OTEL":
            qm.trace(change, "Q" if change == "QUEUE" else "", seconds=TRACED_SECONDS)
        yield qm


def pair(qm: penstock.QueueManager, persistent: bool, pairs: int) -> float:
    put, get = qm.put, qm.get
    began = thread_time()
    for _ in range(pairs):
        put("Q", BODY, persistent=persistent)
        get("Q")
    return (thread_time() - began) / pairs * 1e9
