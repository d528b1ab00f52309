"""A small day's work for one queue manager, and what may be on disk when it is stopped in the middle.

Every step is one promise: before it is confirmed the disk may hold the state before it or after it,
nothing else. Used by the tests that stop the store at operation n.
"""

from __future__ import annotations

import contextvars
import copy
import random
from pathlib import Path
from typing import Any

import penstock
from penstock.host import checkpointing
from penstock.store.faults import Faults
from tests.property.model import QUEUES, Entry, Model, Unit

LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
BUFFERS = {"default_q_buffer_size": 30_000, "default_pq_buffer_size": 30_000}
DEFINITIONS = (
    "DEFINE QLOCAL(PRIO) MSGDLVSQ(PRIORITY)\n"
    "DEFINE QLOCAL(FIFO) MSGDLVSQ(FIFO)\n"
    "DEFINE QLOCAL(HIGH) MSGDLVSQ(FIFO)"
)


def make(home: Path) -> None:
    """Create the queue manager that each run starts from."""
    with penstock.embed("QM1", create=True, home=home, **LOG, **BUFFERS) as qm:
        qm.mqsc(DEFINITIONS)


class Workload:
    """Runs until an accident stops it; `before` and `after` are what the disk may hold then."""

    def __init__(self, home: Path, seed: int, faults: Faults | None) -> None:
        self.home = home
        self.random = random.Random(seed)
        self.faults = faults
        self.before = self.after = Model()
        self.number = 0
        self.qm: Any = None

    def run(self) -> bool:
        """Work; return whether the end was reached."""
        try:
            self.qm = penstock.embed("QM1", home=self.home, faults=self.faults)
            for _ in range(40):
                self.step()
        except penstock.MQError:
            return False
        finally:
            if self.qm is not None:
                self.qm.host.abandon()
        return True

    def step(self) -> None:
        names = ("put", "put", "put", "get", "move", "back_out", "prepare", "resolve", "checkpoint", "spill")
        self.before = self.after
        self.after = copy.deepcopy(self.before)
        getattr(self, self.random.choice(names))(self.after)
        self.before = self.after

    def entry(self) -> Entry:
        self.number += 1
        size = self.random.choice((10, 3000, 20_000))
        return Entry(b"%06d" % self.number + bytes(size), True, self.random.randrange(3), None)

    def put(self, model: Model) -> None:
        queue, entry = self.random.choice(QUEUES), self.entry()
        model.show(queue, entry)
        self.qm.put(queue, entry.body, persistent=True, priority=entry.priority)
        self.qm.put(queue, b"passing", persistent=False, priority=0, correl_id=b"n" * 24)
        assert self.qm.get(queue, correl_id=b"n" * 24) is not None

    def get(self, model: Model) -> None:
        queue = self.random.choice(QUEUES)
        entry = model.candidate(queue, None, None)
        if entry is not None:
            model.get(queue, entry, None)
            message = self.qm.get(queue)
            assert message.body == entry.body

    def fill(self, model: Model) -> Unit:
        """Begin a unit with some gets and puts; the model's unit is its mirror."""
        unit = Unit()
        self.qm.begin()
        for _ in range(self.random.randrange(1, 4)):
            queue = self.random.choice(QUEUES)
            entry = model.candidate(queue, None, None)
            if entry is not None:
                model.get(queue, entry, unit)
                assert self.qm.get(queue).body == entry.body
        for _ in range(self.random.randrange(1, 4)):
            queue, entry = self.random.choice(QUEUES), self.entry()
            unit.puts.append((queue, entry))
            self.qm.put(queue, entry.body, persistent=True, priority=entry.priority)
        return unit

    def outside(self, verb: Any, model: Model) -> None:
        contextvars.Context().run(verb, model)

    def move(self, model: Model) -> None:
        self.outside(self._move, model)

    def _move(self, model: Model) -> None:
        unit = self.fill(model)
        model.commit(unit)
        self.qm.commit()

    def back_out(self, model: Model) -> None:
        self.outside(self._back_out, model)

    def _back_out(self, model: Model) -> None:
        unit = self.fill(model)
        model.back_out(unit)
        self.qm.backout()

    def prepare(self, model: Model) -> None:
        self.outside(self._prepare, model)

    def _prepare(self, model: Model) -> None:
        unit = self.fill(model)
        xid = f"x{self.number}"
        model.prepared[xid] = unit
        self.qm.prepare(xid)

    def resolve(self, model: Model) -> None:
        for xid in sorted(model.prepared)[:1]:
            unit = model.prepared.pop(xid)
            commit = self.random.random() < 0.7
            (model.commit if commit else model.back_out)(unit)
            (self.qm.commit_prepared if commit else self.qm.backout_prepared)(xid)

    def checkpoint(self, model: Model) -> None:
        self.qm.checkpoint()

    def spill(self, model: Model) -> None:
        checkpointing.spill(self.qm.host)


def found(qm: Any) -> tuple[dict[str, list[bytes]], dict[str, tuple[int, int]]]:
    """Return what stands on the queues, and the prepared units with their puts and gets."""
    shown = {name: [m.body for m in qm.browse(name)] for name in QUEUES}
    return shown, {unit["xid"]: (unit["puts"], unit["gets"]) for unit in qm.prepared()}


def expected(model: Model) -> tuple[dict[str, list[bytes]], dict[str, tuple[int, int]]]:
    shown = {name: [e.body for e in model.visible(name)] for name in QUEUES}
    return shown, {xid: (len(unit.puts), len(unit.gets)) for xid, unit in model.prepared.items()}


def verify(work: Workload) -> None:
    """Restart without faults: one of the two states, whole; then finish prepared units and look again."""
    with penstock.embed("QM1", home=work.home) as qm:
        now = found(qm)
        states = [model for model in (work.before, work.after) if expected(model) == now]
        assert states, f"neither before nor after: {summary(now, work)}"
        check_counts(qm, work.before)
        model = copy.deepcopy(states[0])
        qm.host.abandon()
    with penstock.embed("QM1", home=work.home) as qm:
        assert found(qm) == now, "a second restart found something else"
        for xid in sorted(model.prepared):
            model.commit(model.prepared.pop(xid))
            qm.commit_prepared(xid)
        qm.host.abandon()
    with penstock.embed("QM1", home=work.home) as qm:
        for name in QUEUES:
            taken = [m.body for m in qm.get_many(name, 1000)]
            assert taken == [e.body for e in model.visible(name)], name


def check_counts(qm: Any, confirmed: Model) -> None:
    """Backout counts are not lower than confirmed."""
    counts = {m.body: m.backout_count for name in QUEUES for m in qm.browse(name)}
    for entries in confirmed.queues.values():
        for entry in entries:
            assert counts.get(entry.body, entry.count) >= entry.count, entry.body[:6]


def summary(now: Any, work: Workload) -> str:
    def short(state: Any) -> Any:
        return {name: [body[:6] for body in bodies] for name, bodies in state[0].items()}, state[1]

    return f"found {short(now)}\nbefore {short(expected(work.before))}\nafter {short(expected(work.after))}"
