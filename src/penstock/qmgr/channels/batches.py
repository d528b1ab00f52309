"""The batches of a sending end: prepared units, their names, and how they are decided.

A batch is a unit of work that got messages from a transmission queue. It is prepared before the receiving
end is asked to commit, so a restart finds it again with its messages held. Its LUWID is the number of that
unit: the PREPARE record has it, and no restart gives it to another unit. Programs cannot decide such units
(`prepared`); the receiving end's answer does, or RESOLVE CHANNEL.
`Engine.in_doubt` has them by channel, so that the start of a channel looks at no other's.
Invariants: all batches of a channel are decided in one call, before anybody can get between them. A batch
that is backed out counts as no backout of its messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import prepared
from penstock.qmgr.channels import arrivals
from penstock.qmgr.channels.sync_book import NONE, RECEIVER, SENDER, SyncRecord

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Batch:
    """A prepared batch: the sequence numbers of its messages, and who it is for."""

    luwid: int
    first: int
    last: int
    channel: str
    partner: str  # QMID

    def messages(self, wrap: int) -> int:
        """Return how many messages it has; behind the number `wrap` (SEQWRAP) comes 1."""
        return (self.last - self.first) % wrap + 1


def prepare(
    engine: Engine, unit: UnitOfWork, channel: str, partner: str, first: int, last: int, now: float
) -> Batch:
    """Prepare a batch; the receiving end may be asked to commit it when `engine.step.position` is on disk."""
    batch = Batch(unit.number, first, last, channel, partner)
    prepared.prepare_batch(engine, unit, name_of(batch), now)
    _enter(engine, batch, unit)
    return batch


def restore(engine: Engine, xid: str, unit: UnitOfWork) -> None:
    """Note a prepared unit that a restart has found, if it is a batch."""
    batch = batch_of(xid)
    if batch is not None:
        _enter(engine, batch, unit)


def _enter(engine: Engine, batch: Batch, unit: UnitOfWork) -> None:
    engine.in_doubt.setdefault(batch.channel, {})[batch] = unit


def _leave(engine: Engine, batch: Batch) -> None:
    of_channel = engine.in_doubt.get(batch.channel, {})
    of_channel.pop(batch, None)
    if not of_channel:
        engine.in_doubt.pop(batch.channel, None)


def name_of(batch: Batch) -> str:
    """Return the name of a batch as a prepared unit."""
    numbers = f"{batch.luwid}:{batch.first}:{batch.last}"  # with SEQWRAP the last two may come again
    return f"{prepared.BATCH_PREFIX}{numbers}:{batch.channel}:{batch.partner}"


def batch_of(xid: str | None) -> Batch | None:
    """Return the batch of a prepared unit, by its name; None for other units."""
    if xid is None or not prepared.is_batch(xid):
        return None
    luwid, first, last, channel, partner = xid.removeprefix(prepared.BATCH_PREFIX).split(":", 4)
    return Batch(int(luwid), int(first), int(last), channel, partner)


def in_doubt(engine: Engine, channel: str) -> list[Batch]:
    """Return the prepared batches of a channel, oldest first."""
    return sorted(engine.in_doubt.get(channel, ()), key=lambda batch: batch.luwid)


def commit(engine: Engine, batch: Batch, now: float) -> None:
    """Let the messages of a batch go: the receiving end has them."""
    engine.commit(engine.in_doubt[batch.channel][batch], now)
    _leave(engine, batch)
    engine.sync_book.committed_at_sender(batch.channel, batch.partner, batch.luwid, batch.last)


def back_out(engine: Engine, unit: UnitOfWork, now: float) -> None:
    """Return the messages of a batch, prepared or not, to their places, with the backout counts they had.

    Messages that are not on disk yet become available when they are.
    """
    arrivals.return_taken(engine, unit)
    for message in unit.gets:
        message.backout_count -= 1  # the back-out adds 1
    engine.backout(unit, now)
    batch = batch_of(unit.xid)
    if batch is not None:
        _leave(engine, batch)


def decide(engine: Engine, channel: str, commit_count: int, now: float) -> None:
    """Commit the oldest batches of a channel and back out the rest, the youngest first."""
    batches = in_doubt(engine, channel)
    for batch in batches[:commit_count]:
        commit(engine, batch, now)
    for batch in reversed(batches[commit_count:]):
        back_out(engine, engine.in_doubt[channel][batch], now)


def resynchronise(
    engine: Engine, channel: str, partner: str, committed: SyncRecord, now: float, of_cluster: bool = False
) -> None:
    """Decide every batch in doubt by the record of the receiving end; 8071 when the records do not agree.

    `committed` is that record, durable there; nothing changes when this raises. Of a cluster channel the
    receiving end's record is used instead: it was restored, or is another queue manager now.
    """
    batches = in_doubt(engine, channel)
    last = engine.sync_book.find(SENDER, channel, partner)
    foreign = [batch for batch in batches if batch.partner != partner]
    if foreign and not of_cluster:
        detail = f"{len(foreign)} batch(es) are in doubt with {foreign[0].partner}, and {partner} answered"
        raise error(mq.PSRC_CHANNEL_OUT_OF_STEP, f"channel {channel}: {detail}", channel=channel)
    known = [(last.luwid, last.seq), *((batch.luwid, batch.last) for batch in batches)]
    for count in range(len(known) - 1, -1, -1):
        if known[count] == (committed.luwid, committed.seq):
            decide(engine, channel, count, now)
            return
    if of_cluster:
        text = f"Channel {channel}: {partner} has committed {_pair(committed.luwid, committed.seq)}, which"
        text += f" this end does not know; {len(batches)} batch(es) in doubt are sent again."
        engine.wishes.notices.append(("AMQ9526W", text))
        decide(engine, channel, 0, now)
        engine.sync_book.write(SENDER, channel, partner, SyncRecord(committed.luwid, committed.seq))
        return
    raise error(
        mq.PSRC_CHANNEL_OUT_OF_STEP,
        f"channel {channel}: the last batch here is {_pair(last.luwid, last.seq)}, in doubt are"
        f" {', '.join(_pair(b.luwid, b.last) for b in batches) or 'none'}; {partner} has committed"
        f" {_pair(committed.luwid, committed.seq)}",
        channel=channel,
    )


def _pair(luwid: int, seq: int) -> str:
    return f"LUWID {luwid:016X} number {seq}"


def resolve(engine: Engine, channel: str, commits: bool, luwid: int | None, now: float) -> int:
    """RESOLVE CHANNEL: decide batches in doubt by hand; return their number.

    With a LUWID the batches up to it are committed and later ones backed out. 8072 when nothing is in doubt
    or the LUWID is none of theirs.
    """
    batches = in_doubt(engine, channel)
    decide(engine, channel, to_commit(batches, channel, commits, luwid), now)
    return len(batches)


def to_commit(batches: list[Batch], channel: str, commits: bool, luwid: int | None) -> int:
    """Return how many batches in doubt RESOLVE CHANNEL commits, the oldest first; see `resolve`."""
    if not batches:
        raise error(mq.PSRC_CHANNEL_REFUSED, f"channel {channel} has no batch in doubt", channel=channel)
    if luwid is None:
        return len(batches) if commits else 0
    known = [batch.luwid for batch in batches]
    if luwid not in known:
        listed = ", ".join(f"{each:016X}" for each in known)
        detail = f"{luwid:016X} is no batch in doubt of channel {channel}: {listed}"
        raise error(mq.PSRC_CHANNEL_REFUSED, detail, channel=channel)
    return known.index(luwid) + 1


def reset_sender(engine: Engine, channel: str, partner: str, number: int) -> None:
    """RESET CHANNEL at a sending end: the next message has this number, at both ends from the next start."""
    if in_doubt(engine, channel):
        raise error(mq.MQRCCF_CHANNEL_INDOUBT, f"channel {channel} has batches in doubt", channel=channel)
    known = engine.sync_book.find(SENDER, channel, partner)
    record = SyncRecord(known.luwid, number - 1, known.incarnation, number)
    engine.sync_book.write(SENDER, channel, partner, record)


def reset_receiver(engine: Engine, channel: str, partner: str, number: int) -> None:
    """RESET CHANNEL at a receiving end: the next message has this number, here only."""
    known = engine.sync_book.find(RECEIVER, channel, partner)
    record = SyncRecord(known.luwid, number - 1, known.incarnation)
    if known is not NONE or number != 1:
        engine.sync_book.write(RECEIVER, channel, partner, record)
