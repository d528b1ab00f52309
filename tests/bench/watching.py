"""What watching costs: a put and a get with statistics, accounting, traces and OpenTelemetry on, against off.

Two embedded queue managers, one of them watched, take turns. The thread's processor time is measured, so the
disk's time is not in the persistent rows. Counts of queues are always on: no row is without them. No
collector takes the spans: they are dropped. `python -m tests.instructions` counts the same in instructions.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Result, Row
from penstock.telemetry.settings import Settings
from penstock.telemetry.spans import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

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
