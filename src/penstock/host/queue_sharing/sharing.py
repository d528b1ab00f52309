"""A queue manager's place in its queue-sharing group: between engine and facility.

Starts the facility, hands it the engine's wishes and gives results back under the gate, in the threads of
the facility. Calls that wait for a round wait here (`settle`), or leave a call to be made (`when_done`).
Imported when qm.ini names a group; `Host.sharing` is None otherwise. It decides nothing about a verb.
Lock order: the gate is never held while the facility is asked.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from penstock.admin.group import GroupObject
from penstock.host.queue_sharing import group_peeking
from penstock.host.queue_sharing.group_channels import GroupChannels
from penstock.host.queue_sharing.group_commands import GroupCommands
from penstock.host.queue_sharing.intra_group_agent import IntraGroupAgent
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.catalogue import attributes as known
from penstock.qmgr.opening import INPUT
from penstock.qmgr.prepared import XID_PREFIX
from penstock.qmgr.sharing import held_units
from penstock.qmgr.sharing.connection_tags import in_use as in_use_tag
from penstock.qmgr.sharing.group import TERMINATE
from penstock.qmgr.sharing.shared_queue import SHARED_IDS, SharedQueue
from penstock.qmgr.sharing.sharing import Sharing, message_of
from penstock.qmgr.sharing.wishes import (
    Claim,
    Commit,
    Hold,
    Look,
    Mark,
    Open,
    Release,
    Settle,
    Ticket,
    Unmark,
    Untag,
)
from penstock.share import connection_tags as group_tags
from penstock.share import held_units as group_units
from penstock.share.facility import Facility, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.host import Host
    from penstock.model.peeked import Peeked
    from penstock.qmgr.connections import Connection
    from penstock.share.rounds import Results

logger = logging.getLogger(__name__)

CLEARED_AT_ONCE = 1000  # messages that one transaction removes
PENDING_SECONDS = 10  # without the facility: then a commit's caller gets "the outcome is pending"


class GroupMembership:
    """One member: its engine's shared queues and its facility."""

    def __init__(self, host: Host) -> None:
        group = host.settings.group
        assert group is not None
        self.host = host
        self.group = group
        self.engine = host.engine
        self.wakes: dict[str, Callable[[str], None]] = {"q": self._queues_woken}
        self._fetched: dict[Any, threading.Lock] = {}
        self._ended: deque[tuple[int, int]] = deque()  # journal position and outcome of mixed units
        self.facility = Facility(
            group,
            host.engine.name,
            self._deliver,
            self._lost,
            self._regained,
            self._woken,
            self._counted,
            self._expired,
        )
        self.facility.notices = self._notice
        self.commands: GroupCommands | None = None  # definitions and offload
        self.sharing = Sharing(host.engine, group.name, self.facility.submit)
        host.engine.sharing = self.sharing
        self.agent = IntraGroupAgent(self)
        self.channels = GroupChannels(self)
        self.facility.listed_channels = self.channels.listed_now
        self.facility.queues_inside = self.agent.is_enabled
        for queue in host.engine.queues.values():
            if isinstance(queue, SharedQueue):
                queue.shared = self.sharing  # as the checkpoint knows it

    @property
    def connected(self) -> bool:
        """Whether the facility is there."""
        return self.sharing.connected

    @property
    def member(self) -> int:
        """The member's number in the group."""
        return self.facility.member

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Join the group and decide the units that its facility knows the outcome of.

        Without the facility the queue manager starts, with its private queues, unless CFCONLOS is TERMINATE.
        """
        try:
            self.facility.start()
        except MQError as failure:
            if self.group.cfconlos == TERMINATE or failure.reason != mq.MQRC_CF_NOT_AVAILABLE:
                raise
            self.facility.keep_trying(failure)
        else:
            self._regained()

    def stop(self) -> None:
        """Leave the group cleanly."""
        self.agent.stop()
        with self.host.gate.anyway:
            self.sharing.stopping()
        if self.commands is not None:
            self.commands.stop()
        self.facility.stop()
        if self.facility.journal is not None:
            self.facility.journal.close()

    def abandon(self) -> None:
        """Leave without a word, as a crash would."""
        self.agent.end()
        if self.commands is not None:
            self.commands.abandon()
        self.facility.abandon()

    def _resolve_prepared(self) -> None:
        """End the units whose last word the facility has."""
        prefix = f"{XID_PREFIX}{self.group.name}:"
        with self.host.gate.anyway:
            xids = [xid for xid, unit in self.engine.prepared.items() if xid.startswith(prefix)]
            waiting = {xid for xid in xids if self.engine.prepared[xid].shared is not None}
        held = self.facility.execute(group_units.IN_DOUBT, (self.member,))
        waiting |= {self.sharing.xid_of(outcome) for (outcome,) in held}
        for xid in xids:
            if xid in waiting:
                continue  # its round is asked for by itself, or the group holds it
            with self.facility.connect() as connection:
                state, _ = self.facility.outcome(connection, int(xid.rsplit(":", 1)[1]))
            with self.host.gate.anyway:
                self.engine.step.begin()
                unit = self.engine.prepared[xid]
                if state == "C":
                    self.engine.commit(unit, time.time())
                else:
                    self.engine.backout(unit, time.time())
                self.engine.step.end()
        self.host.settle(self.engine.journal.end)
        self.facility.execute(  # their ends are in the journal now, as are those of every earlier life
            "delete from outcome where member = %s and unit > 0 and unit < %s and unit <> all(%s)",
            (self.member, self.facility.incarnation << 40, [int(xid.rsplit(":", 1)[1]) for xid in waiting]),
        )

    # -- calls that wait ---------------------------------------------------------------------

    def fetch(self, wishes: list[Any]) -> None:
        """Fetch what a call needs before it is made again; MQError if the facility cannot."""
        wish = wishes[0]
        lock = threading.Lock()
        lock.acquire()
        self._fetched[wish] = lock
        self.facility.submit(wish)
        lock.acquire()
        if isinstance(wish.found, MQError):
            raise wish.found

    def settle(self, number: int) -> None:
        """Wait for a ticket; raise what its wish came to."""
        ticket = self.take_ticket(number)
        if ticket.position:
            self.host.settle(ticket.position)
        if ticket.before is not None:
            self._wait(ticket.before)
        self._wait(ticket)

    def _wait(self, ticket: Ticket) -> None:
        lock = threading.Lock()
        lock.acquire()
        self.when_done(ticket, lock.release)
        away = 0
        while not lock.acquire(timeout=1.0):
            away = 0 if self.sharing.connected else away + 1
            if away >= PENDING_SECONDS:
                raise pending(self.group.name)
        if ticket.failure is not None:
            raise ticket.failure

    def take_ticket(self, number: int) -> Ticket:
        """Return a ticket, which is the caller's now."""
        with self.host.gate.anyway:
            ticket = self.sharing.tickets.pop(number)
            if ticket.before is not None:
                self.sharing.tickets.pop(ticket.before.number, None)
            return ticket

    def when_done(self, ticket: Ticket, action: Callable[[], None]) -> None:
        """Call something when a ticket is done, in any thread and under the gate; at once if it is."""
        with self.host.gate.anyway:
            if not ticket.done:
                ticket.wake = action
                return
        action()

    # -- results, in threads of the facility ---------------------------------------------------

    def _deliver(self, results: Results) -> None:
        returned: list[Any] = []
        fetched: list[threading.Lock] = []
        now = time.time()
        with self.host.gate.anyway:
            self.engine.step.begin()
            for wish, result in results:
                try:
                    self._deliver_one(wish, result, now, returned)
                except Exception:  # an edge: the results of others are delivered
                    logger.exception("result_failed wish=%s", type(wish).__name__)
                if (lock := self._fetched.pop(wish, None)) is not None:
                    fetched.append(lock)
            back = self.sharing.loose_ticket() if returned else None
            if back is not None:
                self.facility.submit(Release(returned, False, back))
            for wish, _ in results:
                if isinstance(wish, Claim):
                    self.sharing.tags.done(wish, back)
            self.engine.step.end()
        for lock in fetched:
            lock.release()

    def _deliver_one(self, wish: Any, result: Any, now: float, returned: list[Any]) -> None:
        failure = result if isinstance(result, MQError) else None
        if isinstance(wish, Commit):
            self.sharing.ended(wish, failure, now)
            if wish.outcome:
                self._ended.append((self.engine.journal.end, wish.outcome))
        elif isinstance(wish, Hold):
            held_units.held(self.sharing, wish, failure, now)
        elif isinstance(wish, Settle):
            if private := held_units.settled(self.sharing, wish, result, now):
                self._ended.append((self.engine.journal.end, private))
        elif isinstance(wish, Release):
            self.sharing.released(wish, now)
        elif isinstance(wish, Open):
            self._opened(wish, result, now)
        elif isinstance(wish, Unmark | Untag):
            return
        elif failure is not None:
            wish.found = failure
        elif isinstance(wish, Claim):
            bad = next((row.failure for row in result if row.failure is not None), None)
            wish.found = bad if bad is not None else len(result)
            returned += result if bad is not None else self.sharing.claimed(wish.queue, result, now)
        elif isinstance(wish, Mark):
            wish.found = result
        elif isinstance(wish, Look):
            wish.view = [(row, message_of(row)) for row in result if row.failure is None]
            bad = [row for row in result if row.failure is not None]
            wish.unread += [row for row in bad if row.failure.reason != mq.MQRC_NO_MSG_AVAILABLE]
            wish.found = len(result)
            if result:
                wish.lane, wish.seq = result[-1].lane, result[-1].seq

    def _opened(self, wish: Open, result: Any, now: float) -> None:
        if wish.ticket is None:
            if not wish.inputs:
                self.sharing.triggers.consider(wish.queue)
            return
        failure = result if isinstance(result, MQError) else None if result else in_use(wish.queue.name)
        if failure is not None and wish.handle is not None and not wish.handle.closed:
            self.engine.close(wish.handle, 0, now)
        self.sharing.finish(wish.ticket, failure)

    def _expired(self, rows: list[Any]) -> None:
        now = time.time()
        with self.host.gate.anyway:
            for row in rows:
                queue = self.engine.queues_by_id.get(row.queue + SHARED_IDS)
                if isinstance(queue, SharedQueue):
                    self.engine.step.begin()
                    self.sharing.discard(queue, message_of(row), row, now)
                    self.engine.step.end()

    def _woken(self, payload: str) -> None:
        topic, _, text = payload.partition(":")
        if (action := self.wakes.get(topic)) is not None:
            action(text)

    def _queues_woken(self, text: str) -> None:
        now = time.time()
        with self.host.gate.anyway:
            self.engine.step.begin()
            for number in text.split(","):
                queue = self.engine.queues_by_id.get(int(number) + SHARED_IDS)
                if isinstance(queue, SharedQueue):
                    self.sharing.arrived(queue, now)
            self.engine.step.end()

    def _counted(self, figures: Any) -> None:
        """Take over what the queues hold; waiting gets try again where a wake-up may be lost."""
        now = time.time()
        with self.host.gate.anyway:
            self.engine.step.begin()
            self.sharing.tick(now)
            self._know_members()
            for queue in self.sharing.queues():
                found = figures.get(queue.number)
                if found is None:
                    continue
                queue.depth = max(0, found.messages - self.sharing.held(queue) + self.sharing.unsent(queue))
                queue.member_inputs, queue.member_outputs = found.inputs, found.outputs
                waits = queue.waiting is not None and queue.waiting.count
                if found.messages and waits:
                    self.sharing.arrived(queue, now)
                if queue.trigger is not None:
                    if found.messages or queue.number not in self.facility.registered:
                        self.sharing.triggers.consider(queue)
            self._end_private_halves(now)
            self.engine.step.end()
            durable = self.host.journal.durable
            keys = [key for position, key in self._ended if position <= durable]
        if keys:
            self.facility.execute(
                "delete from outcome where member = %s and unit = any(%s)", (self.member, keys)
            )
            for _ in keys:
                self._ended.popleft()

    def _end_private_halves(self, now: float) -> None:
        """End the private halves of held units that other members have ended."""
        units = held_units.in_doubt(self.sharing)
        for key, state in self.facility.ended_units.items():
            if key in units:
                self.sharing.end_private(units[key], state == "C", now)
                self._ended.append((self.engine.journal.end, key))

    def _know_members(self) -> None:
        self.sharing.know(self.facility.names, self.facility.queuing)
        self.facility.queues_inside = self.agent.is_enabled

    def _lost(self) -> None:
        with self.host.gate.anyway:
            self.engine.step.begin()
            self.sharing.lost(time.time())
            self.engine.step.end()
        ends = self.commands is not None and self.commands.must_stop()
        if ends or self.group.cfconlos == TERMINATE:
            self._notice("CSQE007E", "CFCONLOS(TERMINATE): the queue manager stops without its facility.")
            self.host.stop(unreachable(self.group.name, OSError("CFCONLOS is TERMINATE")))

    def _regained(self) -> None:
        with self.host.gate.anyway:
            self._know_members()
            self.sharing.member = self.facility.member
            self.sharing.incarnation = self.facility.incarnation
        self._resolve_prepared()
        self._take_tags_again()
        self._open_again()
        with self.host.gate.anyway:
            self.engine.step.begin()
            self.sharing.regained(time.time())
            self.engine.step.end()

    # -- connection tags -----------------------------------------------------------------------

    def take_tag(self, tag: str, connection: Connection, end: Callable[[], object]) -> None:
        """Make a connection the only one of the group with a tag; `end` ends it if the tag is lost."""
        tags = self.sharing.tags
        with self.host.gate:
            if not tags.reserve(tag, connection, end):
                return
        taken = False
        try:
            taken = group_tags.take(self.facility, tag)
        finally:
            with self.host.gate.anyway:
                unwanted = connection.closed or not taken
                if unwanted:
                    tags.held.pop(tag, None)
        if taken and unwanted:
            group_tags.give_back(self.facility, tag)
        elif not taken:
            raise in_use_tag(tag)

    def _take_tags_again(self) -> None:
        """Take the tags of this member's connections in its new life; end those whose tag is another's."""
        for tag, (_, end) in list(self.sharing.tags.held.items()):
            if not group_tags.take(self.facility, tag):
                self.sharing.tags.held.pop(tag, None)
                self._notice(
                    "CSQE014W", f"Connection tag {tag} is in use at another member: its connection ends."
                )
                end()

    def _open_again(self) -> None:
        """Tell the group how queues are open here; close for input what another member has exclusively."""
        with self.host.gate.anyway:
            queues = [queue for queue in self.sharing.queues() if queue.inputs]
        for queue in queues:
            opened = (self.facility.member, queue.number, queue.inputs, queue.outputs, queue.exclusive)
            ((allowed,),) = self.facility.execute("select open_1(%s::smallint, %s, %s, %s, %s)", opened)
            if not allowed:
                text = f"Queue {queue.name} is in use at another member: handles that get from it are closed."
                self._notice("CSQE015W", text)
                self._close_inputs(queue)

    def _close_inputs(self, queue: SharedQueue) -> None:
        now = time.time()
        with self.host.gate.anyway:
            self.engine.step.begin()
            for connection in self.engine.connected.values():
                for handle in list(connection.handles.values()):
                    if handle.queue is queue and handle.has(INPUT):
                        self.engine.close(handle, 0, now)
            self.engine.step.end()

    def _notice(self, number: str, text: str) -> None:
        self.host.error_log.write(number, text)

    # -- queues ------------------------------------------------------------------------------

    def define(self, name: str, structure: str = "APPL1", **attributes: Any) -> SharedQueue:
        """Put a shared queue in force that no command has defined (for tests of the engine)."""
        values = {**known.defaults("QLOCAL"), **attributes, "QSGDISP": "SHARED", "CFSTRUCT": structure}
        assert self.commands is not None
        stored = self.commands.store(GroupObject("QLOCAL", name, "SHARED", values), new=False)
        with self.host.gate:
            self.commands.apply(stored)
            queue = self.engine.queues[name]
        assert isinstance(queue, SharedQueue)
        return queue

    def with_held_units(self, own: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return prepared units, those that the group holds among them; one with two halves is one unit."""
        held = group_units.listing(self.facility) if self.connected else []
        return held_units.merged(self.sharing, own, held)

    def peek(self, queue: SharedQueue, *wanted: Any) -> list[Peeked]:
        """Return messages of a queue for `qm.peek`; nothing changes."""
        return group_peeking.peek(self.facility, queue, *wanted)

    def empty(self, queue: SharedQueue) -> int:
        """Remove the messages of a queue that nobody has claimed; return how many there were."""
        total = 0
        while True:
            ((seqs,),) = self.facility.execute("select clear_2(%s, %s)", (queue.number, CLEARED_AT_ONCE))
            if not seqs:
                return total
            total += len(seqs)
            if self.facility.journal is not None:
                self.facility.journal.cleared(seqs)


def pending(group: str) -> MQError:
    """Return the error of a commit whose answer the facility owes."""
    return error(
        mq.MQRC_OUTCOME_PENDING,
        f"the facility of group {group} was lost during the commit: the unit ends when it is back",
    )


def in_use(queue: str) -> MQError:
    """Return the error of an open that another member's exclusive use forbids."""
    return error(mq.MQRC_OBJECT_IN_USE, f"queue {queue} is open at another member", object=queue)


def begin(host: Host) -> None:
    """Make a queue manager a member of its group."""
    host.sharing = GroupMembership(host)
    host.sharing.start()
    host.sharing.commands = GroupCommands(host.sharing)
    host.sharing.commands.start()
    host.sharing.agent.start()
