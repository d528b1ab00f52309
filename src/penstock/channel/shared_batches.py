"""The batches of a sending end whose transmission queue is shared: units that the group holds.

A batch is prepared when the facility holds it, and committed together with the synch record there. So a peer
that goes on with the channel finds both; it knows LUWIDs below its own only. If the facility is lost the link
ends: another member may have the channel by then. `OwnBatches` answers the same questions.
Invariant: nothing is sent for confirmation before the group holds it, nor got before all doubt is resolved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.channel import resynchronising
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.channels.batches import Batch, name_of
from penstock.qmgr.channels.sync_book import NONE, SyncRecord
from penstock.qmgr.sharing.wishes import Hold, Settle, Ticket
from penstock.qmgr.states import ACTIVE, COMMITTING

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.channel.resynchronising import Partner
    from penstock.model.errors import MQError
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork

USER = "channel"


class SharedBatches:
    """The batches of one shared channel on one link."""

    is_shared = True

    def __init__(self, engine: Engine, channel: str, known: Any, keep: Callable[[str, str], Any]) -> None:
        self._engine = engine
        self._sharing = engine.sharing
        self._channel = channel
        self._known = known
        self._keep = keep  # the identity of a partner, for later links
        self._life = self._sharing.incarnation
        self._next = known.link
        self._held: dict[Batch, Ticket] = {}
        self._deciding: list[Ticket] = []
        self._failed: Callable[[MQError], None] = lambda failure: None

    def identity(self) -> dict[str, Any]:
        """Return who sends: the group, whichever member it is."""
        return {
            "from": self._sharing.group,
            "qmid": self._known.qmid,
            "incarnation": self._known.qmid,
            "resets": resynchronising.resets_of(self._known.records),
        }

    def begin(self, failed: Callable[[MQError], None]) -> None:
        """Begin a link; `failed` is called when the facility is lost or refuses."""
        self._failed = failed
        self._sharing.on_lost[self] = self._lost

    def ended(self) -> None:
        """End a link."""
        self._failed = lambda failure: None
        self._sharing.on_lost.pop(self, None)

    def _lost(self) -> None:
        self._failed(_gone())

    def _check(self) -> None:
        if not self._sharing.connected or self._sharing.incarnation != self._life:
            raise _gone()

    # -- the beginning of a link -----------------------------------------------------------------

    def resynchronise(self, partner: Partner, committed: SyncRecord, now: float) -> None:
        """Have every batch in doubt decided by the other end's record."""
        self._check()
        record = self._known.records.get(partner.qmid, NONE)
        doubt: list[Batch] = self._known.in_doubt
        places = [(record.luwid, record.seq), *((each.luwid, each.last) for each in doubt)]
        foreign = [each for each in doubt if each.partner != partner.qmid]
        if foreign or (committed.luwid, committed.seq) not in places:
            shown = ", ".join(f"{luwid:016X} number {seq}" for luwid, seq in places)
            detail = f"the group knows {shown}; {partner.qmid} has committed {committed.luwid:016X}"
            raise error(
                mq.PSRC_CHANNEL_OUT_OF_STEP,
                f"shared channel {self._channel}: {detail} number {committed.seq}",
                channel=self._channel,
            )
        count = places.index((committed.luwid, committed.seq))
        self._known.records[partner.qmid] = replace(record, luwid=committed.luwid, seq=committed.seq, reset=0)
        if record.incarnation != partner.incarnation or record.reset:
            self._keep(partner.qmid, partner.incarnation)
        self._deciding = [self._settle(each, place < count) for place, each in enumerate(doubt)]
        self._known.in_doubt.clear()

    def when_resolved(self, action: Callable[[], None]) -> None:
        """Call something when no batch is in doubt any more; the engine is held."""
        self._when_all(self._deciding, action)

    def _when_all(self, tickets: list[Ticket], action: Callable[[], None]) -> None:
        if not tickets:
            action()
            return
        ticket = tickets.pop()
        self._when(ticket, lambda: self._when_all(tickets, action))

    def _when(self, ticket: Ticket, action: Callable[[], None]) -> None:
        def done() -> None:
            if ticket.failure is not None:
                self._failed(ticket.failure)
            else:
                action()

        if ticket.done:
            done()
        else:
            ticket.wake = done

    def sequence(self, partner: str) -> int:
        """Return the number of the last message that is committed."""
        found: SyncRecord = self._known.records.get(partner, NONE)
        return found.seq

    # -- batches ---------------------------------------------------------------------------------

    def prepare(self, unit: UnitOfWork, partner: str, first: int, last: int, now: float) -> Batch:
        """Have the group hold a batch."""
        self._check()
        if unit.state != ACTIVE or unit.shared is None:
            raise error(mq.MQRC_BACKED_OUT, "the queue manager backed a batch out")
        self._next += 1
        batch = Batch(self._next, first, last, self._channel, partner)
        ticket = self._held[batch] = Ticket(0)
        unit.state = COMMITTING
        rows = [row for _, _, row in unit.shared.gets]
        self._sharing.submit(Hold(unit, name_of(batch), USER, rows, [], ticket))
        return batch

    def when_prepared(self, batch: Batch, action: Callable[[], None]) -> None:
        """Call something when the group holds the batch."""
        self._when(self._held[batch], action)

    def commit(self, batch: Batch, now: float) -> int:
        """Remove the messages of a batch and write the record of the channel."""
        self._held.pop(batch, None)
        self._settle(batch, True)
        record = self._known.records.get(batch.partner, NONE)
        self._known.records[batch.partner] = replace(record, luwid=batch.luwid, seq=batch.last)
        return 0

    def give_back(self, unit: UnitOfWork, now: float) -> None:
        """Return the messages of a batch that is not prepared."""
        if unit.shared is not None:
            unit.shared.spared = True
        self._engine.backout(unit, now)
        self._engine.step.no_round()

    def back_out(self, batch: Batch, now: float) -> None:
        """Return the messages of a prepared batch."""
        self._held.pop(batch, None)
        self._settle(batch, False)

    def _settle(self, batch: Batch, commit: bool) -> Ticket:
        self._check()
        ticket = Ticket(0)
        record = (batch.channel, batch.partner, batch.luwid, batch.last)
        self._sharing.submit(Settle(name_of(batch), commit, None, ticket, record))
        self._when(ticket, lambda: None)
        return ticket


def _gone() -> MQError:
    text = "the facility of the group was lost: a member with a connection goes on with the channel"
    return error(mq.MQRC_CF_NOT_AVAILABLE, text)
