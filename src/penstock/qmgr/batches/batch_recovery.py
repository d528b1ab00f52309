"""Restart of flows: from a checkpoint's state and journal records back to reservations.

The host feeds it through `recovery`. A record may repeat what the checkpoint contains, so each is
complete: a commit names the removed and the new messages by sequence number, and is replayed even when
its number is recorded, because the puts before it may have been replayed too. What was prepared and
never sealed, or belongs to no batch any more, is dropped at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr import records
from penstock.qmgr.batches import batch_takes
from penstock.qmgr.batches.batch_state import (
    EPOCH,
    FORGET,
    PREPARE,
    RELEASE,
    RESERVE,
    Flow,
    OutputBatch,
    Reservation,
)
from penstock.qmgr.states import UNCOMMITTED
from penstock.store.message_format import decode_head, head_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.batches.batch_book import FlowBook
    from penstock.qmgr.batches.batch_state import Attempt
    from penstock.qmgr.restart.recovery import Recovery

    Found = dict[int, tuple[Message, int, int]]  # seq -> output, queue id, number of its batch


def restore(flows: FlowBook, state: dict[str, Any]) -> None:
    """Restore the state from a checkpoint."""
    flows.next_epoch = state["next_epoch"]
    for item in state["flows"]:
        flow = flows.flows[item["flow"]] = Flow(item["flow"], item["epoch"], item["recorded"])
        if item["outstanding"] is not None:
            flow.outstanding = _reservation(item["outstanding"])
    flows.numbers = {batch.number for batch in flows.batches()}


def _reservation(item: dict[str, Any]) -> Reservation:
    held = Reservation(
        item["n"], item["queue_id"], item["queue_name"], item["seqs"], item["joined"], item["since"]
    )
    for batch in item["batches"]:
        _add_batch(held, *batch)
    return held


def _add_batch(
    held: Reservation, number: int, slice: int, attempt: Attempt, epoch: int, sealed: bool, *take_seqs: int
) -> None:
    batches = held.batches if sealed else held.parts
    batches[slice, attempt] = OutputBatch(number, slice, attempt, epoch, 0, sealed, take_seqs=take_seqs)


def load(flows: FlowBook, message: Message, queue_id: int, unit: int) -> bool:
    """Take an output from a message file; False when no batch has that number any more."""
    if -unit not in flows.numbers:
        return False
    flows.found[message.seq] = (message, queue_id, -unit)
    return True


def replay(flows: FlowBook, kind: int, payload: Any, recovery: Recovery) -> None:
    """Replay one journal record of a flow."""
    if kind == records.OUTPUT:
        _replay_output(flows, payload)
        return
    action, name, *rest = records.unpack_value(payload)
    if action == FORGET:
        flows.flows.pop(name, None)
        return
    flow = flows.flows.setdefault(name, Flow(name))
    if action == EPOCH:
        _replay_epoch(flows, flow, rest[0])
    elif action == RESERVE:
        _replay_reserve(flow, rest[0])
    elif action == PREPARE:
        _replay_prepare(flows, flow, *rest)
    elif action == RELEASE:
        _replay_release(flows, flow, *rest)
    else:
        _replay_commit(flows, flow, rest[0], rest[1], rest[2], recovery)


def _replay_output(flows: FlowBook, payload: Any) -> None:
    engine = flows.engine
    length, queue_id, unit = head_numbers(payload)
    body = bytes(payload[length:])
    message = decode_head(payload, body, len(body))
    engine.next_seq = max(engine.next_seq, message.seq + 1)
    engine.next_unit = max(engine.next_unit, 1 - unit)
    known = flows.found.setdefault(message.seq, (message, queue_id, -unit))
    known[0].body = body


def _replay_epoch(flows: FlowBook, flow: Flow, epoch: int) -> None:
    flow.epoch = max(flow.epoch, epoch)
    flows.next_epoch = max(flows.next_epoch, epoch + 1)
    held = flow.outstanding
    if held is not None:
        held.batches = {key: batch for key, batch in held.batches.items() if batch.epoch >= epoch}
        held.parts = {key: batch for key, batch in held.parts.items() if batch.epoch >= epoch}


def _replay_reserve(flow: Flow, item: dict[str, Any]) -> None:
    if item["n"] > flow.recorded:
        flow.outstanding = _reservation(item)


def _replay_prepare(flows: FlowBook, flow: Flow, n: int, item: list[Any]) -> None:
    number, epoch = item[0], item[3]
    flows.engine.next_unit = max(flows.engine.next_unit, number + 1)
    held = flow.outstanding
    if held is not None and held.n == n and epoch >= flow.epoch:
        _add_batch(held, *item)


def _replay_release(flows: FlowBook, flow: Flow, n: int, epoch: int) -> None:
    _replay_epoch(flows, flow, epoch)
    held = flow.outstanding
    if held is not None and held.n == n:
        held.seqs, held.joined = [], []


def _replay_commit(
    flows: FlowBook, flow: Flow, n: int, gone: list[int], shown: list[int], recovery: Recovery
) -> None:
    for seq in gone:
        recovery.remove(seq)
    for seq in shown:
        _show(flows, seq, recovery)
    if n > flow.recorded:
        flow.recorded = n
    if flow.outstanding is not None and flow.outstanding.n <= flow.recorded:
        flow.outstanding = None


def _show(flows: FlowBook, seq: int, recovery: Recovery) -> None:
    """Make a winning output visible; one that was visible before moves to its place in the replay."""
    found = flows.found.pop(seq, None)
    if found is not None:
        message, queue_id, _ = found
        recovery.owner[seq] = queue_id
        recovery.show(message, queue_id)
    elif (known := recovery.known(seq)) is not None:
        recovery.show(known.snapshot(), recovery.queue_of(seq))


def held_seqs(flows: FlowBook) -> Iterator[int]:
    """Yield the sequence numbers of visible messages that batches hold."""
    for flow in flows.flows.values():
        if flow.outstanding is not None:
            yield from (seq for seq in flow.outstanding.seqs if seq)
            for batch in flow.outstanding.batches.values():
                yield from batch.take_seqs


def finish(flows: FlowBook, recovery: Recovery) -> None:
    """Hold reserved messages again, give batches their outputs, drop what belongs to none."""
    outputs: dict[int, list[tuple[int, Message]]] = {}
    for seq in sorted(flows.found):
        message, queue_id, number = flows.found[seq]
        outputs.setdefault(number, []).append((queue_id, message))
    flows.found = {}
    for flow in flows.flows.values():
        if flow.outstanding is not None:
            _hold(flows, flow.outstanding, recovery)
            _attach(flows, flow.outstanding, outputs)
            _take_again(flow.outstanding, recovery)
    for left in outputs.values():
        for _, message in left:
            if message.location:
                flows.engine.wishes.discards.append(message.location)


def _hold(flows: FlowBook, held: Reservation, recovery: Recovery) -> None:
    queue = flows.engine.queues_by_id.get(held.queue_id)
    held.entries = []
    for seq in held.seqs:
        message = recovery.live.get(seq) if seq else None
        held.entries.append(message if message is not None and message.queue is queue else None)
    if queue is not None:
        flows.hold(held, queue)


def _attach(flows: FlowBook, held: Reservation, outputs: dict[int, list[tuple[int, Message]]]) -> None:
    held.parts = {}
    for batch in held.batches.values():
        for queue_id, message in outputs.pop(batch.number, []):
            queue = flows.engine.queues_by_id.get(queue_id)
            if queue is not None:
                message.state = UNCOMMITTED
                batch.outputs.append((queue, message))


def _take_again(held: Reservation, recovery: Recovery) -> None:
    """Hold the messages again that sealed attempts take; non-persistent ones are lost."""
    for batch in held.batches.values():
        found = (recovery.live.get(seq) for seq in batch.take_seqs)
        batch.takes = [message for message in found if message is not None]
        for message in batch.takes:
            batch_takes.hold_one(held, message)
