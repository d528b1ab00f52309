"""How many pairs of channels two queue managers hold, what memory an end takes, and how long a start takes.

N1: pairs of channels (one each way) that are running and idle; memory is what both processes hold more than
without, for each end; then one round trip a minute over each. N2: many round trips over fewer pairs. N3:
START of all, and a restart with all definitions against one without. 6,000 pairs are 12,000 sockets in each
process: where the limit of open files forbids that, as many as it allows.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures
from penstock.lab.load import bindings
from penstock.lab.load.queue_server import QMGR, QueueServer
from penstock.lab.load.server_process import LOOPBACK
from tests.bench import paced_trips
from tests.bench.capacity import resident_bytes
from tests.bench.channel_servers import FAR
from tests.bench.channels import processor_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting

PAIRS = 6_000
FILES_SPARE = 500
IDLE_SECONDS = 10.0
PACED_SECONDS = 10.0
BUSY_PAIRS, BUSY_RATE = 1_000, 1_454  # as the report for z/OS had them
LOOK_SECONDS = 1.0  # between looks whether all run: each look is at all channels
KERNEL_BYTES = 4 << 10  # of a socket, its descriptor and its place in epoll: not in resident memory
SCRIPT_COMMANDS = 500
SETTINGS = "\nLog:\n   LogPrimaryFiles=10\nChannels:\n   MaxChannels=30000\n"


def measure(setting: Setting) -> Iterator[Result]:
    if bindings.CLIENT not in bindings.available():
        return
    pairs = min(setting.size(PAIRS, 300), files_allow())
    table = Figures(
        "Capacity: pairs of channels, one each way, running and idle",
        ("pairs", "define s", "start s", "KB an end", "idle % of a core", "restart s", "without s"),
        note=f"KB an end: resident memory of both processes, and {KERNEL_BYTES >> 10} KB of the kernel; MQ on"
        " z/OS: 103 KB (003); target 20 KB, 30 s to start, 2 s more to restart, 3 % idle",
    )
    paced: list[list[str]] = []
    with tempfile.TemporaryDirectory(dir=setting.folder) as home:
        near = QueueServer(Path(home), (), QMGR, SETTINGS)
        far = QueueServer(Path(home), (), FAR, SETTINGS)
        try:
            table.lines.append([f"{pairs:,}", *(f"{value:.2f}" for value in held(near, far, pairs, paced))])
        finally:
            near.stop()
            far.stop()
    yield table
    yield Figures(
        "Round trips of 2 KB at a given rate over pairs of channels",
        ("row", "pairs", "wanted /s", "reached /s", "response ms", "target ms"),
        paced,
    )


def files_allow() -> int:
    """Return how many pairs the limit of open files allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return PAIRS if hard == resource.RLIM_INFINITY else max(1, (hard - FILES_SPARE) // 2)


def held(near: QueueServer, far: QueueServer, pairs: int, paced: list[list[str]]) -> list[float]:
    """Define and start so many pairs; return the figures of the table."""
    both = (near, far)
    without = restarted(near)
    before = sum(resident_bytes(each.process.session) for each in both)
    began = time.monotonic()
    define(near, far, pairs)
    define(far, near, pairs)
    for server, commands in (
        (near, paced_trips.near_commands(pairs)),
        (far, paced_trips.far_commands(pairs)),
    ):
        with server.connect_locally() as qm:
            run(qm, commands)
    defined = time.monotonic() - began
    began = time.monotonic()
    start(near, f"{QMGR}.", pairs)
    start(far, f"{FAR}.", pairs)
    started = time.monotonic() - began
    grown = sum(resident_bytes(each.process.session) for each in both) - before
    busy = sum(processor_seconds(each.process.session) for each in both)
    time.sleep(IDLE_SECONDS)
    busy = sum(processor_seconds(each.process.session) for each in both) - busy
    for name, some, rate, target in (
        ("N1", pairs, pairs / 60, 50),
        ("N2", min(pairs, BUSY_PAIRS), BUSY_RATE * min(pairs, BUSY_PAIRS) / BUSY_PAIRS, 10),
    ):
        response, reached = paced_trips.trips(near, far, some, rate, PACED_SECONDS)
        paced.append([name, f"{some:,}", f"{rate:.0f}", f"{reached:.0f}", f"{response:.1f}", str(target)])
    ends = 4 * pairs
    idle = busy / IDLE_SECONDS / 2 * 100
    return [defined, started, (grown / ends + KERNEL_BYTES) / 1024, idle, restarted(near), without]


def define(source: QueueServer, target: QueueServer, pairs: int) -> None:
    """Define all channels from one to the other, with a transmission queue each."""
    names = [f"{source.name}.{number}" for number in range(pairs)]
    place = f"{LOOPBACK}({target.process.port})"
    with target.connect_locally() as qm:
        run(qm, [f"DEFINE CHANNEL({name}) CHLTYPE(RCVR)" for name in names])
    with source.connect_locally() as qm:
        run(qm, [f"DEFINE QLOCAL({name}) USAGE(XMITQ)" for name in names])
        run(
            qm,
            [f"DEFINE CHANNEL({name}) CHLTYPE(SDR) XMITQ({name}) CONNAME('{place}')" for name in names],
        )


def run(qm: Any, commands: list[str]) -> None:
    """Run commands, many in one script."""
    for begin in range(0, len(commands), SCRIPT_COMMANDS):
        failed = [
            each.text for each in qm.mqsc("\n".join(commands[begin : begin + SCRIPT_COMMANDS])) if each.failed
        ]
        assert not failed, failed[0]


def start(source: QueueServer, prefix: str, pairs: int) -> None:
    """Start all channels of a queue manager and wait until they run."""
    with source.connect_locally() as qm:
        run(qm, [f"START CHANNEL({prefix}{number})" for number in range(pairs)])
        while True:
            figures = [each for each in qm.status().message_channels if each.state == "RUNNING"]
            if sum(each.type == "SDR" for each in figures) >= pairs:
                return
            time.sleep(LOOK_SECONDS)


def restarted(server: QueueServer) -> float:
    """Stop and start a queue manager; return what the start took."""
    server.process.stop()
    began = time.monotonic()
    server.process.start()
    return time.monotonic() - began
