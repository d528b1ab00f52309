"""The timers of an AggregateReply: ends aggregations whose time is over, and checks held replies again.

A separate thread beside those that get replies. Each ending is one unit of work with its records and outputs,
so an interrupted one is backed out completely. Several may run, in any process: only one of them takes a
record. An aggregation ends when its time is over and no reply from before then waits on an input queue of the
flow.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import QueueRecords, define_missing
from penstock.flow.aggregation.records import State
from penstock.flow.aggregation.timeouts import Due
from penstock.flow.failing import CONNECTION_GONE
from penstock.flow.nodes.aggregate_reply import AggregateReply, Collecting
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.ports import DirectPorts
from penstock.flow.running.listener import repeat
from penstock.flow.running.pausing import Pause
from penstock.flow.running.reporting import report
from penstock.flow.running.retrying import Tally
from penstock.flow.running.unit_of_work import UnitOfWork
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    import threading

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow


POLL_SECONDS = 0.25  # delay until a record put by another process is seen
AGAIN_SECONDS = 5.0  # before a failed ending is tried again
BUSY_SECONDS = 0.1  # before an ending is tried again that another unit of work prevented
WAIT_SECONDS_MAX = 60.0  # how long an ending waits for replies put before it, and for other units of work


class AggregationListener:
    """The timers of one AggregateReply in one instance of a flow. Used by one thread."""

    def __init__(self, flow: CompiledFlow, label: str, qm: BlockingQueueManager, **starting: Any) -> None:
        node = flow.flat.nodes[label]
        assert isinstance(node, AggregateReply)
        self.flow = flow
        self.qm = qm
        self.label = label
        self.tally = Tally(flow.name)
        self.pause = Pause(flow.name, label)
        starting.pop("batch", None)  # every ending has its own unit
        self.ports = DirectPorts(qm, **starting.pop("sources", {}))
        self.ports.records = QueueRecords(qm, busy_seconds=BUSY_SECONDS)
        define_missing(qm, flow.state_queues)
        deployment = starting.pop("deployment", None) or flow.new_deployment(flow.project.databases)
        self.unit = UnitOfWork(qm, deployment.databases)
        instance = flow.start(self.ports, deployment=deployment, **starting)
        self.collecting = Collecting(node, instance.all_places[label])
        self.inputs = [each.queue for each in flow.inputs.values() if isinstance(each, MQInput)]
        self.timeouts = Due(qm, State.TIMEOUT, node.aggregate)
        self.held = Due(qm, State.UNKNOWN, node.aggregate)

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until nothing is due."""
        try:
            repeat(self.step, self._pause, stop, until_empty)
        finally:
            self.timeouts.close()
            self.held.close()

    def step(self) -> int:
        """Process everything that is due; return how much was."""
        now = self.ports.clock()
        done = 0
        for dues in (self.held, self.timeouts):
            dues.refresh(now)
            while (found := dues.pop(now)) is not None:
                done += self._see_to(dues, *found, now)
        return done

    def _see_to(self, dues: Due, due: float, key: bytes, now: float) -> int:
        """End one aggregation or examine one reply, in its own unit; 0 if it has to wait."""
        overdue = now - due > WAIT_SECONDS_MAX
        if dues is self.timeouts and not overdue and self._replies_wait(due):
            dues.add(due, key, again=now + POLL_SECONDS)
            return 0
        self.ports.new_outputs()  # of a unit that failed
        self.qm.begin()
        try:
            if dues is self.timeouts:
                found = self.collecting.expire(key, self.ports, overdue)
            else:
                found = self.collecting.examine(key, self.ports)
            self.unit.commit()
        except MQError as raised:
            self.unit.undo()
            if raised.reason in CONNECTION_GONE:
                raise
            busy = raised.reason == mq.PSRC_FLOW_AGGREGATION_BUSY
            dues.add(due, key, again=now + (BUSY_SECONDS if busy else AGAIN_SECONDS))
            self._note(raised)
            return 0
        except BaseException:
            self.unit.undo()
            raise
        self.tally.messages += found
        self.tally.outputs += self.ports.new_outputs()
        return int(found)

    def _replies_wait(self, due: float) -> bool:
        """Return whether a reply from before the end of an aggregation still waits."""
        for queue in self.inputs:
            with self.qm.open(queue, mq.MQOO_BROWSE) as handle:
                first = handle.get(options=mq.MQGMO_BROWSE_FIRST, quiet=True)
            if first is not None and first.put_time <= due:
                return True
        return False

    def _pause(self) -> float:
        nearest = [due for dues in (self.held, self.timeouts) if (due := dues.earliest) is not None]
        wait = min(nearest) - self.ports.clock() if nearest else POLL_SECONDS
        return max(0.0, min(wait, POLL_SECONDS))

    def _note(self, raised: MQError) -> None:
        self.tally.failed += 1
        self.tally.backed_out += 1
        report(
            logging.WARNING,
            "aggregation_timer_failed",
            raised.detail,
            flow=self.tally.flow,
            node=self.label,
            reason=raised.reason,
            name=raised.name,
        )
