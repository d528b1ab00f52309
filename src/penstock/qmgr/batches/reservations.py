"""Reservations: exactly-once batches for an engine outside, such as Spark, that may run a batch again.

A flow reserves messages as batch n+1, reads them by slice, once or several times, prepares outputs under
(slice, attempt), and commits: inputs go, winning outputs appear, n+1 is recorded, in one journal record.
Every start of a flow takes a new epoch, and callers of an older one are refused. Nothing here counts
against MAXUMSGS or raises a backout count. Verbs only: the state is in `batch_book` and `batch_state`.

Invariant: the answer of a verb holds once `engine.step.position` is on disk. Non-persistent messages,
reserved or prepared, are lost with the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.names import check_label
from penstock.model.onward import shown
from penstock.qmgr.batches import batch_outputs, batch_takes
from penstock.qmgr.batches.batch_book import FlowBook
from penstock.qmgr.batches.batch_state import (
    COMMIT,
    EPOCH,
    FORGET,
    PREPARE,
    RELEASE,
    RESERVE,
    Flow,
    OutputBatch,
    Reservation,
)
from penstock.qmgr.batches.private_queues import check_private
from penstock.qmgr.batches.reserving import choose
from penstock.qmgr.getting import check_inhibited
from penstock.qmgr.queue import count_got
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.model.message import Message
    from penstock.qmgr.batches.batch_state import Attempt
    from penstock.qmgr.batches.batch_takes import Take
    from penstock.qmgr.queue import Queue

NAME_LENGTH_MAX = 128
FLOWS_MAX = 4096
SLICES_MAX = 100_000
ATTEMPT_MAX = (1 << 63) - 1
LOOK_BYTES_MAX = 100 << 20  # as much as one message may have
BATCHES_MAX = 100_000  # attempts that have prepared outputs for one reservation


class Reservations(FlowBook):
    """The verbs of flows."""

    # -- the life of a flow ----------------------------------------------------------------

    def new_epoch(self, flow: str, now: float) -> int:
        """Take over a flow: older epochs are refused from now on, and their prepared outputs are dropped."""
        state = self.flows.get(flow) or self._new_flow(flow)
        state.epoch = self._take_epoch()
        self._log(state, (EPOCH, flow, state.epoch))
        self._drop_batches(state.outstanding, now)  # available after the epoch is logged
        self._wait_for(state)
        return state.epoch

    def _new_flow(self, flow: str) -> Flow:
        check_label(flow, NAME_LENGTH_MAX, mq.PSRC_ARGUMENT_ERROR, "a flow's name")
        if len(self.flows) >= FLOWS_MAX:
            raise error(
                mq.PSRC_ARGUMENT_ERROR, f"there are {FLOWS_MAX} flows already; forget one that is not used"
            )
        self.flows[flow] = Flow(flow)
        return self.flows[flow]

    def recorded(self, flow: str) -> int:
        """Return the number of the last committed batch; 0 for an unknown flow."""
        state = self.flows.get(flow)
        if state is None:
            return 0
        self._wait_for(state)
        return state.recorded

    def forget(self, flow: str, now: float) -> None:
        """Forget a flow and its recorded number; 2042 while it holds messages."""
        state = self._flow(flow)
        if any(held.messages or held.all_batches() for held in state.held()):
            raise error(mq.MQRC_OBJECT_IN_USE, f"flow {flow} has a reservation", flow=flow)
        del self.flows[flow]
        self._log(state, (FORGET, flow))

    # -- the steps of a batch --------------------------------------------------------------

    def begin(self, flow: str, n: int, now: float) -> dict[str, Any]:
        """Open batch n of a flow that has no inputs here, only outputs; a number may leave a gap.

        The same n is the same batch, and a recorded one stays ended. 8032 while another batch is open.
        """
        if not isinstance(n, int) or not 0 < n <= ATTEMPT_MAX:
            raise error(mq.PSRC_ARGUMENT_ERROR, f"a batch has a number from 1 to {ATTEMPT_MAX}, not {n}")
        state = self.flows.get(flow)
        if state is None:
            self.new_epoch(flow, now)
            state = self.flows[flow]
        held = state.outstanding
        if n > state.recorded and held is None:
            state.outstanding = Reservation(n, 0, "", [], [], now)
            self._log(state, (RESERVE, flow, state.outstanding.state()))
        elif n > state.recorded and held is not None and (held.n != n or held.queue_id):
            detail = f"flow {flow} has batch {held.n} open; it cannot begin {n}"
            raise error(mq.PSRC_RESERVATION_ORDER, detail, flow=flow, recorded=state.recorded, n=held.n)
        self._wait_for(state)
        return {"n": n, "epoch": state.epoch, "recorded": n <= state.recorded}

    def reserve(
        self,
        flow: str,
        queue_name: str,
        after: int,
        max_rows: int,
        max_bytes: int,
        epoch: int,
        now: float,
        ends_previous: bool = False,
    ) -> dict[str, Any]:
        """Hold the next messages of a queue as reservation `after` + 1; the same `after` gives the same.

        With nothing available no reservation is made and n stays `after`. `ends_previous` is for sinks
        that are not ours: a request after reservation n means that n is done. Raises 8032 out of turn.
        """
        state = self._current(flow, epoch)
        held = state.outstanding
        if held is not None and after == held.n and ends_previous:
            self.commit(flow, after, {}, epoch, now)
            held = None
        if after != state.recorded:
            detail = f"flow {flow} has recorded {state.recorded}; it cannot go on after {after}"
            raise error(mq.PSRC_RESERVATION_ORDER, detail, flow=flow, recorded=state.recorded, after=after)
        if held is None:
            held = self._new_reservation(state, queue_name, max_rows, max_bytes, now)
        self._wait_for(state)
        if held is None:
            return {"n": after, "rows": 0, "bytes": 0, "queue": queue_name}
        messages = held.messages
        size = sum(message.length for message in messages)
        return {"n": held.n, "rows": len(messages), "bytes": size, "queue": held.queue_name}

    def _new_reservation(
        self, state: Flow, queue_name: str, max_rows: int, max_bytes: int, now: float
    ) -> Reservation | None:
        if max_rows < 0 or max_bytes < 0:
            raise error(mq.PSRC_ARGUMENT_ERROR, "max_rows and max_bytes are at least 0, which means no limit")
        queue = self._input(queue_name, now)
        chosen = choose(self.engine, queue, max_rows, max_bytes, now)
        if not chosen:
            return None
        entries: list[Message | None] = []
        joined: list[int] = []
        for whole in chosen:
            joined += range(len(entries) + 1, len(entries) + len(whole))
            entries += whole
        seqs = [message.seq if message is not None else 0 for message in entries]
        held = Reservation(state.recorded + 1, queue.id, queue.name, seqs, joined, now, entries)
        self._log(state, (RESERVE, state.name, held.state()))
        state.outstanding = held
        queue.last_get = now
        self.hold(held, queue)
        for message in held.messages:
            count_got(queue, message, now)
        return held

    def _input(self, name: str, now: float) -> Queue:
        route = self.engine.resolve(name)
        if route.queue is None or route.remote:
            raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, f"{name} is not a local queue", object=name)
        check_private(route.queue)
        check_inhibited(self.engine, route, now)
        if route.queue.exclusive:
            raise error(mq.MQRC_OBJECT_IN_USE, f"queue {name} is open for exclusive input", object=name)
        return route.queue

    def read_slice(
        self,
        flow: str,
        n: int,
        slice: int,
        slices: int,
        epoch: int,
        start: int = 0,
        count: int | None = None,
    ) -> list[Message]:
        """Return the messages of one slice, the same at every call; a recorded n reads as empty.

        `start` and `count` read a large slice in parts. When bodies are in message files the answer is
        empty and `engine.step.to_load` holds the bodies to read before the next call.
        """
        state = self._current(flow, epoch)
        if not 0 < slices <= SLICES_MAX or not 0 <= slice < slices or start < 0:
            raise error(mq.PSRC_ARGUMENT_ERROR, f"slice {slice} of {slices} from {start} cannot be")
        held = self._reservation(state, n)
        self._wait_for(state)
        if held is None:
            return []
        messages = held.slice(slice, slices)[start : None if count is None else start + count]
        spilled = [message for message in messages if message.body is None]
        if spilled:
            self.engine.step.load(spilled)
            return []
        return [_handed_out(message, held.since) for message in messages]

    def look(
        self,
        flow: str,
        n: int,
        queue_name: str,
        epoch: int,
        now: float,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
    ) -> list[tuple[int, Message]]:
        """Return messages of another queue that batch n could take, by an id, each with its number.

        Nothing is held: `prepare_outputs` does that with those that are named to it. Bodies in message
        files are asked for as in `read_slice`. Nothing for a recorded n; 8042 for several that
        are too much together.
        """
        held = self._reservation(self._current(flow, epoch), n)
        if held is None:
            return []
        match = Match(correl_id=correl_id or b"") if msg_id is None else Match(msg_id)
        messages = batch_takes.found(self._input(queue_name, now), held, match)
        if messages is None:
            self.engine.step.load([])
            return []
        if len(messages) > 1 and sum(message.length for message in messages) > LOOK_BYTES_MAX:
            raise error(
                mq.PSRC_ARGUMENT_ERROR,
                f"the messages of this id on {queue_name} are more than a look may bring",
            )
        if spilled := [message for message in messages if message.body is None]:
            self.engine.step.load(spilled)
            return []
        return [(batch_takes.number_of(message), shown(message.snapshot())) for message in messages]

    def prepare_outputs(
        self,
        flow: str,
        n: int,
        slice: int,
        attempt: Attempt,
        outputs: Sequence[tuple[str, Message]],
        epoch: int,
        now: float,
        start: int = 0,
        more: bool = False,
        takes: Sequence[Take] = (),
    ) -> None:
        """Store the outputs of an attempt at a slice, invisible until a commit names it the winner.

        A repeated call replaces what the same attempt prepared. Many outputs may be sent in parts: with
        `more` others follow, `start` is the index of this part. Queues may be full; what else forbids an
        output raises as a put would. `takes` names messages that the attempt has looked at and that go with
        the commit; 8321 when one is not to be had. For a recorded n there is nothing to do.
        """
        state = self._current(flow, epoch)
        held = self._reservation(state, n)
        if held is None:
            return
        _check_attempt(slice, attempt)
        taken = batch_takes.chosen(self.engine, held, slice, takes)
        batch = self._batch(held, slice, attempt, epoch, start)
        if len(batch.outputs) + len(outputs) > batch_outputs.OUTPUTS_MAX:
            raise error(
                mq.PSRC_ARGUMENT_ERROR, f"an attempt prepares at most {batch_outputs.OUTPUTS_MAX} outputs"
            )
        checked = batch_outputs.check(self.engine, outputs, now)
        batch_outputs.log(self.engine, batch, checked)
        self._replace(held, held.parts, batch, now)
        if more:  # answered when the part before is on disk: only the seal, which comes last, counts
            state.position = self.engine.journal.end
            self.engine.step.wait_for(batch.logged)
            batch.logged = state.position
            return
        batch_takes.hold(held, batch, taken)
        batch.sealed = True
        self._log(state, (PREPARE, flow, n, batch.state()))
        del held.parts[slice, attempt]
        self._replace(held, held.batches, batch, now)

    def _replace(
        self,
        held: Reservation,
        batches: dict[tuple[int, Attempt], OutputBatch],
        batch: OutputBatch,
        now: float,
    ) -> None:
        previous = batches.get((batch.slice, batch.attempt))
        if previous is not None and previous is not batch:
            batch_outputs.drop(self.engine, previous)
        batches[batch.slice, batch.attempt] = batch
        if previous is not None:
            batch_takes.let_go(self.engine, held, previous.takes, now)

    def _batch(self, held: Reservation, slice: int, attempt: Attempt, epoch: int, start: int) -> OutputBatch:
        """Return the batch that a part continues, or a new one."""
        if start:
            known = held.parts.get((slice, attempt))
            if known is None or len(known.outputs) != start:
                raise error(
                    mq.PSRC_RESERVATION_ORDER, f"attempt {attempt} of slice {slice} does not go on at {start}"
                )
            return known
        if len(held.batches) + len(held.parts) >= BATCHES_MAX:
            raise error(mq.PSRC_ARGUMENT_ERROR, f"{BATCHES_MAX} attempts have prepared outputs already")
        number = self.engine.next_unit
        self.engine.next_unit += 1
        return OutputBatch(number, slice, attempt, epoch, self.engine.journal.end)

    def commit(self, flow: str, n: int, winners: Mapping[int, Attempt], epoch: int, now: float) -> None:
        """End batch n: inputs go, the outputs of the winning attempts appear in slice order, n is recorded.

        For a recorded n there is nothing to do. 2053 or 2051 when an output queue takes no more: nothing
        has changed, try again. 8030 when a winner never prepared, or when outputs exist and none wins.
        """
        state = self._current(flow, epoch)
        held = self._reservation(state, n)
        if held is None:
            self._wait_for(state)
            return
        winning = _winning(held, winners)
        copies = batch_outputs.stream_copies(self.engine, winning, now)
        if self.engine.step.to_load:
            return
        appearing = [*winning, copies] if copies is not None else winning
        batch_outputs.check_room(self.engine, appearing, now)
        held.start = self.engine.journal.end
        if copies is not None:
            outputs, copies.outputs = copies.outputs, []
            batch_outputs.log(self.engine, copies, outputs)
        shown = [message.seq for batch in appearing for _, message in batch.outputs if message.persistent]
        gone = [seq for seq in held.seqs if seq]
        gone += [message.seq for batch in winning for message in batch.takes if message.seq]
        self._log(state, (COMMIT, flow, n, gone, shown))
        unit = batch_outputs.as_unit(self.engine, held, appearing, now)
        for batch in held.all_batches():
            if batch not in winning:
                batch_outputs.drop(self.engine, batch)
        lost = [message for batch in held.all_batches() for message in batch.takes]
        held.batches = {(batch.slice, batch.attempt): batch for batch in winning}
        held.parts = {}
        batch_takes.let_go(self.engine, held, lost, now)
        state.outstanding = None
        state.recorded = n
        state.ending.append(held)
        state.position = self.engine.journal.end
        self.engine.when_durable(lambda: self._ended(state, held, unit))

    def _ended(self, state: Flow, held: Reservation, unit: Any) -> None:
        state.ending.remove(held)
        self.engine.finish_commit(unit)

    def release(self, flow: str, n: int | None, now: float, epoch: int | None = None) -> int:
        """Give the messages of a batch back to their places; return how many.

        Backout counts stay. Whoever works on the batch is shut out by a new epoch; the number stays
        reserved, for nothing, so that a batch which is run again finds it empty. 8030 when n is committed.
        With an epoch, only its run may do that: 8031 when another has taken over.
        """
        state = self._flow(flow) if epoch is None else self._current(flow, epoch)
        held = state.outstanding
        if held is None or (n is not None and n != held.n):
            detail = f"flow {flow} has no reservation {'' if n is None else n} to release"
            if n is not None and n <= state.recorded:
                detail = f"batch {n} of flow {flow} is committed"
            raise error(mq.PSRC_RESERVATION_UNKNOWN, detail, flow=flow, recorded=state.recorded)
        messages = held.messages
        state.epoch = self._take_epoch()
        self._log(state, (RELEASE, flow, held.n, state.epoch))
        self._drop_batches(held, now)
        held.entries, held.seqs, held.joined = [], [], []
        for message in messages:
            message.queue.free(message)
            message.queue.depth += 1
            message.queue.gets_undone += 1
            message.queue.uncommitted -= 1
        if messages:
            self.engine.serve(messages[0].queue, now)
        return len(messages)


def _check_attempt(slice: Any, attempt: Any) -> None:
    """Refuse values that a journal record cannot hold, before anything is stored."""
    if not isinstance(slice, int) or not 0 <= slice < SLICES_MAX:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"slice {slice} cannot be")
    if isinstance(attempt, str):
        check_label(attempt, NAME_LENGTH_MAX, mq.PSRC_ARGUMENT_ERROR, "an attempt")
    elif not isinstance(attempt, int) or not 0 <= attempt <= ATTEMPT_MAX:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"an attempt is a text or a number from 0 to {ATTEMPT_MAX}")


def _handed_out(message: Message, since: float) -> Message:
    copy = message.snapshot()
    if message.expires_at:
        # the remainder when the batch began, so that a repeated batch computes the same
        copy.remaining = message.expires_at - since
    return shown(copy)


def _winning(held: Reservation, winners: Mapping[int, Attempt]) -> list[OutputBatch]:
    found = []
    for slice in sorted(winners):
        batch = held.batches.get((slice, winners[slice]))
        if batch is None:
            detail = f"attempt {winners[slice]} of slice {slice} has not prepared its outputs for {held.n}"
            raise error(mq.PSRC_RESERVATION_UNKNOWN, detail, slice=slice, attempt=winners[slice])
        found.append(batch)
    if not winners and any(batch.outputs for batch in held.all_batches()):
        raise error(
            mq.PSRC_RESERVATION_UNKNOWN, f"outputs are prepared for {held.n}, but the commit names no winner"
        )
    return found
