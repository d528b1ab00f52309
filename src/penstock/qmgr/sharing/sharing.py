"""The verbs on shared queues: what the core calls where a queue or a unit has a shared part.

Puts and gets collect in the unit's `SharedUnit`; the end of a unit is a wish for the facility with a ticket
that the caller waits for. A get that finds nothing claimed has the caller fetch (`Step.load`) and is made
again. Results come back under the gate through `claimed`, `ended` and `released`. No I/O: wishes go to
`submit`, which the host plugs in.
Invariant: nothing shared is visible, gone or answered before the facility has committed the round.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import records
from penstock.qmgr.prepared import XID_PREFIX
from penstock.qmgr.sharing import browse_locks, fetching
from penstock.qmgr.sharing.connection_tags import ConnectionTags
from penstock.qmgr.sharing.shared_triggers import SharedTriggers
from penstock.qmgr.sharing.shared_unit import SharedUnit
from penstock.qmgr.sharing.wishes import Commit, Hold, Open, Put, Release, Row, Ticket
from penstock.qmgr.states import ACTIVE, COMMITTING, FAILED, GONE, PREPARED, UNCOMMITTED
from penstock.qmgr.step import CALL
from penstock.store.message_format import decode_head, encode_head

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.errors import MQError
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match

TICKETS_KEPT = 600  # seconds that the end of a round is remembered for a caller that does not ask
IDLE_CLAIM_SECONDS = 0.5  # a message that was claimed for a get which is gone returns after this time


class Sharing:
    """Shared queues of one member."""

    def __init__(self, engine: Engine, group: str, submit: Callable[[Any], None]) -> None:
        self.engine = engine
        self.group = group
        self.member = 0  # the member's number, and its incarnation: the facility gives both
        self.incarnation = 0
        self.submit = submit
        self.connected = False
        self.names: frozenset[str] = frozenset()  # of the group and its members
        self.queuing: frozenset[str] = frozenset()  # members whose agent gets what is put for them
        self.on_lost: dict[Any, Callable[[], None]] = {}  # by who is informed that the facility is lost
        self.triggers = SharedTriggers(engine)
        self.tags = ConnectionTags(self)
        self.tickets: dict[int, Ticket] = {}
        self._next_ticket = 1
        self.open_units: set[UnitOfWork] = set()  # that hold claims or wait for their end

    def know(self, names: frozenset[str], queuing: frozenset[str]) -> None:
        """Take over who is in the group, and whose agents do intra-group queuing."""
        names = names | {self.group}
        if (names, queuing) != (self.names, self.queuing):
            self.names, self.queuing = names, queuing
            self.engine.dependencies.group_changed()

    # -- puts and gets -----------------------------------------------------------------------

    def put(self, queue: SharedQueue, message: Message, unit: UnitOfWork | None) -> None:
        """Accept a message that `check_put` allows."""
        self.check_connected()
        engine = self.engine
        alone = unit is None
        if unit is None:
            unit = engine.new_unit(None, message.put_time)
        queue.depth += 1
        queue.last_put = message.put_time
        engine.note_put(queue, message)
        queue.uncommitted += 1
        message.state = UNCOMMITTED
        message.queue = queue
        message.owner = unit
        self._part(unit).puts.append((queue, message))
        unit.count += 1
        if queue.depth_events is not None or queue.trigger is not None or queue.service_interval is not None:
            engine.effects.message_put(queue, message, None if alone else unit)
        if alone:
            engine.commit(unit, message.put_time)

    def missed(
        self, queue: SharedQueue, match: Match | None, unit: UnitOfWork | None, now: float
    ) -> Message | None:
        """Find the message of a get for which nothing is claimed: have it fetched, or a put of its unit."""
        self.check_connected()
        if fetching.wished(self.engine, queue, match, now):
            return None
        return self._own_put(queue, match, unit, now)

    def _own_put(
        self, queue: SharedQueue, match: Match | None, unit: UnitOfWork | None, now: float
    ) -> Message | None:
        part: SharedUnit | None = None if unit is None else unit.shared
        best: Message | None = None
        for there, message in part.puts if part is not None else ():
            if there is not queue or (message.expires_at and message.expires_at <= now):
                continue
            if match is None or match.accepts(message):
                if best is None or (queue.by_priority and message.priority > best.priority):
                    best = message
        return best

    def remove(self, queue: SharedQueue, message: Message, unit: UnitOfWork | None, now: float) -> Message:
        """Take a claimed message, or a put of the unit itself; outside a unit its round makes it final."""
        engine = self.engine
        if message.state == UNCOMMITTED:
            part = message.owner.shared
            part.puts.remove((queue, message))
            queue.uncommitted -= 1
            message.state = GONE
            message.owner = message.queue = None
            engine.note_get(queue, message)
            return message
        alone = unit is None
        if unit is None:
            unit = engine.new_unit(None, now)
        else:
            engine._check_unit(unit)
        row, _ = queue.claimed.pop(message)
        queue.unlink(message)
        queue.uncommitted += 1
        self._part(unit).gets.append((queue, message, row))
        unit.count += 1
        if not alone:
            message.owner = unit
        engine.note_get(queue, message)
        message.owner = None
        if alone:
            engine.commit(unit, now)
        return message

    def _part(self, unit: UnitOfWork) -> SharedUnit:
        part: SharedUnit | None = unit.shared
        if part is None:
            part = unit.shared = SharedUnit()
            self.open_units.add(unit)
        return part

    # -- the end of units --------------------------------------------------------------------

    def commit(self, unit: UnitOfWork, now: float) -> None:
        """Commit a unit with a shared part: the facility decides, after the journal has the local part."""
        part: SharedUnit = unit.shared
        if part.lost:
            self.fail(unit, now)
            raise error(mq.MQRC_BACKED_OUT, "the connection to the facility was lost in this unit of work")
        engine = self.engine
        unit.state = COMMITTING
        ticket = self.new_ticket()
        puts = [self.stored(queue, message) for queue, message in part.puts]
        wish = Commit(unit, [row for _, _, row in part.gets], puts, 0, ticket)
        if unit.logged:
            self.submit_prepared(wish)
        else:
            self.submit(wish)
        engine.step.wait_for_round(ticket)

    def submit_prepared(self, wish: Commit | Hold) -> None:
        """Submit what the facility decides when the private half of the unit is prepared on disk."""
        engine, unit = self.engine, wish.unit
        wish.outcome = self.incarnation << 40 | unit.number
        unit.xid = self.xid_of(wish.outcome)
        engine.prepared[unit.xid] = unit
        start = engine.journal.end
        value = records.pack_value((unit.number, unit.xid, unit.started, unit.user))
        position = engine.journal.append(records.PREPARE, value, b"")
        engine.step.wait_for(position)
        engine.wishes.pending.append((position, CALL, partial(self.submit, wish), None, start))

    def xid_of(self, outcome: int) -> str:
        """Return the name of the private half of a unit by the key of its outcome."""
        return f"{XID_PREFIX}{self.group}:{self.member}:{outcome}"

    def end_private(self, unit: UnitOfWork, commits: bool, now: float) -> None:
        """End the private half of a unit; its outcome is in the facility, so nobody waits for the journal."""
        engine = self.engine
        if not commits:
            engine.backout(unit, now)
            return
        engine.prepared.pop(str(unit.xid), None)
        engine.journal.append(records.COMMIT, records.pack_unit(unit.number), b"")
        engine.finish_commit(unit)

    def stored(self, queue: SharedQueue, message: Message) -> Put:
        """Return a put as the facility stores it."""
        assert message.body is not None
        message.owner = None
        return Put(
            queue.number,
            queue.structure,
            queue.lane_of(message),
            message.persistent,
            queue.key_of(message),
            message.expires_at or None,
            encode_head(message, 0, 0),
            message.body,
        )

    def ended(self, wish: Commit, failure: MQError | None, now: float) -> None:
        """End a unit as the facility has decided. The gate is held."""
        engine, unit = self.engine, wish.unit
        part: SharedUnit = unit.shared
        if failure is None:
            served = self.let_go(unit)
            if unit.xid is not None:
                self.end_private(unit, True, now)
            else:
                engine.finish_commit(unit)
            for queue in served:
                self.arrived(queue, now)
            self._trigger_every(part, now)
        else:
            unit.state = PREPARED if unit.xid is not None else ACTIVE
            self.fail(unit, now)
        self.finish(wish.ticket, failure)

    def _trigger_every(self, part: SharedUnit, now: float) -> None:
        put: dict[SharedQueue, list[int]] = {}
        for queue, message in part.puts:
            if queue.trigger is not None:
                put.setdefault(queue, []).append(message.priority)
        for queue, priorities in put.items():
            self.triggers.every(queue, priorities, now)

    def let_go(self, unit: UnitOfWork) -> list[SharedQueue]:
        """Part a unit from its shared part, which is the facility's now; return the queues it put to."""
        part: SharedUnit = unit.shared
        unit.shared = None
        self.open_units.discard(unit)
        queues: dict[str, SharedQueue] = {}
        for queue, message in part.puts:
            queue.uncommitted -= 1
            message.state = GONE
            message.queue = None
            queues[queue.name] = queue
        for queue, _, _ in part.gets:
            queue.uncommitted -= 1
        return list(queues.values())

    def fail(self, unit: UnitOfWork, now: float) -> None:
        """Back a unit out whose claims are lost, or which the facility refused."""
        self._undo(unit, counted=False)
        self.engine.backout(unit, now)

    def backout(self, unit: UnitOfWork, now: float) -> None:
        """Undo the shared part of a unit; its claims are released, and counted as backed out."""
        if unit.state in (ACTIVE, PREPARED):
            self._undo(unit, not unit.shared.spared)

    def _undo(self, unit: UnitOfWork, counted: bool) -> None:
        part: SharedUnit = unit.shared
        for queue, message in part.puts:
            queue.depth -= 1
            message.state = GONE
            message.owner = None
        for queue, message, row in part.gets:
            queue.depth += 1
            row.backouts += counted
            message.state = GONE
        self.let_go(unit)
        if part.gets and self.connected and not part.lost:
            ticket = self.new_ticket()
            self.submit(Release([row for _, _, row in part.gets], counted, ticket))
            self.engine.step.wait_for_round(ticket)

    # -- results -----------------------------------------------------------------------------

    def claimed(self, queue: SharedQueue, rows: list[Row], now: float) -> list[Row]:
        """Link messages that are this member's now; return those that nobody here can take any more."""
        if queue.deleted or self.engine.queues.get(queue.name) is not queue:
            return rows
        for row in rows:
            queue.take_in(message_of(row), row, now)
        return []

    def arrived(self, queue: SharedQueue, now: float) -> None:
        """Let waiting gets try again: something may have come."""
        queue.wakes += 1
        self.engine.serve(queue, now)
        if queue.trigger is not None:
            self.triggers.consider(queue)

    def released(self, wish: Release, now: float) -> None:
        """Claims were given back."""
        numbers = {row.queue for row in wish.rows}
        if wish.ticket is not None:
            self.finish(wish.ticket, None)
        for queue in self.queues():
            if queue.number in numbers:
                self.arrived(queue, now)

    def finish(self, ticket: Ticket, failure: MQError | None) -> None:
        """Let the caller go on that waits for a ticket."""
        ticket.failure = failure
        ticket.done = True
        self.tags.done(ticket)
        if ticket.wake is not None:
            ticket.wake()

    def tick(self, now: float) -> None:
        """Give back what was claimed for gets that are gone."""
        for queue in self.queues():
            idle = [m for m, (_, came) in queue.claimed.items() if now - came > IDLE_CLAIM_SECONDS]
            self._return(queue, idle)
        self.tags.look()
        for ticket in [ticket for ticket in self.tickets.values() if ticket.done]:
            ticket.age += 1  # nobody has asked for it: its client has gone
            if ticket.age > TICKETS_KEPT:
                del self.tickets[ticket.number]

    def stopping(self) -> None:
        """Give back everything that was claimed and not taken."""
        for queue in self.queues():
            self._return(queue, list(queue.claimed))
            for handle in list(queue.locks):
                browse_locks.release(handle)

    def return_claimed(self) -> Ticket | None:
        """Give back everything that was claimed and not taken; a get that still wants it claims it again."""
        ticket = None
        for queue in self.queues():
            ticket = self._return(queue, list(queue.claimed)) or ticket
        return ticket

    def _return(self, queue: SharedQueue, messages: list[Message]) -> Ticket | None:
        rows = []
        for message in messages:
            rows.append(queue.claimed.pop(message)[0])
            queue.unlink(message)
        if not rows or not self.connected:
            return None
        ticket = self.loose_ticket()
        self.submit(Release(rows, False, ticket))
        return ticket

    def expired(self, queue: SharedQueue, message: Message, now: float) -> None:
        """Discard a claimed message whose time is over, and send the reports that it requests."""
        row, _ = queue.claimed.pop(message)
        queue.unlink(message)
        self.discard(queue, message, row, now)

    def discard(self, queue: SharedQueue, message: Message, row: Row, now: float) -> None:
        """Remove an expired message that is this member's."""
        queue.depth -= 1
        unit = self.engine.new_unit(None, now)
        self._part(unit).gets.append((queue, message, row))
        queue.uncommitted += 1
        if message.reports:
            self.engine.effects.report(message, "EXPIRATION", unit, now)
        ticket = self.engine.step.ticket
        self.engine.commit(unit, now)
        if ticket is None:
            self.engine.step.no_round()

    # -- handles -----------------------------------------------------------------------------

    def opened(self, queue: SharedQueue, handle: Handle) -> None:
        """Report an opened handle to the group; 2042 if another member has the queue exclusively."""
        self.check_connected()
        ticket = self.new_ticket()
        self.submit(Open(queue, queue.inputs, queue.outputs, queue.exclusive, ticket, handle))
        self.engine.step.wait_for_round(ticket)

    def closed(self, queue: SharedQueue) -> None:
        """Report a closed handle to the group."""
        if self.connected:
            self.submit(Open(queue, queue.inputs, queue.outputs, queue.exclusive, None))

    # -- the connection to the facility ------------------------------------------------------

    def check_connected(self) -> None:
        """Raise 2345 while there is no connection to the facility."""
        if not self.connected:
            raise error(
                mq.MQRC_CF_NOT_AVAILABLE, f"the facility of group {self.group} cannot be reached just now"
            )

    def lost(self, now: float) -> None:
        """Note that the facility was lost: units with claims fail, what is claimed is nobody's here."""
        self.connected = False
        self.tags.lost()
        for action in list(self.on_lost.values()):
            action()
        for queue in self.queues():
            for message in list(queue.claimed):
                del queue.claimed[message]
                queue.unlink(message)
            queue.locks.clear()
        for unit in list(self.open_units):
            part: SharedUnit | None = unit.shared
            if part is not None and part.gets:
                part.lost = True
                if unit.state == ACTIVE:
                    self.fail(unit, now)
                    unit.state = FAILED

    def regained(self, now: float) -> None:
        """Go on with the facility: waiting gets try again."""
        self.connected = True
        for queue in self.queues():
            if queue.inputs or queue.outputs:
                self.closed(queue)  # report the handles that are open here
            self.arrived(queue, now)

    def held(self, queue: SharedQueue) -> int:
        """Return how many messages of a queue this member's units have got and not ended."""
        return self._count(queue, "gets")

    def unsent(self, queue: SharedQueue) -> int:
        """Return how many messages this member's units have put to a queue and not ended."""
        return self._count(queue, "puts")

    def _count(self, queue: SharedQueue, kind: str) -> int:
        parts = [unit.shared for unit in self.open_units if unit.shared is not None]
        return sum(1 for part in parts for each in getattr(part, kind) if each[0] is queue)

    def queues(self) -> list[SharedQueue]:
        """Return the shared queues."""
        return [queue for queue in self.engine.queues.values() if queue.shared is not None]  # type: ignore[misc]

    def new_ticket(self) -> Ticket:
        """Make the ticket of a wish."""
        ticket = Ticket(self._next_ticket)
        self._next_ticket += 1
        self.tickets[ticket.number] = ticket
        self.tags.under_way.add(ticket)
        return ticket

    def loose_ticket(self) -> Ticket:
        """Make the ticket of a wish that no caller waits for."""
        ticket = Ticket(0)
        self.tags.under_way.add(ticket)
        return ticket


def message_of(row: Row) -> Message:
    """Return a message as the engine knows it."""
    message = decode_head(row.head, row.body, len(row.body))
    message.seq = message.place = row.seq
    message.backout_count = row.backouts
    return message
