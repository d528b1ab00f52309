# cython: nonecheck=True
"""The core of the engine: the state of a queue manager and the steps that change it.

A synchronous state machine. It does no I/O and keeps no clock: `now` comes in, journal records go to a
buffer, and what has to happen outside is in `step` (for the caller) and `wishes` (for housekeeping). The
host holds the engine lock around every step. What the verbs mean is in `opening`, `putting`, `getting` and
their neighbours; here are the parts that they share, in one class so that compiled ones (`core.pxd`) call
each other directly. Signals do not cut compiled code off: code that calls a Python function in the middle
of a change says so first (`python_follows`).
Invariant: a persistent message is in a lane, or a unit has ended, only after its record is on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.model import constants as mq
from penstock.model._interrupts import python_follows
from penstock.model.errors import error
from penstock.model.ids import IdSource
from penstock.model.message import NO_ID, Message, plain_message
from penstock.model.onward import shown
from penstock.qmgr import records
from penstock.qmgr.deep import packing
from penstock.qmgr.deep.window import SAME_ID_MAX, Window, first_window, others_first
from penstock.qmgr.names.dependencies import Dependencies
from penstock.qmgr.queue import count_got, count_put
from penstock.qmgr.searching.pauses import Packed, Paused
from penstock.qmgr.searching.scanning import UNLIMITED, Scan, names_one, scanning
from penstock.qmgr.selectors.evaluations import characters_of, cost_of_text
from penstock.qmgr.states import (
    ACTIVE,
    AVAILABLE,
    COMMITTING,
    ENDED,
    FAILED,
    GONE,
    GOT,
    PACKED,
    PREPARED,
    UNCOMMITTED,
)
from penstock.qmgr.step import CALL, COMMIT, PUBLISH, Step, Wishes
from penstock.qmgr.unit_of_work import UnitOfWork
from penstock.qmgr.waiters import Match, Waiter, Waiting
from penstock.store.message_format import encode_head

if TYPE_CHECKING:
    from penstock.qmgr.interfaces import Journal, MessageQueue
    from penstock.qmgr.monitoring.tracing import Tracer
    from penstock.qmgr.objects import Objects
    from penstock.qmgr.queue import Queue

LOAD_AHEAD = 512  # spilled messages that one read brings in, as long as they have less than 1 MB
LOOK_AHEAD = 2048  # that are looked at for those
SEARCHED_MAX = 40_000  # messages and terms of selectors that one step looks at for waiting gets: some 5 ms
ENDED_AT_ONCE = 10_000  # messages of ended units that one step shows or drops: some five milliseconds
INDEXED_AT_ONCE = 5000  # messages that one step of a get by an id takes into the queue's index
EXPIRED_AT_ONCE = 1000  # messages that one step of a get discards because their time is over


class Core:
    """One queue manager's queues, units of work and unfinished business."""

    def __init__(self, name: str, journal: Journal, objects: Objects, started: float) -> None:
        self.name = name
        self.journal = journal
        self.objects = objects
        self.started = started
        self.ids = IdSource(name, int(started * 1_000_000))
        self.queues: dict[str, Queue] = {}
        self.queues_by_id: dict[int, Queue] = {}
        self.dependencies = Dependencies()
        self.step = Step()
        self.wishes = Wishes()
        self.next_seq = 1
        self.next_unit = 1
        self.units: dict[int, UnitOfWork] = {}
        self.prepared: dict[str, UnitOfWork] = {}
        self.connected: dict[int, Any] = {}
        self.definition: Any = None  # of the queue manager itself
        self.next_object = 1
        self.scan: Any = None  # of the get that is being made: how far it has looked through its queue
        self.buffer_bytes = 64 << 20
        self.persistent_buffer_bytes = 64 << 20
        self.length_max = 4194304
        self.uncommitted_max = 10000
        self.priority_max = 9
        self.effects: Any = None
        self.sharing: Any = None  # Sharing, of a member of a queue-sharing group; the host plugs it in
        self.tracer: Tracer | None = None  # records puts, gets and ends of units while something is traced
        self.commits = self.backouts = 0

    # -- putting ---------------------------------------------------------------------------

    def put_plain(
        self,
        queue: Queue,
        body: bytes,
        msg_id: bytes | None,
        correl_id: bytes,
        persistent: bool,
        priority: int,
        context: Any,
        unit: UnitOfWork | None,
        now: float,
        properties: dict[str, Any] | None = None,
    ) -> Message:
        """Put a message that needs nothing but a body, ids, persistence, priority and correct properties."""
        message = plain_message(
            body, self.ids.next() if msg_id is None else msg_id, correl_id, persistent, priority, now, context
        )
        message.properties = properties
        self.check_put(queue, message, unit)
        self.enqueue(queue, message, unit)
        return message

    def put_batch(
        self, queue: Queue, bodies: list[bytes], priority: int, context: Any, now: float
    ) -> list[Message] | None:
        """Put messages that need no journal, all or none, as one unit would.

        None when they need a closer look.
        """
        count = len(bodies)
        if not queue.put_enabled or queue.depth + count > queue.depth_max or count > self.uncommitted_max:
            return None
        if queue.depth_events is not None or queue.trigger is not None or queue.service_interval is not None:
            return None
        if queue.stream is not None:
            return None
        longest = min(queue.length_max, self.length_max)
        for body in bodies:
            if len(body) > longest:
                return None
        put = []
        for body in bodies:
            message = plain_message(body, self.ids.next(), NO_ID, False, priority, now, context)
            queue.depth += 1
            self._count_put(queue, message)
            self.publish(queue, message)
            put.append(message)
        queue.last_put = now
        return put

    def check_put(self, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
        """Raise what forbids this message on this queue, or a copy on its stream; change nothing."""
        self.check_queue(queue, message)
        if unit is not None:
            self._check_unit(unit)
        if queue.stream is not None:
            python_follows()
            self.effects.check_stream(queue, message)

    def check_queue(self, queue: MessageQueue, message: Message) -> None:
        """Raise what forbids this message on this queue itself."""
        if not queue.put_enabled:
            queue.puts_failed += 1
            raise error(mq.MQRC_PUT_INHIBITED, f"queue {queue.name} is PUT(DISABLED)", queue=queue.name)
        if message.length > queue.length_max:
            queue.puts_failed += 1
            detail = f"{message.length} bytes, MAXMSGL of queue {queue.name} is {queue.length_max}"
            raise error(mq.MQRC_MSG_TOO_BIG_FOR_Q, detail, queue=queue.name)
        if message.length > self.length_max:
            queue.puts_failed += 1
            raise error(
                mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
                f"{message.length} bytes, MAXMSGL of {self.name} is {self.length_max}",
            )
        if message.persistent and queue.temporary:
            queue.puts_failed += 1
            raise error(
                mq.MQRC_PERSISTENT_NOT_ALLOWED, f"{queue.name} is a temporary dynamic queue", queue=queue.name
            )
        if queue.depth >= queue.depth_max:
            queue.puts_failed += 1
            if self.effects is not None:
                python_follows()
                self.effects.queue_full(queue, message.put_time)
            raise error(mq.MQRC_Q_FULL, f"queue {queue.name} holds {queue.depth} messages", queue=queue.name)

    def _check_unit(self, unit: UnitOfWork) -> None:
        if unit.state != ACTIVE:
            raise error(mq.MQRC_BACKED_OUT, "the queue manager backed this unit of work out")
        if unit.count >= self.uncommitted_max:
            raise error(mq.MQRC_SYNCPOINT_LIMIT_REACHED, f"MAXUMSGS is {self.uncommitted_max}")

    def enqueue(self, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
        """Accept a message that `check_put` allows, and put a copy to the queue's stream if it has one."""
        if queue.stream is None:
            self.place(queue, message, unit)
        else:
            python_follows()
            self.effects.stream(queue, message, unit)

    def place(self, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
        """Give a message its place: visible now, when on disk, or at commit."""
        queue.depth += 1
        queue.last_put = message.put_time
        self._count_put(queue, message)
        if message.persistent:
            message.seq = self.next_seq
            self.next_seq += 1
        if unit is not None:
            unit.add_put(queue, message)
            message.state = UNCOMMITTED
            message.owner = unit
            queue.uncommitted += 1
            if message.persistent:
                self.start_logging(unit)
                self._log_put(queue, message, unit.number)
        elif message.persistent:
            start = self.journal.end
            position = self._log_put(queue, message, 0)
            self.step.wait_for(position)
            self.wishes.pending.append((position, PUBLISH, queue, message, start))
            if queue.arrivals is not None:
                python_follows()
                queue.arrivals.offer(message)
        else:
            self.publish(queue, message)
        if queue.depth_events is not None or queue.trigger is not None or queue.service_interval is not None:
            python_follows()
            self.effects.message_put(queue, message, unit)

    @cython.nonecheck(False)  # type: ignore[untyped-decorator]
    def _count_put(self, queue: Queue, message: Message) -> None:
        count_put(queue, message)
        if self.step.account is not None:
            self.step.account.puts += 1
            self.step.account.put_bytes += message.length
            if self.step.account.by_queue:
                self.step.account.put(queue, message)
        if self.tracer is not None:
            self.tracer.put(queue, message, self.step.account)

    def note_put(self, queue: Queue, message: Message) -> None:
        """Count a put to a shared queue, which has no place here."""
        self._count_put(queue, message)

    def _log_put(self, queue: Queue, message: Message, unit: int) -> int:
        head = encode_head(message, queue.id, unit)
        assert message.body is not None
        return self.journal.append(records.PUT, head, message.body)

    def start_logging(self, unit: UnitOfWork) -> None:
        """Record where a unit begins in the journal: the log keeps what follows until the unit ends."""
        if not unit.logged:
            unit.logged = True
            unit.first_position = self.journal.end
            self.units[unit.number] = unit

    def publish(self, queue: Queue, message: Message) -> None:
        """Give a message to a waiter, or link it to its queue."""
        waiting = queue.waiting
        waiter = None
        if waiting is not None and waiting.cost:
            self._let_search(queue, waiting, message)
        if waiting is not None and waiting.count > waiting.retrying and message.body is not None:
            waiter = waiting.find(message)
        if waiter is not None and not message.expires_at and message.onward is None:
            self._hand_over(queue, message, waiter)
        else:
            queue.link(message)
            self._keep(queue, message)
            if waiter is not None:
                self.fail_waiter(queue, waiter, TRY_AGAIN)  # it has a clock to see whether this has expired
            elif message.body is None:
                self.serve(queue, message.put_time)  # the waiter has to read the body first
            elif waiting is not None and waiting.retrying:
                self._retry(queue, message)

    def _let_search(self, queue: Queue, waiting: Waiting, message: Message) -> None:
        """Have waiting gets search the queue themselves, when asking them is too much for one step."""
        python_follows()
        self.step.searched += waiting.cost
        if waiting.searches:
            self.step.searched += cost_of_text(waiting.searches, characters_of(message.properties))
        if self.step.searched > SEARCHED_MAX:
            for waiter in waiting.asking():
                self.fail_waiter(queue, waiter, TRY_AGAIN)

    def _keep(self, queue: Queue, message: Message) -> None:
        """Record what the host must do for a message that stays: save it, or move it out of memory."""
        if message.persistent:
            self.wishes.unsaved.append(message)
            if queue.memory_used() > self.persistent_buffer_bytes:
                self.wishes.spilling.append(message)
        elif queue.memory_used() > self.buffer_bytes:
            self.wishes.spilling.append(message)

    def _hand_over(self, queue: Queue, message: Message, waiter: Waiter) -> None:
        if waiter.unit is not None:
            queue.link(message)
            if message.persistent:
                self.wishes.unsaved.append(message)
            self.answer(queue, message, waiter)
            if waiter.message is None:
                self.serve(queue, message.put_time)
            return
        queue.waiting.remove(waiter)
        message.place = queue.next_place
        queue.next_place += 1
        message.state = GONE
        message.queue = None
        message.owner = None
        queue.last_get = message.put_time
        queue.handed_over += 1
        own, self.step.account = self.step.account, waiter.account
        self._count_get(queue, message)
        self.step.account = own
        if message.persistent:
            waiter.position = self.log_removed(queue, message)
            self.step.wait_for(waiter.position)
        waiter.message = message
        waiter.wake(waiter)

    def answer(self, queue: Queue, message: Message, waiter: Waiter) -> None:
        """Let a waiter have a linked message."""
        queue.waiting.remove(waiter)
        unit = waiter.unit
        if unit is not None and unit.state != ACTIVE:
            waiter.reason = mq.MQRC_BACKED_OUT
        elif unit is not None and unit.count >= self.uncommitted_max:
            waiter.reason = mq.MQRC_SYNCPOINT_LIMIT_REACHED
        else:
            queue.last_get = max(queue.last_get, message.put_time)
            own, self.step.account = self.step.account, waiter.account
            taken = self.remove(queue, message, unit, message.put_time)
            self.step.account = own
            if taken.onward is not None:
                python_follows()
                taken = shown(taken)
            waiter.message = taken
            waiter.position = self.step.position
        waiter.wake(waiter)

    # -- getting ---------------------------------------------------------------------------

    def select(
        self, queue: Queue, match: Match | None, unit: UnitOfWork | None, now: float
    ) -> Message | None:
        """Return the message that a get would take, or None.

        Expired messages on the way are discarded. If the message or its body is in a message file, None is
        returned and the step's `to_load` holds what to read before the next try; it is empty if other callers
        come first, because many messages have expired or are not in the index yet. With a scan, Packed is
        raised instead.
        """
        expired = 0
        while True:
            if match is None:
                message = queue.first_available()
                if message is not None and message.state == PACKED:
                    python_follows()
                    self.step.load([first_window(queue, message)])
                    return None
            else:
                message = self._find(queue, match)
                if message is None and self.step.to_load is not None:
                    return None
            if message is None:
                if queue.shared is not None:
                    python_follows()
                    found: Message | None = queue.shared.missed(queue, match, unit, now)
                    return found
                return self._own_put(queue, match, unit, now)
            if message.expires_at and message.expires_at <= now:
                python_follows()
                if self.effects.needs_body(message):
                    self.step.load([message])
                    return None
                self.effects.expired(queue, message, now)
                expired += 1
                if expired == EXPIRED_AT_ONCE:
                    self.step.load([])
                    return None
                continue
            if message.body is None:
                self.step.load(load_ahead(queue, message, match))
                return None
            if message.expires_at:
                message.remaining = message.expires_at - now
            return message

    def _find(self, queue: Queue, match: Match) -> Message | None:
        index = queue.index_for(match)
        if index is not None and not index.complete and not index.extend(queue, INDEXED_AT_ONCE):
            self.step.load([])
            return None
        if match.selector is not None and self.scan is not None:
            python_follows()
            if index is None or not names_one(index, match):
                several: Message | None = self.scan.find(queue, match)
                return several
        if index is None or (queue.packed and match.group_id == NO_ID and index is queue.by_group_id):
            python_follows()
            return self._walk(queue, match)
        found = index.find(match)
        if not queue.packed or index is queue.by_group_id:  # packed messages are in no group
            return found
        python_follows()
        return self._find_packed(queue, match, found)

    def _walk(self, queue: Queue, match: Match) -> Message | None:
        """Return the first message that suits, looking at all; with a scan, that goes on where it was."""
        try:
            scan = Scan(UNLIMITED) if self.scan is None else self.scan
            found: Message | None = scan.find(queue, match)
        except Packed as needed:
            if self.scan is not None:
                raise
            self.step.load([needed.window])
            return None
        return found

    def _find_packed(self, queue: Queue, match: Match, found: Message | None) -> Message | None:
        """Return what was found by an id, unless messages on disk may have it and come first."""
        window = others_first(queue, match, found)
        if window is None:
            return found
        if len(window.places) == SAME_ID_MAX and not match.is_plain():
            return self._walk(
                queue, match
            )  # so many that those who do not suit would be read again and again
        if self.scan is not None:
            raise Packed(window)
        self.step.load([window])
        return None

    def _own_put(
        self, queue: Queue, match: Match | None, unit: UnitOfWork | None, now: float
    ) -> Message | None:
        if unit is None or not unit.puts:
            return None
        if match is not None and match.selector is not None and self.scan is not None:
            python_follows()
            chosen: Message | None = self.scan.own_put(queue, match, unit, now)
            return chosen
        best = None
        for message in unit.puts:
            if message.queue is not queue or (message.expires_at and message.expires_at <= now):
                continue
            if match is None or match.accepts(message):
                if best is None or (queue.by_priority and message.priority > best.priority):
                    best = message
        if best is not None and best.expires_at:
            best.remaining = best.expires_at - now
        return best

    def remove(self, queue: Queue, message: Message, unit: UnitOfWork | None, now: float) -> Message:
        """Take a selected message off its queue; final outside a unit.

        What it returns is as it is stored: a program gets what `shown` makes of it.
        """
        if queue.shared is not None:
            python_follows()
            got: Message = queue.shared.remove(queue, message, unit, now)
            return got
        if message.state == UNCOMMITTED:
            return self._remove_own_put(queue, message, message.owner)
        if unit is None:
            queue.unlink(message)
            self._count_get(queue, message)
            if message.persistent:
                self.step.wait_for(self.log_removed(queue, message))
            if message.location:
                self.wishes.discards.append(message.location)
            return message
        self.hold(queue, message, unit)
        return message.snapshot()

    def hold(self, queue: Queue, message: Message, unit: UnitOfWork) -> None:
        """Take an available message off its queue in a unit; for callers who need no copy of it."""
        self._check_unit(unit)
        unit.add_get(message)
        queue.hold(message, GOT, unit)
        queue.uncommitted += 1
        self._count_get(queue, message)
        if message.persistent:
            self.start_logging(unit)
            self.journal.append(
                records.GET, records.pack_removed_one(unit.number, queue.id, message.seq), b""
            )

    def _remove_own_put(self, queue: Queue, message: Message, unit: UnitOfWork) -> Message:
        unit.puts.remove(message)
        message.state = GONE
        message.queue = None
        queue.uncommitted -= 1
        self._count_get(queue, message)
        message.owner = None
        if message.persistent:
            self.journal.append(
                records.GET, records.pack_removed_one(unit.number, queue.id, message.seq), b""
            )
        return message

    @cython.nonecheck(False)  # type: ignore[untyped-decorator]
    def _count_get(self, queue: Queue, message: Message) -> None:
        queue.depth -= 1
        count_got(queue, message, queue.last_get)
        if self.step.account is not None:
            self.step.account.gets += 1
            self.step.account.get_bytes += message.length
            if self.step.account.by_queue:
                self.step.account.got(queue, message, queue.last_get)
        if self.tracer is not None:
            self.tracer.got(queue, message, self.step.account)
        if message.reports or queue.depth_events is not None or queue.service_interval is not None:
            python_follows()
            self.effects.message_got(queue, message)

    def note_get(self, queue: Queue, message: Message) -> None:
        """Count a get from a shared queue, which takes messages off itself."""
        self._count_get(queue, message)

    def log_removed(self, queue: Queue, message: Message) -> int:
        """Log that a persistent message was removed; return the position."""
        head = records.pack_removed_one(0, queue.id, message.seq)
        return self.journal.append(records.GET, head, b"")

    def take(self, queue: Queue, match: Match | None, unit: UnitOfWork | None, now: float) -> Message | None:
        """Select and remove in one step; None when there is nothing (or the step has `to_load`)."""
        if not queue.get_enabled:
            queue.gets_failed += 1
            python_follows()
            self.effects.get_inhibited(queue.name, now)
            raise error(mq.MQRC_GET_INHIBITED, f"queue {queue.name} is GET(DISABLED)", queue=queue.name)
        message = self.select(queue, match, unit, now)
        if message is None:
            if self.step.to_load is None:
                queue.gets_empty += 1
            return None
        queue.last_get = now
        taken = self.remove(queue, message, unit, now)
        if taken.onward is not None:
            python_follows()
            return shown(taken)
        return taken

    def wait(self, queue: Queue, match: Match | None, unit: UnitOfWork | None, wake: Any) -> Waiter:
        """Register a getter that waits; `wake(waiter)` is called once when it is answered."""
        waiter = Waiter(queue, match, unit, wake)
        waiter.account = self.step.account
        if queue.waiting is None:
            queue.waiting = Waiting()
        queue.waiting.add(waiter)
        return waiter

    def loaded(self, messages: list[Message], bodies: list[bytes]) -> None:
        """Take bodies that were read from message files."""
        self.step.take_load()
        for message, body in zip(messages, bodies, strict=True):
            queue = message.queue
            if message.body is None and queue is None and message.state == UNCOMMITTED:
                message.body = body  # a batch's output, which is on no queue yet
            elif message.body is None and queue is not None:
                queue.restore_body(message, body)
                limit = self.persistent_buffer_bytes if message.persistent else self.buffer_bytes
                if queue.memory_used() > limit:
                    self.wishes.spilling.append(message)  # unless it is got soon, memory is short again

    def brought(self, window: Window, entries: list[Any], messages: list[Message]) -> None:
        """Take packed messages that were read from message files, as far as they are still there."""
        self.step.take_load()
        queue, read = window.queue, []
        for (block, position, location), message in zip(entries, messages, strict=True):
            if not queue.deleted and block.locations[position] == location:
                packing.check_read(queue, block, position, message)
                packing.bring_in(queue, block, position, message)
                read.append(message)
        self.wishes.spilling += packing.instead_of(window, read, self)

    def serve(self, queue: Queue, now: float) -> None:
        """Give waiters the messages that became available again (after a backout, an unlock ...)."""
        if queue.waiting is None or not queue.waiting.count:
            return
        for waiter in queue.waiting.everyone():
            if waiter.retry is not None or not waiter.active:
                continue
            if waiter.cost and self.step.searched > SEARCHED_MAX:
                self.fail_waiter(queue, waiter, TRY_AGAIN)
                continue
            try:
                message = self._select_for(queue, waiter, now)
            except Paused:  # it is the getter's to look through all of the queue
                self.fail_waiter(queue, waiter, TRY_AGAIN)
                continue
            if message is not None:
                self.answer(queue, message, waiter)
            elif self.step.take_load() is not None:
                self.fail_waiter(queue, waiter, TRY_AGAIN)
        if queue.waiting.retrying:
            self._retry(queue, None)

    def _select_for(self, queue: Queue, waiter: Waiter, now: float) -> Message | None:
        """Return the message that a waiter would take; Paused where it takes a look through a long queue."""
        if waiter.match is None or waiter.match.selector is None:
            return self.select(queue, waiter.match, waiter.unit, now)
        python_follows()
        scan = Scan()
        try:
            with scanning(self, scan):
                return self.select(queue, waiter.match, waiter.unit, now)
        finally:
            self.step.searched += scan.spent

    def _retry(self, queue: Queue, came: Message | None) -> None:
        python_follows()
        for waiter in queue.waiting.retriers():
            if waiter.active and waiter.cost and self.step.searched > SEARCHED_MAX:
                self.fail_waiter(queue, waiter, TRY_AGAIN)
            elif waiter.active and waiter.retry(waiter, came):
                waiter.wake(waiter)

    def fail_waiter(self, queue: MessageQueue, waiter: Waiter, reason: int) -> None:
        queue.waiting.remove(waiter)
        waiter.reason = reason
        waiter.wake(waiter)

    # -- units of work ---------------------------------------------------------------------

    def new_unit(self, owner: Any, now: float) -> UnitOfWork:
        number = self.next_unit
        self.next_unit += 1
        return UnitOfWork(number, now, owner)

    def commit(self, unit: UnitOfWork, now: float) -> None:
        """Commit; with persistent work the unit ends when the step's position is on disk."""
        if unit.state == FAILED:
            unit.state = ENDED
            raise error(mq.MQRC_BACKED_OUT, "the queue manager backed this unit of work out")
        if unit.state != ACTIVE and unit.state != PREPARED:
            raise error(mq.MQRC_BACKED_OUT, "the unit of work has ended")
        if unit.shared is not None:
            python_follows()
            self.sharing.commit(unit, now)
            return
        if not unit.logged:
            if len(unit.puts) + len(unit.gets) <= ENDED_AT_ONCE:
                self.finish_commit(unit)
                return
            self.start_logging(unit)  # in vain, but it ends in steps then, as what waits for the disk
        start = self.journal.end
        position = self.journal.append(records.COMMIT, records.pack_unit(unit.number), b"")
        self.step.wait_for(position)
        if unit.xid is not None:
            self.prepared.pop(unit.xid, None)
        unit.state = COMMITTING
        self.wishes.pending.append((position, COMMIT, unit, None, start))
        if unit.puts:
            self._offer(unit)

    def _offer(self, unit: UnitOfWork) -> None:
        """Offer what a unit has put to channels that take messages before they are on disk."""
        for message in unit.puts:
            queue = message.queue
            if queue.arrivals is not None:
                python_follows()
                queue.arrivals.offer(message)

    def finish_commit(self, unit: UnitOfWork) -> None:
        """Remove a unit's gets and show its puts; its journal record is on disk."""
        unit.state = COMMITTING
        self._finish_some(unit, len(unit.gets) + len(unit.puts))

    def _finish_some(self, unit: UnitOfWork, most: int) -> int:
        """Remove gets and show puts of a committed unit, in their order; return how many were handled."""
        if not unit.ending:
            unit.ending = True
            self.commits += 1
            if self.tracer is not None:
                self.tracer.ended(unit, "commit")
        gets, puts = unit.gets, unit.puts
        last = len(gets) + len(puts) <= most
        if not last:
            gets, unit.gets = gets[:most], gets[most:]
            left = most - len(gets)
            puts, unit.puts = puts[:left], puts[left:]
        for message in gets:
            queue = message.queue
            queue.uncommitted -= 1
            queue.unlink(message)
            if message.location:
                self.wishes.discards.append(message.location)
        for message in puts:
            queue = message.queue
            queue.uncommitted -= 1
            if message.location:
                self._forget_location(message)
            self._on_disk(queue, message, message.state != UNCOMMITTED)
        if last:
            self.units.pop(unit.number, None)  # until then a checkpoint leaves its records in the journal
            unit.state = ENDED
            self._after(unit, True)
        return len(gets) + len(puts)

    def _on_disk(self, queue: Queue, message: Message, taken: bool) -> None:
        """Publish a message, unless a channel has taken it already: then it stays as it is."""
        if taken:
            self.wishes.unsaved.append(message)
            return
        message.owner = None
        if queue.arrivals is not None:
            python_follows()
            queue.arrivals.published(message)
        self.publish(queue, message)

    def _forget_location(self, message: Message) -> None:
        # its record in the message file names the unit that held it: it must be written again
        if message.body is None:
            message.misfiled = True
            self.wishes.misfiled.append(message)
            return
        self.wishes.discards.append(message.location)
        message.location = 0

    def backout(self, unit: UnitOfWork, now: float) -> None:
        """Undo a unit: puts are dropped, gets return to their places with a higher backout count."""
        if unit.state == FAILED:
            unit.state = ENDED
            return
        if unit.state != ACTIVE and unit.state != PREPARED:
            return
        if unit.shared is not None:
            python_follows()
            self.sharing.backout(unit, now)
        unit.state = ENDED
        self.backouts += 1
        if self.tracer is not None:
            self.tracer.ended(unit, "backout")
        self.units.pop(unit.number, None)
        if unit.xid is not None:
            self.prepared.pop(unit.xid, None)
        counts = []
        queues = {}
        self.wishes.dropping.append(unit.puts)
        self.drop_some()
        for message in unit.gets:
            queue = message.queue
            message.backout_count += 1
            if message.persistent:
                counts.append((message.seq, message.backout_count))
                if message.location:
                    self.wishes.amended.append(message)
            queue.uncommitted -= 1
            queue.depth += 1
            queue.gets_undone += 1
            queue.free(message)
            if message.location and queue.memory_used() > self.buffer_bytes:
                queue.drop_body(message)  # its file has it, and memory is short
            queues[queue.name] = queue
        if unit.logged:
            end = self.journal.append(records.BACKOUT, records.pack_value((unit.number, counts)), b"")
            if counts:
                self.step.wait_for(end)  # backout counts are hardened
        gets = unit.gets
        unit.gets = []
        unit.puts = []
        self._after(unit, False)
        for queue in queues.values():
            self._returned(queue, gets, now)

    def drop_some(self) -> None:
        """Drop puts of units that were backed out; of very many housekeeping drops the rest."""
        dropping = self.wishes.dropping
        left = ENDED_AT_ONCE
        while dropping and left > 0:
            puts = dropping[-1]
            some = puts[-left:]
            del puts[-left:]
            left -= len(some)
            for message in some:
                self._drop_put(message)
            if not puts:
                dropping.remove(puts)

    def take_back(self, unit: UnitOfWork, kept: int, most: int) -> None:
        """Take the last puts of a unit out of it again, as if they had not been made: this many at most."""
        while len(unit.puts) > kept and most > 0:
            message = unit.puts.pop()
            most -= 1
            if message.persistent:
                head = records.pack_removed_one(unit.number, message.queue.id, message.seq)
                self.journal.append(records.GET, head, b"")
            self._drop_put(message)

    def _drop_put(self, message: Message) -> None:
        queue = message.queue
        queue.depth -= 1
        queue.uncommitted -= 1
        queue.puts_undone += 1
        message.state = GONE
        message.owner = None
        message.queue = None
        if message.location:
            self.wishes.discards.append(message.location)

    def _returned(self, queue: Queue, gets: list[Message], now: float) -> None:
        if self.effects is not None and queue.moves_backouts:
            python_follows()
            self.effects.backed_out(queue, gets, now)
        self.serve(queue, now)

    def _after(self, unit: UnitOfWork, committed: bool) -> None:
        actions = unit.after
        if actions is not None:
            unit.after = None
            python_follows()
            for action in actions:
                action(committed)

    def fail_oldest_unit(self, tail: int, now: float) -> UnitOfWork | None:
        """Back out the unit that keeps the log's tail where it is; its owner gets 2003 at its next call."""
        oldest = None
        for unit in self.units.values():
            if unit.state == ACTIVE and unit.first_position <= tail:
                if oldest is None or unit.first_position < oldest.first_position:
                    oldest = unit
        if oldest is not None:
            self.backout(oldest, now)
            oldest.state = FAILED
        return oldest

    def durable(self, position: int) -> int:
        """Finish what waited for the disk up to this position; return up to which position it is finished.

        That is less if it is too much for one step: then the host lets others in, and calls again.
        """
        pending = self.wishes.pending
        left = ENDED_AT_ONCE
        while pending and pending[0][0] <= position:
            if left <= 0:
                return pending[0][0] - 1
            _, kind, subject, message, _ = pending[0]
            left -= 1
            if kind == COMMIT and len(subject.gets) + len(subject.puts) > left:
                left -= self._finish_some(subject, left)
                continue
            pending.popleft()
            if kind == PUBLISH:
                self._on_disk(subject, message, message.state != AVAILABLE)
            elif kind == COMMIT:
                left -= self._finish_some(subject, left)
            else:
                python_follows()
                subject()
        return position

    def when_durable(self, action: Any) -> None:
        """Call something once everything logged so far is on disk."""
        end = self.journal.end
        self.step.wait_for(end)
        self.wishes.pending.append((end, CALL, action, None, end))

    def dispose(self) -> None:
        """Drop every message, so that memory is returned."""
        for queue in self.queues.values():
            queue.dispose()
        self.queues.clear()
        self.queues_by_id.clear()
        self.wishes.pending.clear()
        self.wishes.unsaved.clear()
        self.units.clear()


TRY_AGAIN = -1  # a waiter's reason: a body must be read first, get again


def load_ahead(queue: Queue, message: Message, match: Match | None = None) -> list[Message]:
    """Return a spilled message and the spilled ones behind it, as far as one read should go.

    Of a cluster transmission queue those of the same channel. Neighbours of a message that was got by
    another id may never be needed.
    """
    if match is not None and (match.correl_id is None or not match.is_plain()):
        return [message]
    found: list[Message] = []
    size = looked = 0
    current: Message | None = message
    while current is not None and len(found) < LOAD_AHEAD and size < 1 << 20 and looked < LOOK_AHEAD:
        looked += 1
        if current.body is not None:
            if match is None:
                break
        elif current.state == AVAILABLE and (match is None or match.accepts(current)):
            found.append(current)
            size += current.length
        current = queue.next_in_memory(current)
    return found
