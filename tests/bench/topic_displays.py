"""Displays and the sweep of a million topics: when the first row comes, how long all take, what memory grows.

Embedded, and over a client channel with the server's memory watched. The report that this answers needed
55 minutes and 500 MB for such a display. Topics are made with command messages of a thousand topics each.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from time import perf_counter, thread_time, time
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures
from penstock.lab.load.queue_server import QueueServer
from penstock.model.rfh2 import Rfh2

if TYPE_CHECKING:
    from penstock.lab.load.setting import Setting

PAGE_BYTES = 4096
AT_A_TIME = 250
LOOK_EVERY = 20_000  # rows between two looks at the memory


def displays(setting: Setting) -> Figures:
    count = setting.size(1_000_000, 50_000)
    columns = ("what", "first, ms", "all, s", "memory grows, MB")
    table = Figures(f"DISPLAY TPSTATUS('#') of {count:,} topics, and their sweep", columns)
    with setting.queue_manager() as qm:
        grow(qm, count)
        table.lines.append(["embedded", *shown(qm, Path("/proc/self/statm"), count)])
        table.lines.append(["sweep: longest hold, whole", *swept(qm), ""])
    home = Path(tempfile.mkdtemp(dir=setting.folder))
    server = QueueServer(home, ("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('bench') AUTHADD(DSP)",))
    try:
        with server.connect() as qm:
            grow(qm, count)
            memory = Path(f"/proc/{server.process.session}/statm")
            table.lines.append(["client over TCP, the server's memory", *shown(qm, memory, count)])
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)
    return table


def grow(qm: Any, count: int) -> None:
    """Publish to so many topics that nobody subscribes to."""
    for start in range(0, count, AT_A_TIME):
        names = "".join(f"<Topic>t/{start}/{n}</Topic>" for n in range(start, min(start + AT_A_TIME, count)))
        folder = f"<psc><Command>Publish</Command>{names}</psc>"
        qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder,)).pack(), format="MQHRF2")


def shown(qm: Any, memory: Path, count: int) -> tuple[str, str, str]:
    """Read a whole display; return when its first row came, how long it took, and what memory grew."""
    before = most = pages(memory)
    rows, first = 0, 0.0
    began = perf_counter()
    for piece in qm.mqsc_script(["DISPLAY TPSTATUS('#')"]):
        if not getattr(piece, "attributes", None):
            continue
        first = first or perf_counter() - began
        rows += 1
        if rows % LOOK_EVERY == 0:
            most = max(most, pages(memory))
    whole = perf_counter() - began
    assert rows > count
    return f"{first * 1e3:.1f}", f"{whole:.1f}", f"{(most - before) * PAGE_BYTES / 1e6:.1f}"


def pages(memory: Path) -> int:
    return int(memory.read_text().split()[1])


def swept(qm: Any) -> tuple[str, str]:
    """Let the scavenger run when all is long unused; return its longest hold of the engine, and the whole."""
    longest = whole = 0.0
    later = time() + 1e6
    more = True
    while more:
        with qm.gate:
            began = thread_time()
            more = qm.engine.pubsub.scavenge(later)
            taken = thread_time() - began
        longest, whole = max(longest, taken), whole + taken
    assert len(qm.engine.pubsub.tree.nodes) < AT_A_TIME
    return f"{longest * 1e3:.1f}", f"{whole:.1f}"
