"""Threads put, move, prepare and resolve while checkpoints follow each other; then the process is gone.

What one thread was told before the end is what a restart finds. Each round ends in `abandon`, at a
moment nobody chose.
"""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host import checkpointing

pytestmark = pytest.mark.crash
STOPPED, CLOSED = 8004, 2018
QUICK = 1000
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 2}


class Told:
    """What threads were told, in the order of being told, and what ended them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ended: list[BaseException] = []
        self.put: set[bytes] = set()
        self.gone: set[bytes] = set()
        self.prepared: dict[str, bytes] = {}


def produce(qm: Any, told: Told, stem: str) -> None:
    number = 0
    while True:
        key = f"{stem}-{number:05}".encode()
        number += 1
        qm.put("A", key.ljust(200), persistent=True)
        with told.lock:
            told.put.add(key)
        if number > QUICK:  # where syncs cost nothing there would be too many to look at
            time.sleep(0.01)


def move(qm: Any, told: Told, chance: random.Random) -> None:
    while True:
        try:
            move_one(qm, told, chance)
        except penstock.BackedOut:  # a unit that would have filled the log
            qm.backout()


def move_one(qm: Any, told: Told, chance: random.Random) -> None:
    qm.begin()
    message = qm.get("A", wait=0.1)
    if message is None or chance.random() < 0.1:
        qm.backout()
        return
    key = message.body.rstrip()
    qm.put("B", message.body, persistent=True)
    if chance.random() < 0.5:
        qm.commit()
        return
    xid = key.decode()
    qm.prepare(xid)
    with told.lock:
        told.prepared[xid] = key
    if chance.random() < 0.8:
        with told.lock:
            del told.prepared[xid]
        (qm.commit_prepared if chance.random() < 0.7 else qm.backout_prepared)(xid)


def take(qm: Any, told: Told) -> None:
    while True:
        message = qm.get("B", wait=0.1)
        if message is not None:
            with told.lock:
                told.gone.add(message.body.rstrip())


def checkpoints(qm: Any) -> None:
    while True:
        qm.checkpoint()
        checkpointing.spill(qm.host)


def until_it_ends(told: Told, target: Any, *args: Any) -> None:
    try:
        target(*args)
    except BaseException as problem:  # noqa: BLE001 - the test looks at it
        with told.lock:
            told.ended.append(problem)


@pytest.mark.parametrize("seed", range(2))
def test_what_was_told_is_found_again(tmp_path: Path, seed: int, scale: int) -> None:
    chance = random.Random(seed)
    buffers = {"default_pq_buffer_size": 5000}
    with penstock.embed("QM1", create=True, home=tmp_path, **LOG, **buffers) as qm:
        qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(99999)\nDEFINE QLOCAL(B) MAXDEPTH(99999)")
    told = Told()
    for number in range(2 * scale):
        qm = penstock.embed("QM1", home=tmp_path)
        work = [(produce, qm, told, f"{number}-{n}") for n in range(2)]
        work += [(move, qm, told, random.Random(chance.random())) for _ in range(2)]
        work += [(take, qm, told), (checkpoints, qm)]
        threads = [threading.Thread(target=until_it_ends, args=(told, *item), daemon=True) for item in work]
        for thread in threads:
            thread.start()
        time.sleep(0.2 + chance.random() * 0.4)
        assert told.ended == []
        stop(qm)
        for thread in threads:
            thread.join(60.0)
        assert len(told.ended) == len(threads)
        assert {getattr(each, "reason", each) for each in told.ended} <= {STOPPED, CLOSED}
        told.ended.clear()
        check(tmp_path, told, rounds=number + 1)


def stop(qm: Any) -> None:
    """Refuse everything from now on, as after a failed sync, and let go without a checkpoint."""
    qm.host.stop(penstock.MQError(STOPPED))
    qm.close()


def check(home: Path, told: Told, rounds: int) -> None:
    with penstock.embed("QM1", home=home) as qm:
        prepared = {unit["xid"] for unit in qm.prepared()}
        assert set(told.prepared) <= prepared
        for xid in prepared:
            qm.commit_prepared(xid)
        told.prepared.clear()
        stays = [m.body.rstrip() for m in qm.browse("A")]
        went = [m.body.rstrip() for m in qm.browse("B")]
        everything = stays + went
        assert len(everything) == len(set(everything)), "a message is there twice"
        lost = told.put - set(everything) - told.gone
        assert len(lost) <= rounds, f"lost {sorted(lost)[:5]}"  # got by `take`, which was not told
        assert not told.gone & set(everything), "a message that was got is back"
        for stem in {key.rsplit(b"-", 1)[0] for key in stays}:
            mine = [key for key in stays if key.startswith(stem + b"-")]
            assert mine == sorted(mine), "order is lost"
