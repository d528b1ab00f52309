"""Housekeeping: what only time brings about, in one thread per host.

A round backs out orphaned units, expires messages, publishes figures, frees log and memory, and makes
checkpoints. `Host` has a `Housekeeping` and starts it; tests call its rounds themselves. The thread knows its
host by a weak reference, so it keeps no forgotten one alive. Invariant: work that takes long is cut into
steps, and others reach the engine in between. Compiled through `housekeeping.pxd`, as `host.py` is.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.host import checkpointing
from penstock.host.monitoring.activity_trace import ActivityTrace
from penstock.host.monitoring.logger_events import LoggerEvents
from penstock.host.monitoring.resource_topics import ResourceTopics
from penstock.host.pacing import Pace
from penstock.host.users.users_file import identity_of
from penstock.model.errors import MQError
from penstock.qmgr.selectors.content_selection import compile_for
from penstock.qmgr.selectors.evaluations import Evaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from penstock.host.host import Host

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.5
CHECKPOINT_BYTES_MAX = 256 << 20
CHECKPOINT_DISCARDS = 100_000  # dead messages in message files that make a checkpoint worth while
COMPLAINT_SECONDS = 60.0  # between two entries about the same failure of housekeeping


class Housekeeping:
    """The rounds of one host's background work, and the thread that makes them."""

    def __init__(self, host: Host) -> None:
        self._logger_events = LoggerEvents(host)
        self._activity = ActivityTrace()
        self._resources = ResourceTopics()
        self._users_seen = (identity_of(host.people.users_file), 0)
        self._complaints: dict[str, float] = {}
        self.wake = threading.Event()  # set for a round at once
        self.stopping = threading.Event()
        self._thread = threading.Thread(
            target=_keep_house, args=(weakref.ref(host), self.wake), name="penstock-house", daemon=True
        )

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; a round that is under way is finished."""
        self.stopping.set()
        self.wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def complain(self, host: Host, failure: MQError) -> None:
        """Write background failures to the error log; repeated ones only at intervals."""
        now = time.monotonic()
        text = str(failure)
        if now - self._complaints.get(text, -COMPLAINT_SECONDS) >= COMPLAINT_SECONDS:
            self._complaints.clear()
            self._complaints[text] = now
            host.error_log.write("AMQ6119S", f"Housekeeping failed: {failure}", action=failure.action)

    def round(self, host: Host, now: float) -> None:
        """One round of what time brings about."""
        host.look_at_disk()
        with host.gate.anyway:
            host.back_out_orphans()
        self._look_at_users(host)
        self._tick(host, now)
        self._logger_events.look(host, now)
        self._tell_of_itself(host, now)
        self._scavenge(host, now)
        if host.engine.wishes.spilling and not host.disk_low:
            host.spill_now()
        checkpointing.seal(host)
        if host.log_stuck or host.journal.used > host.high_water_bytes:
            host.make_room()  # with a checkpoint; clients that wait for room are refused when there is none
        elif self._checkpoint_due(host):
            checkpointing.checkpoint(host)
        host.journal.prepare_ahead()

    def _look_at_users(self, host: Host) -> None:
        """Have authority checked again after the users file or the groups of a user changed."""
        host.people.system.look_again()
        seen = (identity_of(host.people.users_file), host.people.system.changes)
        if seen != self._users_seen:
            self._users_seen = seen
            with host.gate.anyway:
                host.engine.dependencies.security_changed()

    def _tick(self, host: Host, now: float) -> None:
        pace = Pace(host.pacer)
        self._take_tick(host, now)
        while host.engine.effects.scanning and not host.closed:
            pace.step()
            self._take_tick(host, now)
        while host.engine.wishes.dropping and not host.closed:
            with host.gate.anyway:
                host.engine.drop_some()
            pace.step()
        self._carry_out_long(host)

    def _take_tick(self, host: Host, now: float) -> None:
        """Let the engine do what time brings about, some messages at most."""
        with host.gate.anyway:
            if host.engine.tracer is not None:
                host.trace.forget_expired()
                host.renew_tracer()
            host.engine.tick(now)
            unread, selectors, notices = host.engine.wishes.take_for_tick()
        for number, text in notices:
            host.error_log.write(number, text)
        for text in selectors:
            with suppress(MQError):  # kept, and raised for the caller that requested it
                compile_for(host.engine, text)
        bodies = [each for each in unread if not isinstance(each, Evaluation)]
        if bodies:
            host.load(bodies)
        for each in unread:
            if isinstance(each, Evaluation):
                self._evaluate(host, each)
        with host.gate.anyway:
            if bodies or selectors:
                host.engine.tick(now)  # before anything spills them again
            position = host.engine.wishes.pending_end()
        host.settle(position)

    def _evaluate(self, host: Host, evaluation: Evaluation) -> None:
        """Have selectors evaluated, then make another round; meanwhile log and memory are looked after."""
        evaluations = host.engine.pubsub.publisher.evaluations
        if evaluations is not None:  # else the server ends
            evaluations.begin(evaluation, self.wake.set)

    def _tell_of_itself(self, host: Host, now: float) -> None:
        """Publish figures and activity to those who subscribe to them."""
        with host.gate.anyway:
            self._activity.look(host, now)
            self._resources.look(host, now)
            position = host.engine.wishes.pending_end()
        host.settle(position)

    def _carry_out_long(self, host: Host) -> None:
        """Carry out commands of publish/subscribe that take long; others get in between the steps.

        A checkpoint would hold what such a command has changed so far, without the rest.
        """
        pubsub = host.engine.pubsub
        if pubsub.queued.long:
            with host.checkpoint_lock:
                self._in_steps(host, pubsub.queued.go_on, pubsub.queued.long)
        self._in_steps(host, pubsub.deliver_left, pubsub.left)

    def _in_steps(self, host: Host, step: Callable[[float], None], left: Sized) -> None:
        """Take steps until nothing is left; between two it does what they need, with the engine free."""
        pace = Pace(host.pacer)
        while left:
            with host.gate.anyway:
                step(time.time())
                unread, host.engine.wishes.unread = host.engine.wishes.unread, []
                position = host.engine.wishes.pending_end()
            if unread:
                host.load(unread)
            host.settle(position)
            pace.step()

    def _scavenge(self, host: Host, now: float) -> None:
        """Remove unused topics, a few at a time so that others get to the engine in between."""
        more = True
        while more and not host.closed:
            with host.gate.anyway:
                more = host.engine.pubsub.scavenge(now)

    def _checkpoint_due(self, host: Host) -> bool:
        """Return whether the log, or what is dead in message files, has grown enough for a checkpoint."""
        if host.log_is_due():
            return True
        dead = len(host.engine.wishes.discards)
        return dead >= CHECKPOINT_DISCARDS or (dead > 0 and host.file_bytes >= CHECKPOINT_BYTES_MAX)


def _keep_house(reference: weakref.ref[Host], wake: threading.Event) -> None:
    """Run housekeeping until the host stops; an edge, so it logs failures."""
    while True:
        wake.wait(TICK_SECONDS)
        wake.clear()
        host = reference()
        if host is None or host.house.stopping.is_set():
            return
        try:
            host.housekeeping(time.time())
        except MQError as failure:
            if host.journal.stopped:
                host.stop(failure)
            if host.failure is not None or host.house.stopping.is_set():
                return
            host.house.complain(host, failure)
        except Exception:
            logger.exception("housekeeping_failed qmgr=%s", host.engine.name)
        del host
