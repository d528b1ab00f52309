"""Verbs, units of work, prepared units, checkpoints, clean restarts and crashes against a small model.

The model is a dozen lists; the queue manager has a log of tiny files and buffers of a few messages, so
that it spills and rolls over all the time. A crash is `host.abandon()`: no checkpoint, no farewell.
Checkpoints are also taken with verbs running in their middle, between snapshot and disk, because that
is what other threads do. For the same reason everything that can go to disk goes there again after each read,
before the call that it was for has looked.
"""

from __future__ import annotations

import contextvars
import shutil
import tempfile
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import penstock
from penstock.host import checkpointing
from tests.property import lanes
from tests.property.model import QUEUES, Entry, Model, Unit

queues = st.sampled_from(QUEUES)
slots = st.sampled_from((0, 1, 2))  # 0 is outside units; 1 and 2 are contexts with units of their own
correls = st.sampled_from((None, b"x" * 24, b"y" * 24))


_bring_in = checkpointing.bring_in


def bring_in_and_spill(host: Any, window: Any) -> None:
    _bring_in(host, window)
    checkpointing.spill(host)


class QueueManagerMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        checkpointing.bring_in = bring_in_and_spill
        self.home = tempfile.mkdtemp(prefix="penstock-property-")
        self.model = Model()
        self.number = 0
        self.contexts: dict[int, contextvars.Context] = {}
        self.qm = penstock.embed(
            "QM1",
            create=True,
            home=self.home,
            file_pages=64,
            primary_files=2,
            secondary_files=3,
            default_q_buffer_size=2000,
            default_pq_buffer_size=2000,
        )
        self.qm.mqsc(
            "DEFINE QLOCAL(PRIO) MSGDLVSQ(PRIORITY)\n"
            "DEFINE QLOCAL(FIFO) MSGDLVSQ(FIFO)\n"
            "DEFINE QLOCAL(HIGH) MSGDLVSQ(FIFO) NPMCLASS(HIGH)"
        )

    def teardown(self) -> None:
        checkpointing.bring_in = _bring_in
        self.qm.host.abandon()
        shutil.rmtree(self.home)

    def run(self, slot: int, verb: Any, *args: Any, **details: Any) -> Any:
        if not slot:
            return verb(*args, **details)
        if slot not in self.contexts:
            self.contexts[slot] = contextvars.copy_context()
        if slot not in self.model.units:
            self.model.units[slot] = Unit()
            self.contexts[slot].run(self.qm.begin)
        return self.contexts[slot].run(verb, *args, **details)

    # -- verbs -----------------------------------------------------------------------------

    @rule(
        queue=queues,
        slot=slots,
        persistent=st.booleans(),
        priority=st.integers(0, 3),
        correl_id=correls,
        size=st.sampled_from((20, 700, 3000)),
        copies=st.sampled_from((1, 1, 1, 70)),
    )
    def put(
        self,
        queue: str,
        slot: int,
        persistent: bool,
        priority: int,
        correl_id: bytes | None,
        size: int,
        copies: int,
    ) -> None:
        for _ in range(copies):
            self.number += 1
            entry = Entry(b"%06d" % self.number + bytes(size), persistent, priority, correl_id)
            self.run(
                slot,
                self.qm.put,
                queue,
                entry.body,
                persistent=persistent,
                priority=priority,
                correl_id=correl_id,
            )
            if slot:
                self.model.units[slot].puts.append((queue, entry))
            else:
                self.model.show(queue, entry)

    @rule(queue=queues, slot=slots, correl_id=correls, times=st.sampled_from((1, 1, 40)))
    def get(self, queue: str, slot: int, correl_id: bytes | None, times: int) -> None:
        for _ in range(times):
            message = self.run(slot, self.qm.get, queue, correl_id=correl_id)
            unit = self.model.units[slot] if slot else None
            entry = self.model.candidate(queue, unit, correl_id)
            assert (None if message is None else message.body) == (None if entry is None else entry.body)
            if entry is not None:
                self.model.get(queue, entry, unit)

    @rule(slot=st.sampled_from((1, 2)), commit=st.booleans())
    def end(self, slot: int, commit: bool) -> None:
        unit = self.model.units.pop(slot, None)
        if unit is not None:
            self.contexts[slot].run(self.qm.commit if commit else self.qm.backout)
            (self.model.commit if commit else self.model.back_out)(unit)

    @rule(slot=st.sampled_from((1, 2)))
    def prepare(self, slot: int) -> None:
        unit = self.model.units.pop(slot, None)
        if unit is not None:
            self.number += 1
            self.contexts[slot].run(self.qm.prepare, f"x{self.number}")
            self.model.prepared[f"x{self.number}"] = unit

    @precondition(lambda self: self.model.prepared)
    @rule(commit=st.booleans(), data=st.data())
    def resolve(self, commit: bool, data: st.DataObject) -> None:
        self.settle(data.draw(st.sampled_from(sorted(self.model.prepared))), commit)

    def settle(self, xid: str, commit: bool) -> None:
        unit = self.model.prepared.pop(xid)
        (self.qm.commit_prepared if commit else self.qm.backout_prepared)(xid)
        (self.model.commit if commit else self.model.back_out)(unit)

    @rule(queue=queues, backwards=st.booleans())
    def peek(self, queue: str, backwards: bool) -> None:
        entries = sorted(self.model.queues[queue], key=lambda e: -e.lane)
        rows = self.qm.peek(queue, backwards=backwards, count=5000, body_bytes=8000)
        seen = [entry.body for entry in (reversed(entries) if backwards else entries)]
        assert [row.message.body for row in rows] == seen

    @rule()
    def spill(self) -> None:
        checkpointing.spill(self.qm.host)

    @rule(queue=queues)
    def clear(self, queue: str) -> None:
        touched = [*self.model.units.values(), *self.model.prepared.values()]
        busy = any(q == queue for unit in touched for q, _ in (*unit.puts, *unit.gets))
        reply = self.qm.mqsc(f"CLEAR QLOCAL({queue})")[0]
        assert reply.failed == busy
        if not busy:
            self.model.queues[queue] = []

    @rule(queue=st.sampled_from(("PRIO", "FIFO")))
    def alter(self, queue: str) -> None:
        changed = not self.model.by_priority[queue]
        self.model.by_priority[queue] = changed
        self.qm.mqsc(f"ALTER QLOCAL({queue}) MSGDLVSQ({'PRIORITY' if changed else 'FIFO'})")

    # -- accidents -------------------------------------------------------------------------

    @rule()
    def checkpoint(self) -> None:
        self.qm.checkpoint()

    @rule(
        stage=st.sampled_from(("_save", "_settle_removals", "_rewrite", "_mostly_dead_files")),
        verbs=st.lists(
            st.tuples(st.sampled_from(("put", "get", "commit", "backout", "resolve")), queues, slots),
            min_size=1,
            max_size=4,
        ),
        crash=st.booleans(),
    )
    def checkpoint_with_others_at_work(
        self, stage: str, verbs: list[tuple[str, str, int]], crash: bool
    ) -> None:
        waiting = list(verbs)
        original = getattr(checkpointing, stage)

        def meanwhile(host: Any, *args: Any) -> Any:
            host.files_lock.release()
            while waiting:
                self.work(*waiting.pop(0))
            host.files_lock.acquire()
            return original(host, *args)

        setattr(checkpointing, stage, meanwhile)
        try:
            self.qm.checkpoint()
        finally:
            setattr(checkpointing, stage, original)
        if crash:
            self.crash()

    def work(self, verb: str, queue: str, slot: int) -> None:
        if verb == "put":
            self.put(queue, slot, True, 1, None, 700, 3)
        elif verb == "get":
            self.get(queue, slot, None, 1)
        elif verb == "resolve":
            for xid in sorted(self.model.prepared)[:1]:
                self.settle(xid, slot != 2)
        else:
            self.end(slot or 1, verb == "commit")

    @rule()
    def crash(self) -> None:
        self.qm.host.abandon()
        self.open_again(clean=False)

    @rule()
    def stop_and_start(self) -> None:
        self.end(2, False)
        left = self.model.units.pop(1, None)
        self.qm.close()
        if left is not None:
            self.model.commit(left)
        self.open_again(clean=True)

    def open_again(self, clean: bool) -> None:
        self.contexts = {}
        self.model.restart(clean)
        self.qm = penstock.embed("QM1", home=self.home)

    # -- promises --------------------------------------------------------------------------

    @invariant()
    def queues_agree(self) -> None:
        for name in QUEUES:
            found = [(m.body, m.backout_count) for m in self.qm.browse(name)]
            assert found == [(e.body, e.count) for e in self.model.visible(name)], name

    @invariant()
    def lanes_are_sound(self) -> None:
        with self.qm.gate:
            for name in QUEUES:
                lanes.check(self.qm.engine.queues[name])

    @invariant()
    def depths_agree(self) -> None:
        open_units = [*self.model.units.values(), *self.model.prepared.values()]
        for name in QUEUES:
            puts = sum(1 for unit in open_units for queue, _ in unit.puts if queue == name)
            assert self.qm.engine.queues[name].depth == len(self.model.visible(name)) + puts

    @invariant()
    def prepared_units_agree(self) -> None:
        found = {unit["xid"]: (unit["puts"], unit["gets"]) for unit in self.qm.prepared()}
        assert found == {xid: (len(unit.puts), len(unit.gets)) for xid, unit in self.model.prepared.items()}


QueueManagerMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestQueueManager = QueueManagerMachine.TestCase


class LongMachine(QueueManagerMachine):
    pass


LongMachine.TestCase.settings = settings(max_examples=1500, stateful_step_count=60, deadline=None)
TestQueueManagerForLong = pytest.mark.soak(LongMachine.TestCase)
