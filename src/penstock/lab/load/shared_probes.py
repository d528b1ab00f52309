"""Probes of shared queues: capacity, data sets, backup, restart, and a change of where bodies go.

The member is in this process, with a database of its own beside it; both are gone afterwards.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import penstock
from penstock.host.folders.folder import folder_of
from penstock.host.queue_sharing import group_membership_file as membership
from penstock.host.starting import create
from penstock.lab.load.queue_server import command
from penstock.lab.load.several import GROUP, NEEDED_BY
from penstock.lab.load.shared_works import shared_queue, structure
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.qmgr.sharing.offload_rules import DEFAULT_RULES, cost_bytes, is_offloaded, percent_full
from penstock.tools.own_postgresql import own_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from penstock.face.blocking import BlockingQueueManager

Facts = dict[str, float]
MEMBER, STRUCTURE, QUEUE = "MEMBER", "LAB", "SHARED"
UNIT = 100  # messages in a unit of work
PUTTERS = 10
FREE_BYTES = 10_000_000  # fit a new data set
PAGE_BYTES = 4096
LARGEST_BYTES = 16 << 40  # of a data set
HALF_GIGABYTE = 512 << 20
FULL = (mq.MQRC_STORAGE_MEDIUM_FULL, mq.MQRC_Q_FULL)


def capacity(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Put messages until a structure is full; count them, and say what the rules give for half a gigabyte."""
    megabytes, body = int(load["megabytes"]), bytes(int(load["bytes"]))
    with _member(folder) as qm:
        words = structure(STRUCTURE, {"offload": "smds"}, folder).replace("SIZE(4G)", f"SIZE({megabytes}M)")
        _define(qm, words)
        held, began = 0, perf_counter()
        try:
            while True:
                qm.put(QUEUE, body)
                held += 1
        except MQError as failure:
            if failure.reason not in FULL:
                raise
        taken = perf_counter() - began
    by_rule, in_half = (_capacity(size, len(body)) for size in (megabytes << 20, HALF_GIGABYTE))
    return {
        "messages": float(held),
        "messages_by_rule": float(by_rule),
        "messages_in_512_mb": float(in_half),
        "puts_a_second": held / taken,
    }


