"""Side effects of verbs: reports, events, triggers, expiry, backouts.

The core calls here when a queue or a message asks for it (a cheap test there), the opening and
altering of queues always. Messages made here are put by the queue manager itself; one that cannot
be delivered goes to the dead-letter queue or is dropped, and never fails the verb that caused it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.messages import backouts, dead_letters, reports
from penstock.qmgr.messages.outer_descriptors import OuterDescriptors
from penstock.qmgr.monitoring import accounting, events
from penstock.qmgr.monitoring.statistics import Statistics
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.putting import for_transmission
from penstock.qmgr.searching.expiry_scan import STEP_MESSAGES, ExpiryScan
from penstock.qmgr.streams import streaming
from penstock.qmgr.triggers import triggering

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Descriptor, Message
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

ACCOUNTING_SECONDS = 1.0  # between two looks for connections whose accounting is due
SCAN_SECONDS = 5.0  # between two scans of a queue for expired messages


class Effects:
    """The side effects of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._next_scan = 0.0
        self.statistics = Statistics(engine)
        self._next_accounting = 0.0
        self.accounted: set[str] = set()  # queues with ACCTQ(ON)
        self._scans: list[ExpiryScan] = []  # not over yet
        self._unserved: set[str] = set()  # transmission queues that a notice was written about
        self.publishing_copy = False  # to a topic, for a stream: subscribers' queues may have streams too
        self._ticked = 0.0
        self.moment = 0.0  # the real time of a put whose message has another put time
        self._outer = OuterDescriptors(engine)

    # -- messages --------------------------------------------------------------------------

    def now_at(self, message: Message) -> float:
        """Return the time of a put, as exactly as it is known: a message may have another put time."""
        return self.moment or max(message.put_time, self._ticked)

    def check_stream(self, queue: Queue, message: Message) -> None:
        """Raise what keeps the copy of a message from a stream that must have it."""
        if not self.publishing_copy and queue.stream is not streaming.IN_FACILITY:
            streaming.check(self.engine, queue, message)

    def check_stream_room(self, queue: Queue, count: int) -> None:
        """Raise 2053 if a stream queue that must get copies has no room for them."""
        streaming.check_room(self.engine, queue, count)

    def stream(self, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
        """Put a message to a queue that has a stream, with its copy; a copy is not streamed again."""
        if self.publishing_copy or queue.stream is streaming.IN_FACILITY:
            streaming.place(self.engine, queue, message, unit)
        else:
            streaming.enqueue(self.engine, queue, message, unit)

    def message_put(self, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
        """A message was accepted by a queue with events or a trigger."""
        now = self.moment or message.put_time
        if queue.depth_events is not None:
            queue.depth_events.statistics.put(queue.depth)
            self._emit(queue.depth_events.put(queue.depth, now), now)
        if queue.service_interval is not None:
            self._emit(queue.service_interval.put(queue.depth, now), now)
        if queue.trigger is not None:
            triggering.message_put(self.engine, queue, message, unit, now)

    def message_got(self, queue: Queue, message: Message) -> None:
        """A message was got; `message.owner` is the unit when there is one."""
        now = max(queue.last_get, queue.last_put)
        if queue.depth_events is not None:
            queue.depth_events.statistics.got()
            self._emit(queue.depth_events.got(queue.depth, now), now)
        if queue.service_interval is not None:
            self._emit(queue.service_interval.got(queue.depth, now), now)
        if message.reports:
            self.report(message, "COD", message.owner, now)

    def needs_body(self, message: Message) -> bool:
        """Return whether the report on an expired message needs a body that must be read first."""
        return message.reports and message.body is None and reports.needs_body(message, "EXPIRATION")

    def expired(self, queue: Queue, message: Message, now: float) -> bool:
        """Discard an expired message and send the reports it requests; return whether that is done.

        One whose report needs a body that must be read first stays, until a scan has that read.
        """
        if self.needs_body(message):
            return False
        engine = self.engine
        if queue.shared is not None:
            queue.shared.expired(queue, message, now)
            return True
        queue.unlink(message)
        queue.depth -= 1
        queue.expired += 1
        if message.location:
            engine.wishes.discards.append(message.location)
        if message.persistent:
            engine.log_removed(queue, message)  # no caller waits for the disk because of an expiry
        if message.reports:
            self.report(message, "EXPIRATION", None, now)
        return True

    def queue_full(self, queue: Queue, now: float) -> None:
        """A put was refused for lack of room."""
        if queue.depth_events is not None:
            self._emit(queue.depth_events.full(queue.depth, now), now)

    def backed_out(self, queue: Queue, gets: list[Message], now: float) -> None:
        """Messages have returned to a queue; move those that returned too often, with BACKOUT(MOVE)."""
        if queue.moves_backouts:
            backouts.move(self.engine, queue, gets, now)

    def report(self, message: Message, event: str, unit: UnitOfWork | None, now: float) -> None:
        """Put the report that an event on a message calls for, in the unit of work of the event.

        Neither a missing reply queue nor MAXUMSGS makes the verb fail that caused it.
        """
        engine = self.engine
        report = reports.report_for(message, event, now, engine.ids.next, engine.name)
        if report is None:
            return
        self.send_report(report, unit, now)

    def exception(self, message: Message, reason: int, unit: UnitOfWork | None, now: float) -> bool:
        """Put the exception report of an undeliverable message, if it requests one."""
        engine = self.engine
        report = reports.report_for(message, "EXCEPTION", now, engine.ids.next, engine.name, reason)
        if report is not None:
            self.send_report(report, unit, now)
        return report is not None

    def send_report(self, report: reports.Report, unit: UnitOfWork | None, now: float) -> None:
        """Put a report to its queue, else to the dead-letter queue, else nowhere.

        A report that inherits MQRO_DISCARD_MSG is discarded instead of becoming a dead letter.
        """
        engine = self.engine
        try:
            self._send(report, unit, now)
        except MQError as failure:
            if reports.discards(report.message):
                return
            dead_letters.send(engine, report.message, failure.reason, report.queue, report.qmgr, unit, now)

    def _send(self, report: reports.Report, unit: UnitOfWork | None, now: float) -> None:
        engine = self.engine
        route = resolve(engine, report.queue, report.qmgr)
        inhibited = route.put_inhibited_by()
        if inhibited is not None or route.queue is None:
            raise error(
                mq.MQRC_PUT_INHIBITED if inhibited else mq.MQRC_UNKNOWN_OBJECT_NAME,
                f"no report can go to {report.queue}",
            )
        message = report.message
        route = engine.clusters.workload.settled(route, message)
        assert route.queue is not None
        if route.remote:
            message = for_transmission(engine, route, message, now)
        engine.check_put(route.queue, message, None)
        engine.enqueue(route.queue, message, unit)

    # -- objects ---------------------------------------------------------------------------

    def process_altered(self, name: str, now: float) -> None:
        """A process was defined: queues that waited for it may trigger."""
        triggering.process_altered(self.engine, name, now)

    def queue_altered(self, queue: Queue, now: float) -> None:
        """A queue was defined or altered: set up its events and trigger again."""
        self.watch(queue, now)
        triggering.altered(self.engine, queue, now)

    def watch(self, queue: Queue, now: float) -> None:
        """Count what performance events need, when PERFMEV is on."""
        values = queue.definition.attributes
        if values["ACCTQ"] == "ON":
            self.accounted.add(queue.name)
        else:
            self.accounted.discard(queue.name)
        if self.engine.definition is None or self.engine.definition.attributes["PERFMEV"] != "ENABLED":
            queue.depth_events = queue.service_interval = None
            return
        if queue.depth_events is None:
            statistics = events.QueueStatistics(now, queue.depth)
            queue.depth_events = events.DepthEvents(queue.name, statistics, values)
        else:
            queue.depth_events.alter(values)
        statistics = queue.depth_events.statistics
        if values["QSVCIEV"] == "NONE":
            queue.service_interval = None
        elif queue.service_interval is None:
            queue.service_interval = events.ServiceInterval(queue.name, statistics, values, queue.depth, now)
        else:
            queue.service_interval.alter(values)

    def qmgr_altered(self, now: float) -> None:
        """The queue manager's attributes have changed: event switches may have."""
        for queue in self.engine.queues.values():
            self.watch(queue, now)

    def input_opened(self, queue: Queue, now: float) -> None:
        triggering.input_opened(self.engine, queue, now)

    def input_closed(self, queue: Queue, now: float) -> None:
        triggering.input_closed(self.engine, queue, now)

    def sent_away(self, queue: Queue, qmgr: str) -> None:
        """A message for another queue manager goes to a transmission queue that no channel reads."""
        if queue.name in self._unserved or triggering.is_open_for_input(queue):
            return
        self._unserved.add(queue.name)
        channels = self.engine.objects.all("CHANNEL")
        served = any(each.attributes.get("XMITQ") == queue.name for each in channels)
        if served and self.engine.runtime is not None:
            return  # its channel will run
        text = f"Messages for queue manager {qmgr} stay on transmission queue {queue.name}"
        why = "no channel and no program has the queue open for input"
        if self.engine.runtime is None:
            why = "channels run only where `penstock qmgr start` runs the queue manager"
        self.engine.wishes.notices.append(("AMQ9544W", f"{text}: {why}."))

    def outer_descriptor(self, own: Descriptor) -> Descriptor:
        """Return the descriptor that a message with this one has on a transmission queue."""
        return self._outer.of(own)

    # -- refusals --------------------------------------------------------------------------

    def put_inhibited(self, name: str, now: float, connection: Connection | None = None) -> None:
        self._emit_if("INHIBTEV", events.inhibited(mq.MQRC_PUT_INHIBITED, name, _culprit(connection)), now)

    def get_inhibited(self, name: str, now: float, connection: Connection | None = None) -> None:
        self._emit_if("INHIBTEV", events.inhibited(mq.MQRC_GET_INHIBITED, name, _culprit(connection)), now)

    def open_failed(
        self, name: str, reason: int, now: float, qmgr: str = "", connection: Connection | None = None
    ) -> None:
        """An MQOPEN or MQPUT1 failed for a reason that LOCALEV or REMOTEEV reports."""
        if reason in events.LOCAL_REASONS:
            switch = "LOCALEV"
        elif reason in events.REMOTE_REASONS:
            switch = "REMOTEEV"
        else:
            return
        self._emit_if(switch, events.open_failed(reason, name, _culprit(connection), qmgr), now)

    def not_authorized(self, event: Callable[[], events.Event], now: float) -> None:
        """A user was refused; the event is written only with AUTHOREV(ENABLED)."""
        if self.engine.definition.attributes["AUTHOREV"] == "ENABLED":
            self._emit(event(), now)

    def started(self, now: float) -> None:
        """The queue manager has started: watch its queues, and fire for existing messages."""
        for queue in list(self.engine.queues.values()):
            self.queue_altered(queue, now)
        self.engine.pubsub.started(now)
        self._emit_if("STRSTPEV", events.started(), now)

    def stopping(self, now: float) -> None:
        """The queue manager is about to end; the event survives if its queue keeps it."""
        self._emit_if("STRSTPEV", events.stopped(self.engine.state != "ENDING"), now)

    def _emit_if(self, switch: str, event: events.Event, now: float) -> None:
        if self.engine.definition.attributes[switch] == "ENABLED":
            self._emit(event, now)

    def emit(self, event: events.Event, now: float) -> None:
        """Put the message of an event whose switch the caller has looked at."""
        self._emit(event, now)

    def _emit(self, event: events.Event | None, now: float) -> None:
        queue = None if event is None else self.engine.queues.get(event.queue)
        if event is None or queue is None:
            return
        message = events.event_message(
            event,
            self.engine.name,
            now,
            self.engine.ids.next,
            queue.default_priority,
            queue.default_persistent,
        )
        with suppress(MQError):  # an event queue that takes no more loses events, not work
            self.engine.check_put(queue, message, None)
            self.engine.enqueue(queue, message, None)

    # -- time ------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Discard expired messages that no get has found; called from time to time.

        While `scanning`, the caller lets others to the engine and calls again.
        """
        self._ticked = now
        self.statistics.tick(now)
        if not 0 < self._next_accounting - now <= ACCOUNTING_SECONDS:  # later: the clock was set back
            self._next_accounting = now + ACCOUNTING_SECONDS
            accounting.tick(self.engine, now)
        if not self._scans:
            if 0 < self._next_scan - now <= SCAN_SECONDS:
                return
            self._next_scan = now + SCAN_SECONDS
            queues = self.engine.queues.values()
            due = [queue for queue in queues if queue.expiring and queue.earliest_expiry <= now]
            self._scans = [ExpiryScan(self, queue) for queue in due]
        left = STEP_MESSAGES
        while self._scans and left > 0:
            left -= self._scans[-1].step(now, left)
            if self._scans[-1].over:
                self._scans.pop()
        if self.engine.wishes.unread:
            self._next_scan = now  # the host reads them, a later tick reports on them

    @property
    def scanning(self) -> bool:
        """Whether queues are left to look through."""
        return bool(self._scans) or self.statistics.busy

    def scan(self, queue: Queue, now: float) -> None:
        """Discard the expired messages of one queue at once."""
        ExpiryScan(self, queue).step(now, sys.maxsize)


def _culprit(connection: Connection | None) -> events.Culprit:
    if connection is None:
        return events.NOBODY
    return events.culprit(connection.context, connection.user)
