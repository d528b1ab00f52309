"""Lets messages run through a flow and says what one costs, beside the figures of the broker's report.

One thread, one instance, the queue manager embedded on a real disk. The published figures (WBIMB V5 on 8
processors of 750 MHz) are context, never a target. Tables of tests are in
`flow_nodes`, `flow_conversions` and `flow_publication`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.running.listener import listener_for
from penstock.lab.analysis.results import Figures
from penstock.lab.catalogue.published import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.flow import CompiledFlow
    from penstock.lab.load.setting import Setting

QUICK_BYTES_MAX = 4096
COLUMNS = (
    *("section", "test", "persistent", "bytes", "msgs/s", "CPU ms"),
    *("published/s", "published CPU ms"),
)


class Cost(NamedTuple):
    """Seconds of one message, by the clock and of the processor."""

    seconds: float
    processor: float


class Published(NamedTuple):
    """A figure of the report."""

    persistent: bool
    size: int
    rate: str
    processor: str


def table(what: str) -> Figures:
    """Return an empty table of tests of the report."""
    return Figures(f"{what} (published: WBIMB V5, 8 x 750 MHz)", COLUMNS)


def published(section: str, quick: bool = False) -> Iterator[Published]:
    """Yield what was published for a test; large messages are left out when it shall be quick."""
    for row in rows("broker-v5-nodes"):
        size = int(row["message_bytes"])
        if row["section"] == section and (size <= QUICK_BYTES_MAX or size == 6449 or not quick):
            persistent = row["persistent"].lower() == "yes"
            yield Published(persistent, size, row["messages_per_s"], row["cpu_ms_per_message"])


def add_line(lines: Figures, section: str, what: str, size: int, best: Cost, theirs: Published) -> None:
    """Add what a test found to a table."""
    lines.lines.append(
        [
            *(section, what, "yes" if theirs.persistent else "no", str(size)),
            *(f"{1 / best.seconds:,.0f}", f"{best.processor * 1000:.3f}", theirs.rate, theirs.processor),
        ]
    )


def count_for(setting: Setting, size: int) -> int:
    """Return how many messages of a size are enough."""
    return setting.size(1000, 200) // (1 + size // 16384)


def best_of(setting: Setting, run: Callable[[], Cost]) -> Cost:
    """Return the best of some runs: neighbours only ever make them slower."""
    return min(run() for _ in range(setting.repeats))


def run_flow(
    qm: Any, flow: CompiledFlow, body: bytes, count: int, persistent: bool, outputs: int = 1
) -> Cost:
    """Let messages go through a flow from IN to OUT; return the cost of one."""
    cost = timed(qm, flow, body, count, persistent)
    done = 0
    while found := qm.get_many("OUT", 1000):
        done += len(found)
    assert done == count * outputs, f"{done} of {count} messages came out"
    return cost


def timed(qm: Any, flow: CompiledFlow, body: bytes, count: int, persistent: bool) -> Cost:
    """Put messages and let a flow take them all; whoever calls looks after what came out."""
    qm.put_many("IN", [body] * count, persistent=persistent)
    listener = listener_for(flow, "MQInput", lambda: qm)
    began, processor = time.perf_counter(), time.process_time()
    listener.run(threading.Event(), until_empty=True)
    return Cost((time.perf_counter() - began) / count, (time.process_time() - processor) / count)