def arithmetic(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Say how many messages the largest data set takes, and how large the structure has to be for them."""
    size = int(load["bytes"])
    pages = -(-size // PAGE_BYTES)
    messages = LARGEST_BYTES // (pages * PAGE_BYTES)
    return {"messages": float(messages), "structure_gb": messages * cost_bytes(size, True) / 1e9}


def first_put(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Format a data set, which the first put does; the difference to the second put is what it takes."""
    with _member(folder) as qm:
        _define(qm, structure(STRUCTURE, {"offload": "smds", "everything": True}, folder))
        times = []
        for _ in range(2):
            began = perf_counter()
            qm.put(QUEUE, bytes(1000), persistent=True)
            times.append(perf_counter() - began)
        formatted = sum(path.stat().st_size for path in (folder / "smds").rglob("*") if path.is_file())
    taken = max(times[0] - times[1], 1e-6)
    return {"seconds": taken, "megabytes": formatted / 1e6, "mb_a_second": formatted / 1e6 / taken}


def expansion(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Put with ten threads into free pages of a data set, then while it grows."""
    size = int(load["bytes"])
    with _member(folder) as qm:
        _define(qm, structure(STRUCTURE, {"offload": "smds"}, folder))
        qm.put(QUEUE, bytes(size), persistent=True)  # the first put formats
        files = [path for path in (folder / "smds").rglob("*") if path.is_file()]
        before = sum(path.stat().st_size for path in files)
        free = _rate([lambda: qm.put(QUEUE, bytes(size))] * PUTTERS, count=FREE_BYTES // size // PUTTERS)
        growing = _rate([lambda: qm.put(QUEUE, bytes(size))] * PUTTERS, seconds=seconds)
        grown = sum(path.stat().st_size for path in files) - before
    return {"free_puts_a_second": free, "growing_puts_a_second": growing, "grown_mb": grown / 1e6}


def backup(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Back up a structure with persistent messages."""
    size, megabytes = int(load["bytes"]), int(load["megabytes"])
    with _member(folder) as qm:
        _define(qm, structure(STRUCTURE, {"offload": "smds", "everything": load.get("everything")}, folder))
        count = max(1, (megabytes << 20) // size)
        _fill(qm, [QUEUE], count, size)
        began = perf_counter()
        command(qm, f"BACKUP CFSTRUCT({STRUCTURE})")
        taken = perf_counter() - began
    return {"mb_a_second": count * size / 1e6 / taken, "seconds": taken, "messages": float(count)}


def rebuild(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Let a member die, start it, and get a message from each structure: the maps are built anew."""
    count, structures = int(load["messages"]), int(load["structures"])
    queues = [f"{QUEUE}.{number}" for number in range(structures)]
    with _member(folder) as qm:
        for number, name in enumerate(queues):
            words = structure(f"{STRUCTURE}{number}", {"offload": "smds", "everything": True}, folder)
            command(qm, words)
            command(qm, shared_queue(name, f"{STRUCTURE}{number}"))
        _fill(qm, queues, count // structures, 200)
        qm.host.abandon()
        began = perf_counter()
        again = penstock.embed(MEMBER, home=folder)
        started = perf_counter()
        try:
            for name in queues:
                if again.get(name, wait=60) is None:
                    raise RuntimeError(f"{name} is empty after the restart")
            whole = perf_counter()
        finally:
            again.close()
    return {
        "seconds": whole - began,
        "start_seconds": started - began,
        "messages_a_second": count / (whole - began),
    }


def switch_offload(load: dict[str, Any], folder: Path, seconds: float) -> Facts:
    """Put and get while the structure's bodies go to data sets, to the database, and to data sets again."""
    body = bytes(int(load["bytes"]))
    found: Facts = {}
    with _member(folder) as qm:
        _define(qm, structure(STRUCTURE, {"offload": "smds", "everything": True}, folder))

        def pair() -> None:
            qm.put(QUEUE, body)
            qm.get(QUEUE)

        for name, place in (("smds", "SMDS"), ("db2", "DB2"), ("smds_again", "SMDS")):
            command(qm, f"ALTER CFSTRUCT({STRUCTURE}) OFFLOAD({place})")
            found[f"{name}_pairs_a_second"] = _rate([pair], seconds=seconds)
    return found


@contextmanager
def _member(folder: Path) -> Iterator[Any]:
    """Run the one member of a new group in this process."""
    for each in (folder.parent, folder):
        each.chmod(0o755)  # a database server that may not run as root looks into it as another user
    with own_postgresql(folder, NEEDED_BY) as database:
        from penstock.share import group_administration as groups

        group = groups.checked(GROUP, database.url)
        groups.create(group)
        create(MEMBER, folder)
        membership.join(folder_of(MEMBER, folder).ini, group)
        qm = penstock.embed(MEMBER, home=folder)
        try:
            yield qm
        finally:
            if not qm.host.closed:
                qm.close()


def _define(qm: BlockingQueueManager, words: str) -> None:
    command(qm, words)
    command(qm, shared_queue(QUEUE, STRUCTURE))


def _fill(qm: BlockingQueueManager, queues: Sequence[str], count: int, size: int) -> None:
    for queue in queues:
        for start in range(0, count, UNIT):
            with qm.unit_of_work():
                for _ in range(min(UNIT, count - start)):
                    qm.put(queue, bytes(size), persistent=True)


def _rate(actions: Sequence[Any], *, count: int = 0, seconds: float = 0.0) -> float:
    """Return how often a second all do their action, a thread each: `count` times, or some seconds."""
    done = [0] * len(actions)
    end = perf_counter() + seconds

    def run(place: int) -> None:
        while done[place] < count or perf_counter() < end:
            actions[place]()
            done[place] += 1

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(actions))]
    began = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (perf_counter() - began)


def _capacity(size: int, length: int) -> int:
    """Return how many messages a structure of some bytes takes by the rules."""
    used = count = 0
    while percent_full(used, size) < 100:
        away = is_offloaded(length, percent_full(used, size), DEFAULT_RULES)
        used += cost_bytes(length, away)
        count += 1
    return count


PROBES = {
    "capacity": capacity,
    "arithmetic": arithmetic,
    "first_put": first_put,
    "expansion": expansion,
    "backup": backup,
    "rebuild": rebuild,
    "switch_offload": switch_offload,
}
