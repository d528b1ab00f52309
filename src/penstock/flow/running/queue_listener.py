"""Gets messages of an MQInput's queue, runs the flow on each, and ends the unit of work. The inline engine.

Two modes with the same results. **In batches**: many messages in one unit, their outputs collected and put
together; for flows that access only queues and lookups. A message that fails is retried in memory, with the
backout count that a redelivery would have, and its outputs are dropped; the others are not affected. While
full batches wait at a queue manager in another process they overlap (`overlapping`). **One by one**: each
message in its own unit with real backouts; for flows with outside effects, and for a batch whose outputs
could not be put, so that the error reaches the node that put them.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from copy import copy
from time import monotonic
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.ledger import Ledger
from penstock.flow.aggregation.on_queues import QueueRecords, define_missing, message_of
from penstock.flow.failing import CANNOT_BE_HANDLED, CONNECTION_GONE, as_pause, failed
from penstock.flow.kinds import Kind
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.mq_input_run import QueueInput
from penstock.flow.ports import CollectingPorts, DirectPorts, PendingPut, backout_rules, put_all
from penstock.flow.running.deliveries import Deliveries
from penstock.flow.running.group_inbox import GroupInbox
from penstock.flow.running.overlapping import is_quick, run_overlapping
from penstock.flow.running.pausing import Pause, pauses_input
from penstock.flow.running.reporting import named, report
from penstock.flow.running.retrying import Tally, Trying, are_fresh
from penstock.flow.running.unit_of_work import UnitOfWork
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, MQError, error

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.ports import BackoutRules, Ports
    from penstock.flow.running.coordination import Coordination
    from penstock.model.message import Message


BATCH_MESSAGES = 100
WAIT_SECONDS = 0.5  # how long a get waits before it looks whether to stop
BUSY_SECONDS_IN_BATCH = 0.05  # a batch that waits for another one may be waited for: one by one, none is
AGAIN, RAN = 0, 1  # what became of a message that was got outside a unit
PATIENCE_SECONDS = (0.05, 5.0)  # before a message without a place to go is tried again: at first, at most


class QueueListener:
    """One instance of a flow at one of its queues. Used by one thread."""

    def __init__(
        self,
        flow: CompiledFlow,
        label: str,
        qm: BlockingQueueManager,
        *,
        batch: int = BATCH_MESSAGES,
        **starting: Any,
    ) -> None:
        node = flow.inputs[label]
        assert isinstance(node, MQInput)
        self.node = node
        self.match: dict[str, Any] = {"selector": node.selector} if node.selector else {}
        self.inbox = GroupInbox(qm, node) if node.logical_order or node.all_available else qm
        # Messages are got by name; the handle makes the flow a reader of the queue (IPPROCS) while it runs.
        self._handle = qm.open(
            node.queue, mq.MQOO_INPUT_AS_Q_DEF
        )  # 2085, 2035 ... before it counts as running
        self.qm = qm
        self.batch = batch if is_batchable(flow) else 1
        self.tally = Tally(flow.name)
        self.careful = 0  # messages still to be run one by one
        self.deliveries = Deliveries()
        self.overlaps = self.batch > 1 and self.inbox is qm and not self.match and not flow.state_queues
        self.rules: BackoutRules | None = None
        self.stuck: MQError | None = None  # why the first message cannot be sent anywhere
        self._patience = PATIENCE_SECONDS[0]
        self.pause = Pause(flow.name, label)
        self._stop: threading.Event | None = None  # ends a pause; None if pauses cannot be ended
        sources = starting.pop("sources", {})
        self.collecting = CollectingPorts(qm.name, **sources)
        self.direct = DirectPorts(qm, **sources)
        self.collecting.pauses = self.direct.pauses = True
        self.ledger = Ledger(QueueRecords(qm, BUSY_SECONDS_IN_BATCH))
        if flow.state_queues:  # most flows store no records, so no mark is needed
            self.collecting.records = self.ledger
        define_missing(qm, flow.state_queues)
        deployment = starting.pop("deployment", None) or flow.new_deployment(flow.project.databases)
        self.coordination: Coordination | None = None
        if flow.flow.coordinated:
            from penstock.flow.running.coordination import coordination_for

            self.coordination = coordination_for(flow, qm, deployment.databases)
            deployment = copy(deployment)  # SHARED variables stay common
            deployment.databases = self.coordination.databases
        self.unit = UnitOfWork(qm, deployment.databases)
        collected = self._started(flow, label, self.collecting, deployment, starting)
        self._trying = Trying(collected, self.collecting, self._rules, self.tally)
        self._directly = self._started(flow, label, self.direct, deployment, starting)

    def _started(
        self, flow: CompiledFlow, label: str, ports: Ports, deployment: Any, starting: dict[str, Any]
    ) -> QueueInput:
        instance = flow.start(ports, deployment=deployment, **starting)
        return QueueInput(self.node, instance.places[label])

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until the queue is empty: then 8303 for a message that no queue
        accepts.
        """
        self._stop = None if until_empty else stop
        try:
            self._run(stop, until_empty)
        finally:
            if self.coordination is not None:
                self.coordination.close()
            with suppress(MQError):  # the connection may be gone, and the handle with it
                self._handle.close()

    def _run(self, stop: threading.Event, until_empty: bool) -> None:
        while not stop.is_set():
            begun = monotonic()
            done = self._pausing(lambda: self.step(0.0 if until_empty else WAIT_SECONDS))
            if done is None:
                continue
            if until_empty and not done:
                return
            if done < 0 and until_empty and self.stuck is not None:
                raise self.stuck
            if done < 0:
                stop.wait(self._next_patience())
            elif done:
                self._patience, self.stuck = PATIENCE_SECONDS[0], None
            if done == self.batch and self.overlaps and not self.careful and is_quick(begun):
                self._pausing(lambda: self._overlap(stop))

    def _overlap(self, stop: threading.Event) -> int:
        self.overlaps = run_overlapping(self, stop)
        return 0

    def _pausing(self, work: Callable[[], int]) -> int | None:
        """Work; None after a pause, when something could not be reached or the queue gives no messages."""
        try:
            done = work()
        except MQError as raised:
            if self._stop is None or not pauses_input(raised):
                raise
            self.pause.wait(raised, self._stop)
            return None
        self.pause.over()
        return done

    def step(self, wait: float) -> int:
        """Get and run what is available, in one unit; return the number of messages, 0 for none, -1 to try
        later.
        """
        if self.careful or self.batch == 1:
            return self._one(wait)
        return self._several(wait)

    def _next_patience(self) -> float:
        self._patience = min(2 * self._patience, PATIENCE_SECONDS[1])
        return self._patience

    # -- in batches ------------------------------------------------------------------------

    def _several(self, wait: float) -> int:
        outputs = self.collecting.outputs
        outputs.clear()
        self.qm.begin()
        messages: list[Message] = []
        try:
            messages = self.inbox.get_many(self.node.queue, self.batch, wait=wait, **self.match)
            fresh = are_fresh(messages)
            again = (not fresh and self.deliveries.excuse_elsewhere(messages)) or not self._run_all(
                messages, fresh
            )
            if not again:
                self.qm.commit()
        except BaseException as raised:
            self._undo_for(raised, messages)
            raise
        if again:
            self.undo()
            self.careful = len(messages)
            for message in messages:
                self.deliveries.excuse(message)
            return len(messages)
        self.count_batch(messages, len(outputs))
        return len(messages)

    def count_batch(self, messages: list[Message], outputs: int) -> None:
        """Update the counters after the commit of a batch."""
        self.unit.commit_databases()
        if self.deliveries.excused:
            for message in messages:
                self.deliveries.forget(message)
        self.tally.messages += len(messages)
        self.tally.outputs += outputs

    def _run_all(self, messages: list[Message], fresh: bool) -> bool:
        """Run a batch and put its outputs; False if it has to run again, one by one."""
        try:
            self.collect(messages, fresh)
            kept = [PendingPut(each.state.value, message_of(each)) for each in self.ledger.flush()]
            put_all(self.qm, [*self.collecting.outputs, *kept] if kept else self.collecting.outputs)
        except MQError as raised:
            return self.is_repeatable(raised)
        return True

    def collect(self, messages: list[Message], fresh: bool) -> None:
        """Run a batch; its outputs are in `collecting`."""
        self.rules = None  # they may have been changed
        for message in () if fresh else messages:
            message.backout_count = self.deliveries.count(message)
        self._trying.run_all(messages)

    def is_repeatable(self, raised: MQError) -> bool:
        """Return False for a failure that running one by one gets to the bottom of; raise any other."""
        if raised.reason in CONNECTION_GONE or raised.reason == mq.PSRC_FLOW_PAUSED:
            raise raised
        report(logging.INFO, "flow_batch_again", raised.detail, queue=self.node.queue, **named(raised))
        return False

    # -- one by one ------------------------------------------------------------------------

    def _one(self, wait: float) -> int:
        if self.node.transaction == "no":
            return self._outside(wait)
        self.rules = None
        self.qm.begin()
        message: Message | None = None
        try:
            message = self.inbox.get(self.node.queue, wait=wait, **self.match)
            if message is None:
                self.undo()
                self.careful = 0
                return 0
            if self.batch > 1:
                self.deliveries.excuse_elsewhere([message])
            self._attempt(message)
            self._commit()
        except MessageFailed as raised:
            assert message is not None
            if raised.reason in CONNECTION_GONE or raised.reason == mq.PSRC_FLOW_PAUSED:
                self._undo_for(raised, [message])
                raise
            if raised.reason not in CANNOT_BE_HANDLED and not self._directly.in_unit(message):
                return self._lose(message, raised)
            self.undo()
            self.tally.backed_out += 1
            if self.deliveries.runs_again(message, raised):
                self.deliveries.excuse(message)
                return 1
            self.tally.note_failed(self.node.queue, message, raised)
            if raised.reason != mq.PSRC_FLOW_AGGREGATION_BUSY:
                self.deliveries.blame(message, raised)
                return 1
            self.deliveries.note_failure(message, raised)
            self.deliveries.excuse(message)
            return -1
        except MQError as raised:
            self._undo_for(raised, [] if message is None else [message])
            if raised.reason != mq.PSRC_FLOW_POISON:
                raise
            level = logging.WARNING if self.stuck is None else logging.DEBUG  # it is logged once
            report(level, "flow_waits", raised.detail, flow=self.tally.flow, queue=self.node.queue)
            self.stuck = raised
            return -1
        except BaseException:  # a unit that is left open would be committed when the connection is closed
            self.undo()
            raise
        self._done(message)
        return 1

    def _lose(self, message: Message, raised: MessageFailed) -> int:
        """Remove a failed message that belongs to no unit: what it has put outside remains.

        It was got in a unit anyway, together with puts that nodes made in that unit: the unit is backed out,
        and the message is taken from the queue separately. If another instance was quicker, that one has it.
        """
        self.undo()
        self.tally.note_failed(self.node.queue, message, raised)
        if self._take(message):
            self.tally.note_lost(self.node.queue, message)
            self._done(message)
        else:
            self.tally.backed_out += 1
        return 1

    def _take(self, message: Message) -> bool:
        """Get a message again, outside a unit; False if it is gone, or another one is before it."""
        match = self.match if self.node.logical_order else {**self.match, "msg_id": message.msg_id}
        self.qm.begin()
        try:
            taken = self.inbox.get(self.node.queue, **match)
            if taken is not None and taken.msg_id == message.msg_id:
                self.qm.commit()
                return True
        except BaseException:
            self.undo()
            raise
        self.undo()
        if taken is not None:
            self.deliveries.excuse(taken)
        return False

    def _attempt(self, message: Message) -> None:
        message.backout_count = self.deliveries.count(message)
        rules = self._rules() if message.backout_count else None
        if rules is not None and message.backout_count >= rules.threshold:
            place = self._directly.give_up(message, rules, self.deliveries.last_failures.get(message.msg_id))
            if place:
                self.tally.note_given_up(self.node.queue, message, place)
        else:
            self._directly.attempt(message)

    def _outside(self, wait: float) -> int:
        """Run one message that was got outside a unit: on failure it is lost, and logged.

        Work that nodes still do in a unit of work (state of aggregations, outputs with transaction yes) has
        its own unit.
        """
        message = self.inbox.get(self.node.queue, wait=wait, **self.match)
        if message is None:
            self.careful = 0
            return 0
        while self._pausing(lambda: self._ran_outside(message)) != RAN:
            if self._stop is not None and self._stop.is_set() and self.pause.why:
                self.tally.note_lost(self.node.queue, message)
                break
        self._done(message)
        return 1

    def _ran_outside(self, message: Message) -> int:
        """Run a message that was got for good; AGAIN when its unit has to begin again."""
        self.qm.begin()
        try:
            self._directly.attempt(message)
            self._commit()
        except MessageFailed as raised:
            self.undo()
            if raised.reason == mq.PSRC_FLOW_PAUSED and self._stop is not None:
                raise
            if self.deliveries.runs_again(message, raised):
                return AGAIN
            self.tally.note_failed(self.node.queue, message, raised)
            self.tally.note_lost(self.node.queue, message)
        except BaseException:
            self.undo()
            raise
        return RAN

    def _done(self, message: Message) -> None:
        self.direct.message_done(message.msg_id)
        self.deliveries.forget(message)
        self.careful = max(0, self.careful - 1)
        self.tally.messages += 1

    # -- ends of units ---------------------------------------------------------------------

    def _commit(self) -> None:
        """End the unit: databases first, so that a failure there also backs out the message."""
        started = self._directly
        try:
            if self.coordination is None:
                self.unit.commit_databases()
            else:
                self.coordination.prepare()
        except MQError as raised:
            if raised.reason in CANNOT_BE_HANDLED:
                raise
            problem = failed(raised, started.at.label, started.kind, started.at.instance.flow_name)
            raise as_pause(problem) from raised
        if self.coordination is None:
            self.qm.commit()
        else:
            self.coordination.commit()
        self.tally.outputs += self.direct.new_outputs()

    def _undo_for(self, raised: BaseException, messages: list[Message]) -> None:
        """Undo the unit of messages; one that none of them is to blame for is not held against them."""
        reason = raised.reason if isinstance(raised, MQError) else 0
        self.undo(counted=reason != mq.PSRC_FLOW_PAUSED)
        if reason in CONNECTION_GONE:  # the queue manager counts it
            for message in messages:
                self.deliveries.excuse(message)

    def undo(self, counted: bool = True) -> None:
        self.ledger.forget()
        self.direct.new_outputs()  # they do not exist
        broken = self.unit.undo(counted)
        if broken is not None and self.coordination is not None:
            raise error(mq.PSRC_FLOW_IN_DOUBT, f"a database may still hold a prepared unit: {broken}")

    def _rules(self) -> BackoutRules:
        if self.rules is None:
            self.rules = backout_rules(self.qm, self.node.queue)
        return self.rules


def is_batchable(flow: CompiledFlow) -> bool:
    """Return whether messages of a flow may share a unit: it accesses only queues and lookups."""
    return flow.kind <= Kind.QUEUE and not flow.flow.coordinated
