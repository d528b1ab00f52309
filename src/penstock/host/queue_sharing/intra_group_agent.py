"""The agent of intra-group queuing: gets what other members put for this one, and puts it where it goes.

A thread of each member with IGQ(ENABLED), embedded ones among them. It gets messages of the shared
transmission queue in units of work together with the puts, so each arrives once whatever dies. What cannot
be put goes to the dead-letter queue at once; without one a persistent message stays, and is tried again.
Lock order: the gate is never held while the facility is asked. How messages get on the queue:
`qmgr.sharing.intra_group`.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.onward import original
from penstock.qmgr.channels import delivery
from penstock.qmgr.channels.delivery import Delivery, Destinations
from penstock.qmgr.sharing import intra_group
from penstock.qmgr.sharing.shared_queue import SharedQueue
from penstock.qmgr.sharing.wishes import Claim
from penstock.qmgr.waiters import Match, Waiter, Waiting

if TYPE_CHECKING:
    from typing import Any

    from penstock.host.queue_sharing.sharing import GroupMembership
    from penstock.model.message import Message
    from penstock.qmgr.unit_of_work import UnitOfWork

logger = logging.getLogger(__name__)

UNIT_MESSAGES_MAX = 50
LOOK_SECONDS = 1.0  # between looks at the queue when nothing wakes the agent
RETRY_SECONDS = 5.0  # after a message that could not be put anywhere


class IntraGroupAgent:
    """The agent of one member."""

    def __init__(self, membership: GroupMembership) -> None:
        self._membership = membership
        self._host, self._engine = membership.host, membership.engine
        self._key = intra_group.key_of(self._engine.name)
        self._bell = threading.Event()
        self._ending = threading.Event()
        self._waiter: Waiter | None = None
        self._most = UNIT_MESSAGES_MAX  # messages of the next unit
        self._complaint = ""
        self._thread = threading.Thread(target=self._run, name="penstock-intra-group", daemon=True)

    @property
    def is_enabled(self) -> bool:
        """Whether the queue manager does intra-group queuing."""
        return bool(self._engine.definition.attributes["IGQ"] == "ENABLED")

    def start(self) -> None:
        """Begin to deliver."""
        self._thread.start()

    def end(self) -> None:
        """Have the agent end after the unit that is under way."""
        self._ending.set()
        self._bell.set()

    def stop(self) -> None:
        """End, and wait until the agent has."""
        self.end()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._ending.is_set():
            self._bell.wait(LOOK_SECONDS)
            self._bell.clear()
            try:
                while not self._ending.is_set() and self._deliver():
                    pass
            except MQError as failure:
                self._failed(failure)
            except Exception:  # a thread's edge: the agent goes on
                logger.exception("intra_group_failed")
                self._ending.wait(RETRY_SECONDS)

    def _failed(self, failure: MQError) -> None:
        if failure.reason in (mq.MQRC_CF_NOT_AVAILABLE, mq.MQRC_BACKED_OUT, mq.MQRC_OUTCOME_PENDING):
            return  # the facility is away, or was: the next look goes on
        if str(failure) != self._complaint:
            self._complaint = str(failure)
            text = f"Messages for this member stay on {intra_group.QUEUE}: {failure}"
            self._host.error_log.write("CSQE031W", text)
        self._ending.wait(RETRY_SECONDS)

    # -- one unit of work ----------------------------------------------------------------------

    def _deliver(self) -> bool:
        """Deliver some messages in one unit of work; False when there are none."""
        queue = self._queue()
        if queue is None:
            return False
        wish = Claim(queue, key=self._key, count=self._most)
        self._membership.fetch([wish])
        if not wish.found:
            return False
        failure: MQError | None = None
        with self._host.gate.anyway:
            now = time.time()
            self._engine.step.begin()
            unit = self._engine.new_unit(None, now)
            done = 0
            try:
                while done < wish.found and (message := self._next(queue, unit, now)) is not None:
                    self._put(message, unit, now)
                    done += 1
            except MQError as problem:
                failure = problem
                self._give_back(unit, now)
            else:
                self._engine.commit(unit, now)
            number = self._engine.step.end()
        self._host.settle(number)
        self._most = UNIT_MESSAGES_MAX if failure is None else max(done, 1)
        if failure is not None and not done:
            raise failure
        return True

    def _queue(self) -> SharedQueue | None:
        """Return the shared transmission queue if messages may be got from it; have it ring the bell."""
        if not self.is_enabled or not self._membership.connected:
            return None
        with self._host.gate.anyway:
            queue = self._engine.queues.get(intra_group.QUEUE)
            if not isinstance(queue, SharedQueue) or not queue.get_enabled:
                return None
            if self._waiter is None or not self._waiter.active or self._waiter.queue is not queue:
                self._waiter = Waiter(queue, None, None, self._ring, self._came)
                if queue.waiting is None:
                    queue.waiting = Waiting()
                queue.waiting.add(self._waiter)
            return queue

    def _ring(self, waiter: Any) -> None:
        self._bell.set()

    def _came(self, waiter: Any, message: Any) -> bool:
        self._bell.set()
        return False  # it continues to wait

    def _next(self, queue: SharedQueue, unit: UnitOfWork, now: float) -> Message | None:
        engine = self._engine
        message = engine.select(queue, Match(correl_id=self._key), unit, now)
        if message is None:
            engine.step.take_load()  # what was claimed has expired, or went back
            return None
        return engine.remove(queue, message, unit, now)

    def _give_back(self, unit: UnitOfWork, now: float) -> None:
        if unit.shared is not None:
            unit.shared.spared = True
        self._engine.backout(unit, now)

    # -- one message ---------------------------------------------------------------------------

    def _put(self, message: Message, unit: UnitOfWork, now: float) -> None:
        onward, inner = original(message, now)
        ways = self._ways()
        for place, how in enumerate(ways):
            try:
                delivery.put(self._engine, Destinations(self._engine, how), onward, inner, unit, now)
            except MQError as failure:
                if failure.reason == mq.MQRC_BACKED_OUT:
                    raise  # a dead letter in this unit would be nowhere
                if failure.reason == mq.MQRC_NOT_AUTHORIZED and place + 1 < len(ways):
                    continue
                self._cannot_put(message, inner, onward, failure, unit, now)
            return

    def _cannot_put(
        self, message: Message, inner: Message, onward: Any, failure: MQError, unit: UnitOfWork, now: float
    ) -> None:
        try:
            text = delivery.give_up(self._engine, onward, inner, failure, unit, now)
        except MQError:
            if message.persistent:
                raise
            text = f"message {inner.msg_id.hex().upper()} for {onward.queue} was discarded: {failure}"
        self._engine.wishes.notices.append(("CSQE032W", f"Intra-group queuing: {text}."))

    def _ways(self) -> list[Delivery]:
        """Return with whose authority a message is put (IGQAUT); the second if the first may not."""
        values = self._engine.definition.attributes
        user = str(values["IGQUSER"]).strip()
        access = self._host.access
        own = Delivery(access.permissions(user) if user else None)
        if values["IGQAUT"] in ("DEF", "ONLYIGQ"):
            return [own]
        by_context = Delivery(access.permissions(user or access.people.owner), by_context=True)
        return [by_context] if values["IGQAUT"] == "CTX" else [by_context, own]
