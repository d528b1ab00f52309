"""Many clients on one queue manager: a round trip each, another of some, and what a connection costs.

`make test` connects a few hundred, `make soak` the 13,000 of DESIGN.md, or as many as the limit of open files
allows. The server's memory for each connection is printed (`pytest -s` shows it) and has a limit.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

import penstock
from tests.served import Served

pytestmark = pytest.mark.installed

BYTES_MAX = 36 * 1024
FILES_SPARE = 200  # of the server: its journal, its queues, what Python has open


@pytest.fixture
def files() -> Iterator[int]:
    """Raise the limit of open files as far as may be; return how many clients it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1 << 20 if hard == resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield max(wanted, soft) - FILES_SPARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("wanted", [300, pytest.param(13_000, marks=pytest.mark.soak)])
def test_many_clients_stay_connected_at_little_cost(files: int, tmp_path: Path, wanted: int) -> None:
    clients = min(wanted, files)
    served = Served(tmp_path)
    served.start()
    connections: list[penstock.ClientQueueManager] = []
    try:
        with served.connect() as qm:
            round_trip(qm, 0)
        before = resident_bytes(served)
        for number in range(clients):
            connections.append(served.connect(share=False))
            round_trip(connections[-1], number)
        each = (resident_bytes(served) - before) / clients
        for number in range(0, clients, 10):
            round_trip(connections[number], number)
        print(f"{clients:,} clients: {each / 1024:.1f} KB each")
        with served.local() as qm:
            assert qm.status().channels.links == clients + 1
    finally:
        for qm in connections:
            qm.close()
        served.stop()

    assert each <= BYTES_MAX


def round_trip(qm: penstock.ClientQueueManager, number: int) -> None:
    """Put a message and get it back."""
    own = number.to_bytes(24, "big")
    qm.put("APP.Q", b"x" * 1000, correl_id=own)
    message = qm.get("APP.Q", correl_id=own, wait=60.0)
    assert message is not None
    assert message.correl_id == own


def resident_bytes(served: Served) -> int:
    """Return the memory that the server's process holds now."""
    assert served.process is not None
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024
