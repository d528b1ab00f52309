"""What the clauses on reservations share: a flow in a few words, and a crash at this very moment."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import penstock

FLOW = "orders"


def define_queues(qm: penstock.QueueManager, *names: str, rest: str = "DEFPSIST(YES)") -> None:
    for name in names:
        (reply,) = qm.mqsc(f"DEFINE QLOCAL({name}) {rest}")
        assert reply.id == "AMQ8006I", reply.text


def put_numbers(qm: penstock.QueueManager, queue: str, count: int, first: int = 0) -> None:
    qm.put_many(queue, [b"%d" % number for number in range(first, first + count)])


def bodies(qm: penstock.QueueManager, queue: str) -> list[bytes]:
    """What anybody can see on a queue."""
    return [message.body for message in qm.browse(queue)]


def depth(qm: penstock.QueueManager, queue: str) -> int:
    (reply,) = qm.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
    return int(reply.attributes["CURDEPTH"])


def read_all(qm: penstock.QueueManager, n: int, epoch: int, slices: int = 2) -> list[bytes]:
    return [
        message.body
        for number in range(slices)
        for message in qm.batches.read_slice(FLOW, n, number, slices, epoch=epoch)
    ]


def work(qm: penstock.QueueManager, n: int, epoch: int, slices: int = 2, attempt: int = 0) -> dict[int, Any]:
    """Do what the tasks of a batch do, input IN to output OUT; return the winners."""
    for number in range(slices):
        messages = qm.batches.read_slice(FLOW, n, number, slices, epoch=epoch)
        outputs = [("OUT", b"done " + message.body) for message in messages]
        qm.batches.prepare_outputs(FLOW, n, number, attempt, outputs, epoch=epoch)
    return dict.fromkeys(range(slices), attempt)


def run_flow(qm: penstock.QueueManager, max_rows: int = 4) -> None:
    """Run the flow from wherever it stands until its queue is empty, as a driver that just started would."""
    epoch = qm.batches.new_epoch(FLOW)
    n = qm.batches.recorded(FLOW)
    while True:
        held = qm.batches.reserve(FLOW, "IN", after=n, epoch=epoch, max_rows=max_rows)
        if held["n"] == n:
            return
        n = held["n"]
        qm.batches.commit(FLOW, n, work(qm, n, epoch), epoch=epoch)


def crash(qm: penstock.QueueManager, home: Path) -> penstock.QueueManager:
    """Start what `kill -9` would leave of a queue manager at this moment, in another home."""
    with qm.host.checkpoint_lock:  # a copy takes longer than a kill: nothing may go away meanwhile
        shutil.copytree(qm.host.folder.path.parent, home, ignore=shutil.ignore_patterns("*.NEW"))
    return penstock.embed(qm.name, home=home)
