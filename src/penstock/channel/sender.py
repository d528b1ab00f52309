# cython: nonecheck=True
"""The sending end of a message channel, for the life of one link.

Messages of the transmission queue are got in units of work, the batches. A batch is prepared when it is
full or the queue is empty. When that is on disk, the receiving end is asked to commit it; when the receiving
end has it on disk, it is committed here. Up to `window` batches may be on their way. At the start of a link
the receiving end sends what it has committed, which decides every batch in doubt before anything is got.
Non-persistent messages of NPMSPEED(FAST) go outside batches. `Memory` keeps them until the other end has
counted them, so a broken line loses none. No I/O, no clock: the owner of the line calls with the time.
Invariants: CONFIRM leaves after PREPARE is on disk. Nothing is got before all doubt is resolved. Compiled
through `sender.pxd`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import __version__
from penstock.channel import fault_points, frames, moves, resynchronising, terms, unsendable
from penstock.channel.carrying import load
from penstock.channel.compression import level_of
from penstock.channel.conversion import convert_for
from penstock.channel.counts import Meter
from penstock.channel.line import Frame
from penstock.channel.own_batches import OwnBatches
from penstock.model import constants as mq
from penstock.model.conversion import CONVERSION_REASONS
from penstock.model.errors import MQError, error
from penstock.model.onward import original
from penstock.protocol import numbers as protocol
from penstock.qmgr.channels import channel_events
from penstock.qmgr.channels.channel_events import Subject
from penstock.qmgr.channels.sync_book import SyncRecord
from penstock.qmgr.clusters.cluster_names import COMMAND, forbidden
from penstock.qmgr.monitoring import activities
from penstock.qmgr.states import ACTIVE, AVAILABLE

if TYPE_CHECKING:
    from penstock.channel.counts import Counts
    from penstock.channel.line import Line
    from penstock.channel.memory import Memory
    from penstock.channel.shared_batches import SharedBatches
    from penstock.channel.terms import Terms
    from penstock.model.message import Message
    from penstock.qmgr.channels.batches import Batch
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match

FRAME_MESSAGES_MAX = 1 << 20  # no limit: a frame is full by its bytes
BYTES_MAX = 1 << 62
GREETING, RUNNING, STOPPING, ENDED = "GREETING", "RUNNING", "STOPPING", "ENDED"


@dataclass(frozen=True, slots=True)
class Sending:
    """The settings of a channel definition for its sending end."""

    channel: str
    queue: str  # XMITQ
    offer: Terms
    batch_bytes_max: int = 5000 << 10  # BATCHLIM; 0 for none
    batch_interval: float = 0.0  # BATCHINT, seconds
    batch_heartbeat: float = 0.0  # BATCHHB, seconds; 0 for none
    uses_dead_letters: bool = True  # USEDLQ
    compression: tuple[str, ...] = ()  # COMPMSG
    converts: bool = False  # CONVERT
    match: Match | None = None  # of a cluster channel: which messages of the queue are its own
    kind: str = "SDR"  # its type


class _Open:
    """A batch that is being filled."""

    def __init__(self, unit: UnitOfWork, number: int, first: int, since: float) -> None:
        self.unit = unit
        self.number = number  # on this link
        self.first = first
        self.since = since
        self.count = 0
        self.size = 0
        self.full = False


class Sender:
    """One sending end on one link."""

    def __init__(
        self,
        engine: Engine,
        definition: Sending,
        line: Line,
        memory: Memory,
        counts: Counts,
        shared: SharedBatches | None = None,
    ) -> None:
        self.engine = engine
        own = OwnBatches(engine, definition.channel, definition.match is not None)
        self.batches: OwnBatches | SharedBatches = own if shared is None else shared
        self.claiming: Any = None  # messages of a shared queue that were asked for last
        self.definition = definition
        self.line = line
        self.memory = memory
        self.state = GREETING
        self.partner = ""
        self.terms: Terms = definition.offer
        self.level = 0  # of compression
        self.ccsid = 0  # of the other end, when messages are converted for it
        self.filling: _Open | None = None
        self.moves = moves.Moves()  # the frame that is being filled
        self.waiting: deque[tuple[int, Batch]] = deque()  # prepared, not confirmed: number and batch
        self.confirms_sent = 0
        self.next_batch = 1
        self.sequence = 0  # of the last message
        self.confirm_at = 0.0  # when the last CONFIRM was made ready
        self.asked_at: float | None = None  # when a heartbeat was sent that is not answered yet
        self.heard_at = 0.0  # when data last arrived from the other end
        self.answer = protocol.WELCOME  # the other end's answer to our greeting
        self.partner_name = ""
        self.partner_version = ""
        self.token = ""  # the other end's name for this link
        self.counts = counts  # of the channel, through all its links
        self.trouble: frames.Trouble | None = None  # that the other end had with a message last
        self.unhurried = 0  # position of the journal that nothing waits for: on disk sooner or later
        self.paused_until = 0.0  # the other end tries a message again then

    @property
    def queue(self) -> Queue:
        """The transmission queue; 2085 if it was deleted."""
        found: Queue | None = self.engine.queues.get(self.definition.queue)
        if found is None:
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME, f"transmission queue {self.definition.queue} is not defined"
            )
        return found

    # -- greeting --------------------------------------------------------------------------

    def start(self) -> None:
        """Send the greeting of an end that dials."""
        self._greet(protocol.HELLO)

    def accept(self) -> None:
        """Answer the greeting of a requester: this end sends although the other one has dialled."""
        self.answer = protocol.TOOK
        self._greet(protocol.WELCOME)

    def _greet(self, kind: int) -> None:
        definition = self.definition
        self.batches.begin(self._lost_group)
        facts: dict[str, Any] = {
            "channel": definition.channel,
            "role": "sender",
            "version": __version__,
            "replaces": self.memory.token,
            **self.batches.identity(),
            **definition.offer.facts(),
        }
        self.line.send(frames.greeting(kind, facts))

    def _welcome(self, facts: dict[str, Any], now: float) -> None:
        luwid, seq, knew = resynchronising.committed_of(facts)
        self.partner, self.partner_name, incarnation = frames.partner_of(facts, "qmgr")
        self.terms = terms.agreed(self.definition.offer, terms.read(facts))
        self.level = level_of(self.definition.compression, self.terms.compression)
        self.moves.shortens = self.terms.alike
        if self.level:
            self.moves.meter = self.counts.compression = self.counts.compression or Meter(self.counts.clock)
        self.partner_version = frames.version_of(facts)
        self.ccsid = resynchronising.ccsid_of(facts) if self.definition.converts else 0
        self.token = str(facts.get("token", ""))
        taken = facts.get("fast_taken")
        self._resynchronise(SyncRecord(luwid, seq), incarnation, knew, now)
        self.batches.when_resolved(lambda: self._resolved(taken, now))

    def _resynchronise(self, committed: SyncRecord, incarnation: str, knew: str, now: float) -> None:
        """Decide the batches in doubt by the other end's record, and keep the identity of that end."""
        other = resynchronising.Partner(self.partner, incarnation, knew)
        self.batches.resynchronise(other, committed, now)

    def _resolved(self, fast_taken: object, now: float) -> None:
        """Begin to send: no batch is in doubt any more."""
        if self.state != GREETING:
            return
        self.sequence = self.batches.sequence(self.partner)
        self.state = RUNNING
        self._resend_fast(self.token, fast_taken, now)
        if self.batches.is_shared:
            self.ask(now)  # this may be another thread: the owner pumps
        else:
            self.pump(now)

    def _lost_group(self, failure: MQError) -> None:
        """End the link: another member may have the channel. The engine is held."""
        self._fail(failure, self.heard_at, tells=False)

    def _resend_fast(self, token: str, taken: object, now: float) -> None:
        """Send again what the last link lost; nothing if the other end does not know what it received."""
        if isinstance(taken, int) and not isinstance(taken, bool):
            self.counts.confirm(self.memory.taken(taken), now)
        else:
            self.memory.begin("")
        for count, frame in self.memory.begin(token):
            self._send_fast(count, frame, now)

    # -- frames ----------------------------------------------------------------------------

    def on_frame(self, frame: Frame, now: float) -> None:
        """Take a frame of the receiving end; a failure ends the link."""
        if self.state == ENDED:
            return
        self.heard_at = now
        try:
            self._take(frame, now)
        except MQError as failure:
            self._fail(failure, now, tells=frame.kind != protocol.FAILED)

    def _take(self, frame: Frame, now: float) -> None:
        if frame.kind == protocol.FAILED:
            self._back_out_from(frame.unit, now)
            raise frames.read_failed(frame)
        if frame.kind == protocol.GOODBYE:
            self._fail(None, now)
        elif self.state == GREETING and frame.kind == self.answer:
            self._welcome(frames.read_greeting(frame), now)
        elif self.state in (RUNNING, STOPPING) and frame.kind == protocol.CONFIRMED:
            self._confirmed(frame, now)
        elif self.state in (RUNNING, STOPPING) and frame.kind == protocol.HEARTBEAT:
            if self.asked_at is not None:
                self.counts.net_time.add((now - self.asked_at) * 1e6)
            self.asked_at = None
            self.counts.confirm(self.memory.taken(frames.read_heartbeat(frame)), now)
            self.pump(now)
            if self.memory.full:
                self.ask(now)  # nothing more is sent before the other end has counted the rest
        elif self.state in (RUNNING, STOPPING) and frame.kind == protocol.TROUBLE:
            self._troubled(frames.read_trouble(frame), now)
        else:
            raise frames.unexpected(frame, self.state)

    def _confirmed(self, frame: Frame, now: float) -> None:
        fault_points.reached(fault_points.CONFIRMED_READ)
        answer = frames.read_confirmed(frame)
        number, batch = self.waiting[0] if self.waiting else (0, None)
        if batch is None or not self.confirms_sent or (number, batch.luwid) != (frame.unit, answer.luwid):
            raise error(mq.PSRC_CHANNEL_FRAME, f"batch {frame.unit} was not to be confirmed now")
        self.waiting.popleft()
        self.confirms_sent -= 1
        self._count(batch, now)
        self.paused_until = 0.0
        self.counts.confirm(self.memory.taken(answer.fast_taken), now)
        self._commit(batch, now)
        fault_points.reached(fault_points.BATCH_COMMITTED)
        self.pump(now)

    def _commit(self, batch: Batch, now: float) -> None:
        """Remove the messages of a batch. No caller waits for that: it goes to disk with later records."""
        self.unhurried = self.batches.commit(batch, now)

    def _count(self, batch: Batch, now: float) -> None:
        size = batch.messages(self.terms.wrap)
        counts = self.counts
        counts.batches += 1
        counts.confirm(size, now)
        counts.batch_size.add(size)
        if self.confirm_at:
            counts.net_time.add((now - self.confirm_at) * 1e6)
            self.confirm_at = 0.0

    def _troubled(self, trouble: frames.Trouble, now: float) -> None:
        """Record that the other end cannot put a message; a loss is also written to the error log here."""
        self.trouble = trouble
        if trouble.wait_ms:
            self.paused_until = now + trouble.wait_ms / 1000 + 1
        else:
            self.counts.reported.add(trouble.text, now)
            text = f"Channel {self.definition.channel}, at {self.partner_name}: {trouble.text}."
            self.engine.wishes.notices.append(("AMQ9544W", text))

    # -- sending ---------------------------------------------------------------------------

    def pump(self, now: float) -> None:
        """Send what may be sent: called when messages arrive, and when anything else has changed."""
        if self.state not in (RUNNING, STOPPING):
            return
        try:
            self._fill(now)
            if self.filling is not None and self._is_due(self.filling, now):
                self._end_batch(self.filling, now)
        except MQError as failure:
            self._fail(failure, now)
            return
        if self.state == STOPPING and not self.waiting and self.filling is None:
            if self.memory.kept:
                self.ask(now)  # it ends when they are counted: a line that breaks now would lose them
            else:
                self._fail(None, now)

    def _is_due(self, batch: _Open, now: float) -> bool:
        """Return whether a batch ends although more would fit: the queue is empty, or time is up."""
        if self.line.full():
            return False
        if batch.full or self.state == STOPPING or not self.definition.batch_interval:
            return True
        return not 0 <= now - batch.since < self.definition.batch_interval  # the clock may be set back

    def _fill(self, now: float) -> None:
        queue = self.queue
        while self._may_fill(queue):
            try:
                goes_on = self._fill_frame(queue, now)
            finally:  # fast messages are off their queue: they go out, whatever comes behind them
                self._emit(now)
            if not goes_on:
                return

    def _may_fill(self, queue: Queue) -> bool:
        if self.state != RUNNING or not queue.get_enabled or len(self.waiting) >= self.terms.window:
            return False
        if self.filling is not None and self.filling.full:
            return False
        return not self.memory.full and not self.line.full()

    def _fill_frame(self, queue: Queue, now: float) -> bool:
        """Get messages until a frame is full or a batch ends; False when there is none to get."""
        engine, filled = self.engine, self.moves
        while filled.size < moves.FRAME_BYTES:
            if filled.count and queue.shared is None:
                if not queue.depth:
                    return False  # a lone message, as most are
                if not self.ccsid:
                    self._load(queue, filled, now)
            message = engine.select(queue, self.definition.match, None, now)
            if message is None:
                unread = engine.step.take_load()
                if unread is not None:
                    self._ask_for(queue, unread)
                    return False
                if not self._may_claim(queue):
                    return False
                sends = self._claim(queue, now)
            else:
                sends = self._send(queue, message, now)
            if not sends:
                break
        return True

    def _ask_for(self, queue: Queue, unread: list[Any]) -> None:
        """Have what is missing read; from a shared queue one claim at a time, none where nothing has come."""
        if queue.shared is not None:
            before, (wish,) = self.claiming, unread
            if before is not None and (before.found is None or before.found == 0):
                if before.found is None or before.wakes == wish.wakes:
                    return
            wish.found, wish.count = None, self.terms.batch_size
            self.claiming = wish
        self.line.load(unread)

    def _may_claim(self, queue: Queue) -> bool:
        """Return whether a plain message that is not on disk yet may be taken: its batch must end at once."""
        definition = self.definition
        if queue.arrivals is None or definition.batch_interval or definition.batch_heartbeat or self.ccsid:
            return False
        message = queue.arrivals.first()
        if message is None or not message.persistent or message.onward is None:
            return False
        return bool(message.length <= self.terms.message_max)

    def _claim(self, queue: Queue, now: float) -> bool:
        """Send the first message that is not on disk yet; False when that has ended a batch."""
        arrivals = queue.arrivals
        putter = arrivals.first().owner
        message = arrivals.link()
        try:
            return self._send(queue, message, now)
        finally:
            if message.state == AVAILABLE and message.queue is queue:
                arrivals.unlink(message, putter)  # it could not be sent: nobody may see it yet

    def _load(self, queue: Queue, filled: moves.Moves, now: float) -> None:
        """Add plain messages to a frame that has some; one that may end a batch is left to `_send`."""
        terms, batch, before = self.terms, self.filling, filled.count
        if filled.fast:
            load(
                self.engine, queue, filled, None, True, FRAME_MESSAGES_MAX, BYTES_MAX, terms.message_max,
                self.level, now, self.definition.match,
            )  # fmt: skip
            return
        if batch is None or batch.unit.state != ACTIVE:
            return
        limit = self.definition.batch_bytes_max
        batch.size += load(
            self.engine, queue, filled, batch.unit, terms.fast, terms.batch_size - 1 - batch.count,
            limit - batch.size if limit else BYTES_MAX, terms.message_max, self.level, now,
            self.definition.match,
        )  # fmt: skip
        added = filled.count - before
        batch.count += added
        self.sequence = (self.sequence - 1 + added) % terms.wrap + 1

    def _send(self, queue: Queue, message: Message, now: float) -> bool:
        """Get a message and add it to the frame that is being filled; False when that has ended a batch."""
        inner: Message | None = None
        try:
            onward, inner = original(message, now)
            if message.onward is None and onward.queue == COMMAND:
                raise forbidden("with a header of its own")
            if self.ccsid:
                convert_for(inner, self.ccsid)
            if inner.length > self.terms.message_max:
                detail = f"{inner.length} bytes, the channel takes {self.terms.message_max}"
                raise error(mq.MQRC_MSG_TOO_BIG_FOR_CHANNEL, detail)
        except MQError as failure:
            if self.ccsid and failure.reason in CONVERSION_REASONS:
                subject = Subject(self.definition.channel, "", queue.name)
                channel_events.not_converted(self.engine, subject, failure.reason, now)
            how = unsendable.Handling(self.definition.channel, self.definition.uses_dead_letters)
            text = unsendable.remove(self.engine, queue, message, inner, failure, how, now)
            self.counts.undelivered.add(text, now)
            return True
        if inner.reports and activities.are_recorded(inner) and not self._passes(inner, now):
            unsendable.discard(self.engine, queue, message, now)
            return True
        filled = self.moves
        fast = self.terms.fast and not message.persistent and queue.shared is None
        if filled.count and filled.fast != fast:
            self._emit(now)
        if fast:
            if not filled.count:
                filled.begin(0, 0, True, message.put_time)
            self.engine.remove(queue, message, None, now)
            filled.add(onward, inner, now, self.level)
            return True
        batch = self._batch(now)
        self.engine.remove(queue, message, batch.unit, now)  # a shared queue has a way of its own
        fault_points.reached(fault_points.GOT)
        self.sequence = self._following(self.sequence)
        batch.count += 1
        batch.size += message.length
        if not filled.count:
            filled.begin(self.sequence, batch.number, False, message.put_time)
        filled.add(onward, inner, now, self.level)
        limit = self.definition.batch_bytes_max
        if batch.count < self.terms.batch_size and not (limit and batch.size > limit):
            return True
        batch.full = True
        self._end_batch(batch, now)
        return False

    def _passes(self, message: Message, now: float) -> bool:
        """Record that a message is sent, if it asks for that; False when it must not go on."""
        definition = self.definition
        passage = activities.Passage(definition.channel, definition.kind, self.partner_name)
        return activities.leaves(self.engine, message, definition.queue, passage, now)

    def _batch(self, now: float) -> _Open:
        """Return the batch that is being filled; a new one when there is none."""
        batch = self.filling
        if batch is None:
            unit = self.engine.new_unit(None, now)
            batch = self.filling = _Open(unit, self.next_batch, self._following(self.sequence), now)
            self.next_batch += 1
        if batch.unit.state != ACTIVE:
            raise error(mq.MQRC_BACKED_OUT, "the queue manager backed a batch out")
        return batch

    def _emit(self, now: float) -> None:
        """Send the frame that was filled, if there is anything in it."""
        filled = self.moves
        count = filled.count
        if not count:
            return
        self.counts.messages += count
        self.counts.last_at = now
        self.counts.queue_time.add(max(0.0, now - filled.since) * 1e6)
        if filled.fast:
            self._send_fast(count, filled.take(), now)
        else:
            self.line.send(filled.take())
            fault_points.reached(fault_points.MOVED)

    def _following(self, sequence: int) -> int:
        return sequence % self.terms.wrap + 1

    def _send_fast(self, count: int, frame: Frame, now: float) -> None:
        self.memory.keep(count, frame)
        self.line.send(frame)
        if self.memory.asks:
            self.ask(now)

    def ask(self, now: float) -> None:
        """Send a heartbeat, unless one is unanswered: the answer counts fast messages."""
        if self.state in (RUNNING, STOPPING) and self.asked_at is None:
            self.asked_at = now
            self.line.send(frames.heartbeat())

    def _end_batch(self, batch: _Open, now: float) -> None:
        """Prepare a batch if data arrived from the other end within BATCHHB; else send a heartbeat first.

        A batch that is not prepared returns to its queue when the link fails, instead of being in doubt.
        """
        limit = self.definition.batch_heartbeat
        if not limit or now - self.heard_at <= limit:
            self._prepare(batch, now)
            return
        self.ask(now)
        if self.asked_at is not None and not 0 <= now - self.asked_at <= limit:
            raise error(
                mq.MQRC_CONNECTION_BROKEN, f"{self.partner} did not answer a heartbeat in {limit} seconds"
            )

    def _prepare(self, batch: _Open, now: float) -> None:
        """End a batch: from here on it is in doubt until the other end answers."""
        self._emit(now)
        self.filling = None
        made = self.batches.prepare(batch.unit, self.partner, batch.first, self.sequence, now)
        fault_points.reached(fault_points.PREPARE_APPENDED)
        self.waiting.append((batch.number, made))
        request = frames.Confirm(made.luwid, made.first, made.last, batch.count)
        self.confirm_at = now
        self.when_prepared(made, lambda: self._confirm(batch.number, request))

    def when_prepared(self, made: Batch, action: Any) -> None:
        """Call something when a batch is prepared for good."""
        self.batches.when_prepared(made, action)

    def _confirm(self, number: int, request: frames.Confirm) -> None:
        fault_points.reached(fault_points.PREPARE_DURABLE)
        if self.state in (RUNNING, STOPPING):
            self.confirms_sent += 1
            self.line.send(frames.confirm(number, request))
            fault_points.reached(fault_points.CONFIRM_WRITTEN)

    # -- the end ---------------------------------------------------------------------------

    def stop(self, now: float) -> None:
        """End when the batches on their way are confirmed, as STOP CHANNEL MODE(QUIESCE) does."""
        if self.state == GREETING:
            self._fail(None, now)
        elif self.state == RUNNING:
            self.state = STOPPING
            self.pump(now)

    def lost(self, now: float) -> None:
        """The link has ended: unprepared batches return to the queue, prepared ones stay in doubt."""
        if self.state == ENDED:
            return
        self.state = ENDED
        self.batches.ended()
        self._back_out_filling(now)

    def _back_out_from(self, number: int, now: float) -> None:
        """Return this batch and all later ones to the queue: the other end never commits them. 0 is none."""
        self._back_out_filling(now)
        while number and self.waiting and self.waiting[-1][0] >= number:
            _, batch = self.waiting.pop()
            self.batches.back_out(batch, now)

    def _back_out_filling(self, now: float) -> None:
        filling, self.filling = self.filling, None
        if filling is not None:
            self.batches.give_back(filling.unit, now)

    def _fail(self, failure: MQError | None, now: float, tells: bool = True) -> None:
        """End the link; the other end is told why, unless it is the one that said so."""
        self.lost(now)
        if failure is None:
            self.line.send(Frame(protocol.GOODBYE))
        elif tells:
            self.line.send(frames.failed(0, failure))
        self.line.end(failure)
