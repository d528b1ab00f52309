"""A queue manager with linear logging for the tests of media images: work, random work, and accidents."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import penstock

LINEAR = {"log_type": "LINEAR", "file_pages": 64, "primary_files": 2}
PADDING = b"." * 3_000


def opened(home: Path, **options: Any) -> penstock.QueueManager:
    return penstock.embed("QM1", home=home, **options)


def put(qm: penstock.QueueManager, queue: str, first: int, count: int) -> list[bytes]:
    bodies = [b"%s-%05d" % (queue.encode(), number) + PADDING for number in range(first, first + count)]
    qm.put_many(queue, bodies, persistent=True)
    return bodies


def on_queue(qm: penstock.QueueManager, queue: str) -> list[bytes]:
    return [bytes(message.body or b"") for message in qm.browse(queue)]


def message_file(home: Path, content: bytes) -> Path:
    files = sorted((home / "QM1" / "queues").glob("M*.DAT"))
    return next(path for path in files if content in path.read_bytes())


def damage(home: Path, content: bytes) -> None:
    """Turn a byte of a message in the message files."""
    path = message_file(home, content)
    data = bytearray(path.read_bytes())
    data[data.rindex(content) + 3] ^= 0xFF
    path.write_bytes(data)


def refused(home: Path) -> int:
    with pytest.raises(penstock.MQError) as raised:
        opened(home)
    assert "penstock qmgr recover" in raised.value.action
    return raised.value.reason


class Workload:
    """Random work over several runs: units that end either way, publications, objects, crashes."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.random = random.Random(seed)
        self.qm = opened(home)
        self.qm.mqsc("DEFINE QLOCAL(P) MSGDLVSQ(PRIORITY)")
        self.qm.mqsc("DEFINE TOPIC(T) TOPICSTR('t') DEFPSIST(YES)")
        self.qm.mqsc("DEFINE SUB(S) TOPICSTR('t/#') DEST(B)")

    def step(self) -> None:
        """Do one thing."""
        choice = self.random
        queue = choice.choice(["A", "B", "P"])
        kind = choice.choice(["put"] * 6 + ["get"] * 4 + ["unit"] * 4 + ["publish", "objects", "checkpoint"])
        if kind == "put":
            body = choice.randbytes(choice.choice([10, 3_000, 40_000]))
            self.qm.put(queue, body, persistent=True, priority=choice.randrange(10))
        elif kind == "get":
            self.qm.get(queue)
        elif kind == "publish":
            self.qm.publish("t/x", choice.randbytes(100), persistent=True, retain=choice.random() < 0.5)
        elif kind == "objects":
            self.qm.mqsc(f"DEFINE QLOCAL(N{choice.randrange(3)}) DESCR('{choice.randrange(99)}') REPLACE")
            self.qm.mqsc(f"DELETE QLOCAL(N{choice.randrange(3)}) PURGE")
        elif kind == "checkpoint":
            self.qm.checkpoint()
        else:
            self.unit(queue)

    def unit(self, queue: str) -> None:
        """Move messages in a unit of work, and commit it or back it out."""
        self.qm.begin()
        for _ in range(self.random.randrange(1, 6)):
            self.qm.get(queue)
            self.qm.put(self.random.choice(["A", "B"]), self.random.randbytes(200), persistent=True)
        self.qm.commit() if self.random.random() < 0.6 else self.qm.backout()

    def restart(self, crash: bool) -> None:
        """End this run and begin the next; a crash leaves a unit open."""
        if crash:
            self.qm.begin()
            self.qm.get("A")
            self.qm.put("B", b"never", persistent=True)
            self.qm.host.settle(self.qm.host.journal.end)
            self.qm.host.abandon()
        else:
            self.qm.close()
        self.qm = opened(self.home)

    def state(self) -> dict[str, Any]:
        """Return all objects and messages that must be there again."""
        names = [each.queue for each in self.qm.queues()]
        return {"objects": sorted(self.qm.export(everything=True).splitlines())} | {
            name: [
                (each.msg_id, each.body, each.priority, each.backout_count)
                for each in self.qm.browse(name)
                if each.persistent
            ]
            for name in names
        }
