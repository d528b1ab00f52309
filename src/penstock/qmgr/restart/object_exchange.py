"""Two recoveries of one queue manager: compares their messages, and moves queues from one to the other.

For the recovery of single queues: one `Recovery` comes from the current checkpoint, the other from a media
image, both with the journal up to its end, neither finished. Messages are those on queues, those that open
units have put, and outputs of batches. What units have got is known by sequence number alone, and is found on
the queue that takes its place. It reads no file: `host.object_recovery` moves the bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.states import GONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.restart.recovery import Recovery


def persistent_messages(recovery: Recovery) -> dict[int, dict[int, Message]]:
    """Return the persistent messages by queue id and sequence number, with those that units hold."""
    found: dict[int, dict[int, Message]] = {}
    for seq, message in recovery.live.items():
        found.setdefault(recovery.queue_of(seq), {})[seq] = message
    for number in recovery.units:
        for seq, message in _unit_puts(recovery, number):
            found.setdefault(recovery.owner[seq], {})[seq] = message
    for seq, (message, queue_id, _) in _outputs(recovery):
        found.setdefault(queue_id, {})[seq] = message
    return found


def exchange(recovery: Recovery, other: Recovery, queue_ids: set[int]) -> None:
    """Replace the messages of queues by those of another recovery; non-persistent ones are dropped."""
    for queue_id in queue_ids:
        _exchange_queue(recovery, other, queue_id)
    for number, unit in recovery.units.items():
        for seq in [seq for seq in unit.puts if recovery.owner[seq] in queue_ids]:
            _discard(recovery, unit.puts.pop(seq))
        for seq, message in _unit_puts(other, number):
            if other.owner[seq] in queue_ids:
                unit.puts[seq] = message
                recovery.owner[seq] = other.owner[seq]
    held = recovery.engine.reservations.found
    for seq in [seq for seq, output in held.items() if output[1] in queue_ids]:
        _discard(recovery, held.pop(seq)[0])
    held.update((seq, output) for seq, output in _outputs(other) if output[1] in queue_ids)


def _exchange_queue(recovery: Recovery, other: Recovery, queue_id: int) -> None:
    for message in recovery.order.pop(queue_id, []):
        if message.state != GONE:
            recovery.live.pop(message.seq, None)
            _discard(recovery, message)
    found = [message for message in other.order.get(queue_id, []) if message.state != GONE]
    recovery.order[queue_id] = found
    for message in found:
        recovery.live[message.seq] = message
        recovery.owner.pop(message.seq, None)  # a visible message knows its queue itself


def _discard(recovery: Recovery, message: Message) -> None:
    message.state = GONE
    if message.location:
        recovery.engine.wishes.discards.append(message.location)


def _unit_puts(recovery: Recovery, number: int) -> Iterator[tuple[int, Message]]:
    unit = recovery.units.get(number)
    return iter(list(unit.puts.items()) if unit is not None else ())


def _outputs(recovery: Recovery) -> Iterator[tuple[int, tuple[Message, int, int]]]:
    """Yield the outputs of batches that are still prepared; others are dropped when a recovery finishes."""
    book = recovery.engine.reservations
    held = [flow.outstanding for flow in book.flows.values() if flow.outstanding is not None]
    numbers = {batch.number for each in held for batch in each.batches.values()}
    return iter([(seq, output) for seq, output in book.found.items() if output[2] in numbers])
