# cython: nonecheck=True
"""The receiving end of a message channel, for the life of one link.

Messages of a batch are put in a unit of work. CONFIRM logs the synch record in that unit and commits it; when
that is on disk the messages are visible and CONFIRMED leaves. A broken link backs out every batch without a
CONFIRM. A message that cannot be put for a reason that may pass makes the end pause and try again (MRRTY,
MRTMR); frames that come meanwhile wait. No I/O, no clock: the owner of the line calls with the time.
Invariants: a new link ends the old one of the same channel and partner first, unread frames with it. The
answer to a greeting leaves when every synch record logged so far is on disk: an earlier answer could be made
wrong by a crash, or by the record that was about to be written. Compiled through `receiver.pxd`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import __version__
from penstock.channel import fault_points, frames, moves, terms
from penstock.channel.carrying import unload
from penstock.channel.counts import Counts, Meter
from penstock.channel.line import Frame
from penstock.channel.running_links import ENDED
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.qmgr.channels import delivery
from penstock.qmgr.channels.delivery import EVERYWHERE, Delivery, Destinations
from penstock.qmgr.channels.sync_book import RECEIVER, SyncRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.channel.line import Line
    from penstock.channel.running_links import Running
    from penstock.channel.terms import Terms
    from penstock.model.message import Message
    from penstock.model.onward import Onward
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork

LUWID_MAX = (1 << 63) - 1
GREETING, RESYNCHRONISING, RUNNING = "GREETING", "RESYNCHRONISING", "RUNNING"
NOTHING = Frame(protocol.MOVE)


@dataclass(frozen=True, slots=True)
class Receiving:
    """The settings of a channel definition for its receiving end."""

    channel: str
    offer: Terms
    delivery: Delivery = EVERYWHERE
    retries_max: int = 10  # MRRTY
    retry_seconds: float = 1.0  # MRTMR
    caller: str = ""  # identity of the other end: a link of another partner does not replace this one
    check_room: Callable[[int], None] = lambda length: None  # refuses what the disk or the log could not keep


class _Open:
    """A batch that is arriving."""

    def __init__(self, unit: UnitOfWork, first: int) -> None:
        self.unit = unit
        self.first = first
        self.count = 0
        self.last = 0


@dataclass(slots=True)
class Pause:
    """A message that could not be put, and when it is tried again."""

    frame: Frame  # that begins with it
    failure: MQError
    due: float
    tries: int


class Receiver:
    """One receiving end on one link."""

    def __init__(
        self,
        engine: Engine,
        definition: Receiving,
        line: Line,
        running: Running,
        counts: Counts | None = None,
    ) -> None:
        self.engine = engine
        self.definition = definition
        self.line = line
        self.running = running
        self.state = GREETING
        self.partner = ""
        self.incarnation = ""  # the partner's
        self.token = ""
        self.terms: Terms = definition.offer
        self.destinations = Destinations(engine, definition.delivery)
        self.targets: dict[bytes, Onward] = {}  # what the destinations of messages mean, by their bytes
        self.batches: dict[int, _Open] = {}  # by number, in order
        self.next_batch = 1
        self.sequence = 0  # of the last message
        self.luwid = 0  # of the last batch that was confirmed
        self.fast_taken = 0
        self.dead_letters = False  # since the last answer
        self.answer = protocol.WELCOME  # the answer to the other end's facts
        self.partner_name = ""
        self.partner_version = ""
        self.counts = counts if counts is not None else Counts()
        self.pause: Pause | None = None
        self.unread: deque[Frame] = deque()  # that have come while this end pauses
        self.called_back = False  # the other end closes the connection and dials: it is a sender

    # -- greeting --------------------------------------------------------------------------

    def request(self) -> None:
        """Send the greeting of a requester: this end dials, and the other one sends."""
        self.answer = protocol.TOOK
        facts = {"channel": self.definition.channel, "role": "requester", **self._own_facts()}
        self.line.send(frames.greeting(protocol.HELLO, facts))

    def _own_facts(self) -> dict[str, Any]:
        engine = self.engine
        return {
            "qmgr": engine.name,
            "qmid": str(engine.definition.attributes["QMID"]),
            "incarnation": engine.incarnation,
            "version": __version__,
            "ccsid": int(engine.definition.attributes["CCSID"]),
            **self.definition.offer.facts(),
        }

    def _hello(self, facts: dict[str, Any], now: float) -> None:
        if facts.get("role") != "sender" or facts.get("channel") != self.definition.channel:
            detail = f"channel {facts.get('channel')!r:.30} in role {facts.get('role')!r:.20}"
            raise error(mq.PSRC_CHANNEL_REFUSED, f"{detail} does not fit receiver {self.definition.channel}")
        self.partner, self.partner_name, self.incarnation = frames.partner_of(facts, "from")
        self.terms = terms.agreed(self.definition.offer, terms.read(facts))
        self.partner_version = frames.version_of(facts)
        self.destinations.partner, self.destinations.partner_name = self.partner, self.partner_name
        if self.terms.compression:
            self.counts.compression = Meter(self.counts.clock)
        taken = self.adopt(str(facts.get("replaces", "")), now)
        fault_points.reached(fault_points.ADOPTED)
        self._apply_resets(facts.get("resets", []))
        self.state = RESYNCHRONISING
        self.when_logged(lambda: self._welcome(taken))

    def _welcomed(self, facts: dict[str, Any], now: float) -> None:
        """The other end has answered a requester: it sends, or closes the connection and dials itself."""
        if facts.get("call_back") is True:
            self.called_back = True
            self.lost(now)
            self.line.end(None)
            return
        self._hello(facts, now)

    def adopt(self, replaces: str, now: float) -> int | None:
        """End the last link of this channel and partner; return the fast messages that came by the one named.

        None if another process had that link, so it is unknown. It is kept until the partner names
        a later one, because the answer to this greeting may be lost, and because a greeting may come so late
        that a later link has been there meanwhile.
        """
        key = (self.definition.channel, self.partner)
        old = self.running.ends.get(key)
        if old is not None and old.state != ENDED and old.definition.caller != self.definition.caller:
            detail = f"channel {self.definition.channel} runs for {self.partner} from somewhere else"
            raise error(mq.MQRCCF_CHANNEL_IN_USE, detail, channel=self.definition.channel)
        self.running.enter(key, self)
        self.token = self.running.token()
        if old is None:
            return None
        if old.state != ENDED:
            old.lost(now)
            old.line.end(None)
        return self.running.count_of(key, replaces, old)

    def _apply_resets(self, resets: object) -> None:
        """RESET CHANNEL at the sending end: its record is ours from now on. Others' resets are not ours."""
        if not isinstance(resets, list):
            raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting says {resets!r:.60} of resets")
        for reset in resets:
            self._apply_reset(reset)

    def _apply_reset(self, reset: object) -> None:
        if not isinstance(reset, list) or [type(each) for each in reset] != [str, int, int]:
            raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting says {reset!r:.60} of a reset")
        own, luwid, number = reset
        if not 0 <= luwid <= LUWID_MAX or not 1 <= number <= self.terms.wrap:
            raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting says {reset!r:.80} of a reset")
        if own == str(self.engine.definition.attributes["QMID"]):
            record = SyncRecord(luwid, number - 1, self.incarnation)
            self.engine.sync_book.write(RECEIVER, self.definition.channel, self.partner, record)

    def when_logged(self, action: Any) -> None:
        """Call something when everything logged so far is on disk."""
        self.engine.when_durable(action)

    def _welcome(self, fast_taken: int | None) -> None:
        if self.state != RESYNCHRONISING:
            return
        engine = self.engine
        record = engine.sync_book.find(RECEIVER, self.definition.channel, self.partner)
        self.sequence, self.luwid = record.seq, record.luwid
        self.state = RUNNING
        facts = {
            **self._own_facts(),
            "committed": [record.luwid, record.seq, record.incarnation],
            "token": self.token,
            "fast_taken": fast_taken,
        }
        self.line.send(frames.greeting(self.answer, facts))
        fault_points.reached(fault_points.ANSWERED)

    # -- frames ----------------------------------------------------------------------------

    def on_frame(self, frame: Frame, now: float) -> None:
        """Handle a frame of the sending end; a failure is sent to the other end and ends the link."""
        if self.state == ENDED:
            return
        if self.pause is not None and frame.kind != protocol.HEARTBEAT:
            self.unread.append(frame)
            return
        try:
            self._take(frame, now)
        except MQError as failure:
            self._fail(failure, now)

    def _take(self, frame: Frame, now: float) -> None:
        if self.state == GREETING and frame.kind == protocol.HELLO:
            self._hello(frames.read_greeting(frame), now)
        elif self.state == GREETING and frame.kind == protocol.WELCOME and self.answer == protocol.TOOK:
            self._welcomed(frames.read_greeting(frame), now)
        elif frame.kind == protocol.FAILED:
            raise frames.read_failed(frame)
        elif frame.kind == protocol.GOODBYE:
            self.lost(now)
            self.line.end(None)
        elif self.state == RUNNING and frame.kind == protocol.MOVE:
            self._move(frame, now)
        elif self.state == RUNNING and frame.kind == protocol.CONFIRM:
            self._confirm(frame, now)
        elif self.state == RUNNING and frame.kind == protocol.HEARTBEAT:
            self.line.send(frames.heartbeat(self.fast_taken))
        else:
            raise frames.unexpected(frame, self.state)

    def _move(self, frame: Frame, now: float) -> None:
        """Put the messages of a frame; from the first that has to wait on they are tried again later."""
        self.counts.last_at = now
        reader = moves.Reader(frame, self.targets, self.counts.compression)
        if frame.flags & protocol.FAST:
            before = self.fast_taken
            self._move_fast(frame, reader, now)
            self.counts.confirm(self.fast_taken - before, now)
            return
        self.definition.check_room(len(frame.payload))
        batch = self._batch(frame, now)
        wrap, number = self.terms.wrap, self.sequence % self.terms.wrap + 1
        if frame.request != number:
            detail = f"message {frame.request} came where {number} was due"
            raise error(mq.PSRC_CHANNEL_OUT_OF_STEP, f"channel {self.definition.channel}: {detail}")
        while True:
            message, taken = self._unload(reader, batch.unit, self.terms.batch_size - batch.count, now)
            if taken:
                batch.count += taken
                self.sequence = batch.last = (number + taken - 2) % wrap + 1
                number = self.sequence % wrap + 1
            if message is None and not reader.more():
                return
            if batch.count >= self.terms.batch_size:
                raise error(mq.PSRC_CHANNEL_FRAME, f"a batch has at most {self.terms.batch_size} messages")
            if message is None:
                message = reader.next(now)
            if not self._deliver(reader, message, batch.unit, now):
                self._wait_with(moves.rest_of(frame, reader.began, number, reader.like_at))
                return
            batch.count += 1
            self.sequence = batch.last = number
            number = number % wrap + 1
            if not reader.more():
                return

    def _move_fast(self, frame: Frame, reader: moves.Reader, now: float) -> None:
        while True:
            message, taken = self._unload(reader, None, len(frame.payload), now)
            self.fast_taken += taken
            if message is None:
                return
            if not self._deliver(reader, message, None, now):
                self._wait_with(moves.rest_of(frame, reader.began, 0, reader.like_at))
                return
            self.fast_taken += 1
            if not reader.more():
                return

    def _unload(
        self, reader: moves.Reader, unit: UnitOfWork | None, room: int, now: float
    ) -> tuple[Message | None, int]:
        """Put plain messages; return one that is not plain, or None, and how many were put.

        The message that this end pauses for, and messages whose own users count, go the slow way.
        """
        if self.pause is not None or self.definition.delivery.by_context:
            return (reader.next(now) if room > 0 else None), 0
        before = reader.taken
        longest = self.terms.message_max
        message = unload(self.engine, reader, self.destinations, unit, room, longest, now)
        taken = reader.taken - before
        self.counts.messages += taken
        return message, taken

    def _wait_with(self, frame: Frame) -> None:
        assert self.pause is not None
        self.pause.frame = frame

    def _batch(self, frame: Frame, now: float) -> _Open:
        batch = self.batches.get(frame.unit)
        if batch is None:
            if frame.unit != self.next_batch or len(self.batches) > self.terms.window:
                raise error(mq.PSRC_CHANNEL_FRAME, f"batch {frame.unit} came where {self.next_batch} was due")
            self.next_batch += 1
            batch = self.batches[frame.unit] = _Open(self.engine.new_unit(None, now), frame.request)
        return batch

    # -- delivery --------------------------------------------------------------------------

    def _deliver(self, reader: moves.Reader, message: Message, unit: UnitOfWork | None, now: float) -> bool:
        """Put a message; False if it is to be tried again later. A fast message never stops the channel."""
        onward = reader.onward
        if message.length > self.terms.message_max:
            detail = f"a message of {message.length} bytes is above what was agreed"
            raise error(mq.PSRC_CHANNEL_FRAME, detail)
        try:
            delivery.put(self.engine, self.destinations, onward, message, unit, now)
        except MQError as failure:
            if failure.reason == mq.MQRC_BACKED_OUT:
                raise  # the batch is gone: a dead letter in it would be nowhere
            if self._pauses(failure, now):
                return False
            self._give_up(onward, message, failure, unit, now)
        self.pause = None
        self.counts.messages += 1
        return True

    def _give_up(
        self, onward: Onward, message: Message, failure: MQError, unit: UnitOfWork | None, now: float
    ) -> None:
        how = self.definition.delivery
        try:
            text = delivery.give_up(self.engine, onward, message, failure, unit, now, how)
        except MQError:
            if unit is not None:
                raise
            text = f"message {message.msg_id.hex().upper()} for {onward.queue} was discarded: {failure}"
        self._tell(failure.reason, text)
        self._count_undelivered(text, unit, now)

    def _count_undelivered(self, text: str, unit: UnitOfWork | None, now: float) -> None:
        """Count a message that was given up, as soon as nothing can undo that."""
        undelivered = self.counts.undelivered
        if unit is None:
            undelivered.add(text, now)
        else:
            unit.when_ended(lambda committed: undelivered.add(text, now) if committed else None)

    def _pauses(self, failure: MQError, now: float) -> bool:
        """Return whether a message is tried again (MRRTY), and inform the other end when."""
        tries = self.pause.tries if self.pause is not None else 0
        if failure.reason not in delivery.PASSING or tries >= self.definition.retries_max:
            return False
        wait = self.definition.retry_seconds
        self.pause = Pause(NOTHING, failure, now + wait, tries + 1)
        self.line.send(frames.trouble(frames.Trouble(failure.reason, max(1, int(wait * 1000)), str(failure))))
        return True

    def _tell(self, reason: int, text: str) -> None:
        """Name a message that did not get where it goes in both error logs, for the first of a batch."""
        self.engine.wishes.notices.append(("AMQ9544W", f"Channel {self.definition.channel}: {text}."))
        if not self.dead_letters:
            self.line.send(frames.trouble(frames.Trouble(reason, 0, text)))
        self.dead_letters = True

    def pump(self, now: float) -> None:
        """Continue with what can be done now: `try_again`."""
        self.try_again(now)

    def try_again(self, now: float) -> None:
        """Try the message again that this end pauses for, if it is time, and continue with the next."""
        pause = self.pause
        if pause is None or self.state != RUNNING:
            return
        if 0 < pause.due - now <= self.definition.retry_seconds:  # more: the clock was set back
            return
        try:
            self._take(pause.frame, now)
            while self.pause is None and self.unread:
                frame = self.unread.popleft()
                self._take(frame, now)
        except MQError as failure:
            self._fail(failure, now)

    def _confirm(self, frame: Frame, now: float) -> None:
        fault_points.reached(fault_points.CONFIRM_READ)
        request = frames.read_confirm(frame)
        number, batch = next(iter(self.batches.items()), (0, None))
        if batch is None or number != frame.unit:
            raise error(mq.PSRC_CHANNEL_FRAME, f"batch {frame.unit} is not the oldest one here")
        if (request.first, request.last, request.count) != (batch.first, batch.last, batch.count):
            detail = f"batch {number} has {batch.count} messages {batch.first} to {batch.last} here"
            raise error(mq.PSRC_CHANNEL_OUT_OF_STEP, f"channel {self.definition.channel}: {detail}")
        if request.luwid <= self.luwid:
            detail = f"LUWID {request.luwid:016X} is not behind {self.luwid:016X}"
            raise error(mq.PSRC_CHANNEL_OUT_OF_STEP, f"channel {self.definition.channel}: {detail}")
        self.commit(number, batch.unit, request, now)
        del self.batches[number]
        self.luwid = request.luwid

    def commit(self, number: int, unit: UnitOfWork, request: frames.Confirm, now: float) -> None:
        """Commit a batch with its synch record; the answer leaves when both are on disk."""
        record = SyncRecord(request.luwid, request.last, self.incarnation)
        self.engine.sync_book.write_in(unit, self.definition.channel, self.partner, record)
        unit.when_ended(
            lambda committed: self._committed(number, request, now) if committed else self._refused(now)
        )
        self.engine.commit(unit, now)
        fault_points.reached(fault_points.COMMIT_APPENDED)

    def _refused(self, now: float) -> None:
        """End the link: the facility of the group did not take a batch for shared queues."""
        if self.state == RUNNING:
            self._fail(error(mq.MQRC_BACKED_OUT, "the queue manager backed a batch out"), now)

    def _committed(self, number: int, request: frames.Confirm, now: float) -> None:
        fault_points.reached(fault_points.COMMIT_DURABLE)
        if self.state == RUNNING:
            flags = frames.DEAD_LETTERS_USED if self.dead_letters else 0
            self.dead_letters = False
            answer = frames.Confirmed(request.luwid, request.last, flags, self.fast_taken)
            self.counts.batches += 1
            self.counts.batch_size.add(request.count)
            self.counts.confirm(request.count, now)
            self.line.send(frames.confirmed(number, answer))
            fault_points.reached(fault_points.CONFIRMED_WRITTEN)

    # -- the end ---------------------------------------------------------------------------

    def lost(self, now: float) -> None:
        """The link has ended: back out every batch without a CONFIRM."""
        if self.state == ENDED:
            return
        self.state = ENDED
        for batch in reversed(self.batches.values()):
            self.engine.backout(batch.unit, now)
        self.batches.clear()
        self.unread.clear()
        self.pause = None

    def stop(self, now: float) -> None:
        """End as STOP CHANNEL does: batches without a CONFIRM are backed out, and sent again later."""
        if self.state != ENDED:
            self.lost(now)
            self.line.send(Frame(protocol.GOODBYE))
            self.line.end(None)

    def _fail(self, failure: MQError, now: float) -> None:
        """Back out what has no CONFIRM, and name the first such batch: from it on nothing is committed."""
        first = next(iter(self.batches), self.next_batch)
        self.lost(now)
        self.line.send(frames.failed(first, failure))
        self.line.end(failure)
