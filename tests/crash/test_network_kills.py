"""Killed in the middle: clients and the server, under load, with units of work.

The story: producers put numbered persistent messages in units of work, consumers move them in units to
another queue. A consumer is killed, then the server, again and again. In the end every number that a
producer was told is committed is there, once.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import penstock
from tests.patience import until
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.installed, pytest.mark.crash]

MOVER = """
import sys, penstock
qm = penstock.connect(sys.argv[1], share=False)
while True:
    with qm.unit_of_work():
        for _ in range(5):
            message = qm.get("APP.Q", wait=0.2)
            if message is None:
                break
            qm.put("APP.REPLIES", message.body, persistent=True)
    if message is not None:
        open(sys.argv[2], "w").close()
"""
PRODUCER = """
import sys, penstock
qm = penstock.connect(sys.argv[1], share=False)
told = open(sys.argv[2], "a", buffering=1)
number = int(sys.argv[3])
while True:
    bodies = [b"%d" % (number + i) for i in range(10)]
    qm.put_many("APP.Q", bodies, persistent=True)
    print(number, file=told)
    number += 10
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    running = Served(tmp_path, script=SCRIPT)
    running.start()
    yield running
    running.stop()


def run(script: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stderr=subprocess.DEVNULL, env=dict(os.environ)
    )


def test_nothing_is_lost_or_doubled_when_clients_and_server_are_killed(
    served: Served, tmp_path: Path, scale: int
) -> None:
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    told = tmp_path / "told"
    for round_ in range(4 * scale):
        address = served.address()
        producer = run(PRODUCER, address, str(told), str(round_ * 1_000_000))
        moving = tmp_path / f"moving-{round_}"
        movers = [run(MOVER, address, str(moving)) for _ in range(2)]
        try:
            until(moving.exists)
            time.sleep(chance.random())
            movers[0].kill()
            time.sleep(chance.random() * 0.3)
            if round_ % 2:
                served.kill()
            else:
                producer.kill()
        finally:
            for process in (producer, *movers):
                process.kill()
                process.wait()
        if round_ % 2:
            served.start()
    with served.local() as admin:  # when it is alone, the units of the killed are backed out
        until(lambda: admin.status().channels.links == 1)
    with served.connect() as qm:
        moved = _bodies(qm, "APP.REPLIES")
        found = _bodies(qm, "APP.Q") + moved
    assert moved, "the movers did nothing"
    expected = {b"%d" % (int(line) + i) for line in told.read_text().split() for i in range(10)}
    assert len(found) == len(set(found)), f"doubled; seed {seed}"
    assert expected, "the producer did nothing"
    missing = expected - set(found)
    assert not missing, f"{len(missing)} lost; seed {seed}"
    extra = set(found) - expected  # committed, and killed before the producer could tell
    assert all(_whole_batch(extra, body) for body in extra), f"half a unit; seed {seed}"


def _bodies(qm: penstock.ClientQueueManager, queue: str) -> list[bytes]:
    bodies: list[bytes] = []
    while found := qm.get_many(queue, 1000):
        bodies += [message.body for message in found if message.body is not None]
    return bodies


def _whole_batch(bodies: set[bytes], body: bytes) -> bool:
    first = int(body) // 10 * 10
    return all(b"%d" % (first + i) in bodies for i in range(10))
