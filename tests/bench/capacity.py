"""How many clients can be connected, and what memory each takes: one round trip a minute each, over TCP.

Memory is the server's resident memory after one round trip of each client, less what it was with none,
for each client; a new server for every round, since memory that was freed is not always given back. The
full number is connected once; where the limit of open files forbids it, as many as it allows.
"""

from __future__ import annotations

import resource
import threading
import time
from functools import partial
from itertools import cycle
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Figures, Row, at_most
from penstock.lab.load import bindings, round_trip
from penstock.lab.load.schedule import Pace, fixed
from tests.bench import published
from tests.bench.rated import BODY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.crew import Role
    from penstock.lab.load.queue_server import QueueServer
    from penstock.lab.load.setting import Setting

CLIENTS = 13_000
CLIENTS_A_ROUND = 1_000
PROCESSES = 4
MINUTE = 60.0
FILES_SPARE = 500
MEMORY_TARGET_BYTES = 36 * 1024
ARRIVED = "arrived"


def measure(setting: Setting) -> Iterator[Result]:
    if bindings.CLIENT not in bindings.available():
        return
    few = setting.size(CLIENTS_A_ROUND, 200)
    memory = [memory_of_a_client(setting, few) for _ in range(setting.repeats)]
    floor = [float(MEMORY_TARGET_BYTES)] * len(memory)
    yield Row(f"memory of a client, {few:,} connected", "36 KB", "bytes", memory, floor, at_most(1))
    yield connected(setting, min(setting.size(CLIENTS, 500), files_allow()))


def files_allow() -> int:
    """Return how many clients the limit of open files allows one server."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CLIENTS if hard == resource.RLIM_INFINITY else max(1, hard - FILES_SPARE)


def memory_of_a_client(setting: Setting, clients: int) -> float:
    """Connect clients to a new server, one round trip each; return bytes of the server for each."""
    with bindings.served(setting.folder, round_trip.DEFINITIONS) as server:
        with setting.crew(round_trip.servers(server.connect, persistent=False)):
            return _grown(setting, server, clients)


def _grown(setting: Setting, server: QueueServer, clients: int) -> float:
    before = resident_bytes(server.process.session)
    work = partial(arrive, server=server, clients=clients // PROCESSES)
    with setting.crew([(ARRIVED, work)] * PROCESSES):
        after = resident_bytes(server.process.session)
    return (after - before) / (clients // PROCESSES * PROCESSES)


def arrive(role: Role, *, server: QueueServer, clients: int) -> None:
    """Connect clients, make one round trip with each, and stay."""
    connections = [server.connect() for _ in range(clients)]
    for qm in connections:
        round_trip.round_trip(qm, BODY, persistent=False)
    role.ready()
    threading.Event().wait()


def take_turns(role: Role, *, server: QueueServer, clients: int) -> None:
    """Connect clients, and let one after the other make a round trip, each once a minute."""
    connections = [server.connect() for _ in range(clients)]
    role.ready()
    pace = Pace(fixed(MINUTE / clients, time.monotonic()))
    for qm in cycle(connections):
        time.sleep(pace.wait(time.monotonic()))
        pace.take()
        began = perf_counter_ns()
        round_trip.round_trip(qm, BODY, persistent=False)
        role.took(perf_counter_ns() - began)


def connected(setting: Setting, clients: int) -> Figures:
    """Connect as many as there may be, each with a round trip a minute, and see what they notice."""
    table = Figures(
        "Capacity: clients connected, each with one round trip a minute",
        ("clients", "seconds to connect", "KB each", "round trips /s", "mean ms", "p99 ms", "MQ V5.3, 2002"),
        note=f"MQ V5.3 could connect 13,000; {published.CAPACITY.apps:,} kept their pace",
    )
    share = clients // PROCESSES
    with bindings.served(setting.folder, round_trip.DEFINITIONS) as server:
        work = partial(take_turns, server=server, clients=share)
        with setting.crew(round_trip.servers(server.connect, persistent=False)):
            before = resident_bytes(server.process.session)
            began = time.monotonic()
            with setting.crew([(round_trip.DRIVER, work)] * PROCESSES) as crew:
                took = time.monotonic() - began
                seen = crew.observe(2.0, setting.size(10, 3), {server.process.session})
                grown = resident_bytes(server.process.session) - before
    kind = round_trip.DRIVER
    table.lines.append(
        [
            f"{share * PROCESSES:,}",
            f"{took:.1f}",
            f"{grown / 1024 / (share * PROCESSES):.1f}",
            f"{seen.rates[kind]:,.0f}",
            f"{seen.mean_ms(kind):.2f}",
            f"{seen.percentile_ms(kind, 99):.2f}",
            str(published.CAPACITY),
        ]
    )
    return table


def resident_bytes(process: int) -> int:
    """Return the memory that a process holds now."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0
