"""The flows of an engine: their reservations, and their state in a checkpoint and after a restart.

`Reservations` adds the verbs. Each flow's last journal position is kept with it, so that a caller never
learns of a change that is not on disk yet.

Invariant: an output or a commit that a checkpoint may overtake is still in the journal behind it (`starts`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.status import ReservationFigures
from penstock.qmgr import records
from penstock.qmgr.batches import batch_outputs, batch_recovery, batch_takes
from penstock.qmgr.states import RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.batches.batch_state import Flow, OutputBatch, Reservation
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.restart.recovery import Recovery


class FlowBook:
    """The flows of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.flows: dict[str, Flow] = {}
        self.next_epoch = 1
        self.found: batch_recovery.Found = {}  # outputs, while a restart lasts
        self.numbers: set[int] = set()  # of the batches that a checkpoint knew

    def hold(self, held: Reservation, queue: Queue) -> None:
        """Hold the entries of a reservation on their queue, as a unit holds its gets."""
        for message in held.messages:
            queue.hold(message, RESERVED, held)
            queue.depth -= 1
            queue.uncommitted += 1

    # -- looking ---------------------------------------------------------------------------

    def listing(self) -> list[ReservationFigures]:
        """Return every flow with its reservation."""
        return [_listed(self.flows[name]) for name in sorted(self.flows)]

    def names(self) -> dict[int, str]:
        """Return the names of flows by the ids of their reservations."""
        return {id(held): state.name for state in self.flows.values() for held in state.held()}

    def reserved(self, queue: Queue) -> int:
        """Return how many messages of a queue are held for batches of flows."""
        return sum(_reserved_of(held, queue) for state in self.flows.values() for held in state.held())

    def holds(self, queue: Queue) -> bool:
        """Return whether a flow has reserved messages of a queue, or prepared some for it."""
        return any(_touches(held, queue) for state in self.flows.values() for held in state.held())

    # -- checkpoints and restart -----------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the state of flows for a checkpoint."""
        return {"next_epoch": self.next_epoch, "flows": [flow.state() for flow in self.flows.values()]}

    def unsaved(self) -> list[tuple[Message, int, int]]:
        """Return the prepared outputs that message files do not hold: message, queue id, unit."""
        return [
            (message, queue.id, -batch.number)
            for batch in self.batches()
            for queue, message in batch.outputs
            if message.persistent and not message.location
        ]

    def starts(self) -> list[int]:
        """Return journal positions that restart must not begin after.

        An output without a place in a message file exists only in the journal, and the snapshot that
        asks for a place may be overtaken by its commit.
        """
        ending = [held.start for state in self.flows.values() for held in state.ending]
        return ending + [batch.start for batch in self.batches() if batch.start and not batch.saved]

    def restore(self, state: dict[str, Any], recovery: Recovery) -> None:
        batch_recovery.restore(self, state)

    def load(self, message: Message, queue_id: int, unit: int) -> bool:
        return batch_recovery.load(self, message, queue_id, unit)

    def replay(self, kind: int, payload: Any, recovery: Recovery) -> None:
        batch_recovery.replay(self, kind, payload, recovery)

    def held_seqs(self) -> Iterator[int]:
        """Yield the sequence numbers of visible messages that batches hold, while a restart is under way."""
        return batch_recovery.held_seqs(self)

    def finish_recovery(self, recovery: Recovery) -> None:
        batch_recovery.finish(self, recovery)

    # -- for the verbs ---------------------------------------------------------------------

    def _flow(self, flow: str) -> Flow:
        state = self.flows.get(flow)
        if state is None:
            raise error(mq.PSRC_RESERVATION_UNKNOWN, f"there is no flow {flow}", flow=flow)
        return state

    def _current(self, flow: str, epoch: int) -> Flow:
        state = self._flow(flow)
        if epoch != state.epoch:
            detail = f"flow {flow} is at epoch {state.epoch}; {epoch} may not go on"
            raise error(mq.PSRC_EPOCH_STALE, detail, flow=flow, epoch=state.epoch)
        return state

    def _reservation(self, state: Flow, n: int) -> Reservation | None:
        """Return reservation n; None if it is recorded, 8030 if it is unknown."""
        if n <= state.recorded:
            return None
        held = state.outstanding
        if held is None or n != held.n:
            detail = f"flow {state.name} has no reservation {n}; {state.recorded} is recorded"
            raise error(mq.PSRC_RESERVATION_UNKNOWN, detail, flow=state.name, recorded=state.recorded)
        return held

    def _take_epoch(self) -> int:
        epoch = self.next_epoch
        self.next_epoch += 1
        return epoch

    def _drop_batches(self, held: Reservation | None, now: float) -> None:
        if held is not None:
            for batch in held.all_batches():
                batch_outputs.drop(self.engine, batch)
            taken = [message for batch in held.all_batches() for message in batch.takes]
            held.batches, held.parts = {}, {}
            batch_takes.let_go(self.engine, held, taken, now)

    def batches(self) -> list[OutputBatch]:
        return [b for flow in self.flows.values() for held in flow.held() for b in held.all_batches()]

    def _log(self, state: Flow, value: tuple[Any, ...]) -> None:
        position = self.engine.journal.append(records.FLOW, records.pack_value(value), b"")
        self.engine.step.wait_for(position)
        state.position = position

    def _wait_for(self, state: Flow) -> None:
        """Make the caller wait until the answer is on disk."""
        self.engine.step.wait_for(max(self.engine.step.position, state.position))


def _reserved_of(held: Reservation, queue: Queue) -> int:
    own = len(held.messages) if held.queue_id == queue.id else 0
    takes = (message for batch in held.all_batches() for message in batch.takes)
    return own + len({id(message) for message in takes if message.queue is queue})


def _touches(held: Reservation, queue: Queue) -> bool:
    if held.queue_id == queue.id and held.messages:
        return True
    batches = held.all_batches()
    if any(message.queue is queue for batch in batches for message in batch.takes):
        return True
    return any(target is queue for batch in batches for target, _ in batch.outputs)


def _listed(state: Flow) -> ReservationFigures:
    held = state.outstanding
    messages = held.messages if held is not None else []
    return ReservationFigures(
        flow=state.name,
        epoch=state.epoch,
        recorded=state.recorded,
        n=None if held is None else held.n,
        queue=None if held is None else held.queue_name,
        rows=len(messages),
        bytes=sum(message.length for message in messages),
        since=None if held is None else held.since,
        oldest=min((message.put_time for message in messages), default=None),
        prepared=0 if held is None else len(held.batches),
    )
