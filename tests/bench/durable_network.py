"""Durable puts of clients over TCP against the rate at which the disk itself makes a small write durable.

The floor is that of `durable`; between the two stand a request and a reply over a socket.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Row
from penstock.lab.load import bindings
from penstock.lab.load.queue_server import DEPTH_MAX, command
from tests.bench.durable import KILOBYTE, RECORD, TARGET, TIMES, preallocate, sync_rate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.crew import Role
    from penstock.lab.load.queue_server import QueueServer
    from penstock.lab.load.setting import Setting

QUEUE = "Q"
PRODUCER = "producer"


def measure(setting: Setting) -> Iterator[Result]:
    if bindings.CLIENT not in bindings.available():
        return
    seconds = 0.15 if setting.quick else 0.5
    path = setting.folder / "floor"
    preallocate(path)
    floor = partial(sync_rate, path, RECORD, seconds)
    with bindings.served(setting.folder, [f"DEFINE QLOCAL({QUEUE}) MAXDEPTH({DEPTH_MAX})"]) as server:
        for producers, target in ((1, TARGET), (16, None)):
            ours = partial(put_rate, setting, server, producers, seconds)
            values = setting.interleave(ours, floor, times=setting.size(TIMES, 1))
            what = f"durable puts over TCP, {producers} producer{'s' if producers > 1 else ''}"
            yield Row(what, "write + fdatasync", "/s", *values, target=target)
    path.unlink()


def put_rate(setting: Setting, server: QueueServer, producers: int, seconds: float) -> float:
    """Return the durable puts a second of some processes; empty the queue afterwards."""
    with setting.crew([(PRODUCER, partial(produce, server=server))] * producers) as crew:
        rate = crew.observe(0.1, seconds, {server.process.session}).rates[PRODUCER]
    with server.connect_locally() as qm:
        command(qm, f"CLEAR QLOCAL({QUEUE})")
    return rate


def produce(role: Role, *, server: QueueServer) -> None:
    """Put, each message after the one before is on disk."""
    qm = server.connect()
    role.ready()
    while True:
        qm.put(QUEUE, KILOBYTE, persistent=True)
        role.count()
