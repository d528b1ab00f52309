"""A flow as work for Spark's tasks: made once in a worker process, called with slices of messages.

`make(arguments)` is named to `fused.start`, `rows(arguments)` to `mapInArrow`. Both load the project, compile
the flow and run it exactly as the inline engine does in batches (`flow.running.retrying`): failures are
retried in memory and sent away by the rules of the queue. The flow's puts are returned as outputs.
"""

from __future__ import annotations

import random
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.ledger import Ledger
from penstock.flow.aggregation.on_queues import message_of
from penstock.flow.loading import compiled_flow
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.mq_input_run import QueueInput
from penstock.flow.ports import BackoutRules, CollectingPorts, PendingPut, backout_rules, put_arguments
from penstock.flow.project_content import digest_of
from penstock.flow.running.pausing import PAUSE_SECONDS
from penstock.flow.running.retrying import Tally, Trying
from penstock.flow.running.unit_of_work import UnitOfWork
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, MQError
from penstock.model.message import NEVER
from penstock.qmgr.batches.batch_publishing import RETAIN, TOPIC
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.runs.aggregation_timers import collecting
from penstock.spark.runs.batch_records import BatchRecords
from penstock.spark.starting.project_shipping import CARRIED, carry, folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message, Receipt
    from penstock.spark.runs.batch_records import Look, Take

SEED = "seed"
UNREACHABLE_SECONDS = 3600.0  # how long a task waits for a database, before its run ends with 8312


class CheckedPorts(CollectingPorts):
    """Collects; while `check` is set, every destination is checked at the queue manager."""

    check: Callable[[PendingPut], None] | None = None

    def put(self, *arguments: Any, **named: Any) -> Receipt:
        receipt = super().put(*arguments, **named)
        if self.check is not None:
            try:
                self.check(self.outputs[-1])
            except MQError:
                del self.outputs[-1]
                raise
        return receipt


class FlowWork:
    """A flow in a worker process; `arguments` specify the flow, its project, and its properties."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.ports = CheckedPorts(arguments.get("qmgr", ""), **fixed_sources(arguments))
        self.ports.pauses = True
        compiled = compiled_flow(folder_of(arguments), arguments["flow"], arguments.get("set", {}))
        label = arguments["input"]
        node = compiled.inputs[label]
        assert isinstance(node, MQInput)
        self._options = arguments.get("options", {})
        self._seed = arguments.get(SEED)
        self._queue = node.queue
        self.tally = Tally(compiled.name)
        self.records = BatchRecords()
        self.keeps_records = "url" in self._options and bool(collecting(compiled))
        if self.keeps_records:
            self.ports.records = Ledger(self.records)
        started = QueueInput(node, compiled.start(self.ports).places[label])
        self._trying = Trying(started, self.ports, self._rules, self.tally)
        self._unit = UnitOfWork(None, compiled.project.databases)

    def outputs(self, messages: list[Message]) -> list[PendingPut]:
        """Run the flow on messages and return its outputs."""
        self.ports.outputs.clear()
        try:
            for message in messages:
                if self._seed is not None:
                    self._reseed(message.msg_id)
                self._run(message)
        finally:
            self._unit.undo_databases()  # lookups end with the slice: nothing was written
        return self.ports.outputs

    def _run(self, message: Message) -> None:
        """Run the flow on a message; wait for an unreachable resource, with growing pauses."""
        mark, pause = self.ports.mark(), PAUSE_SECONDS[0]
        deadline = time.monotonic() + UNREACHABLE_SECONDS
        while True:
            try:
                self._trying.run(message)
                return
            except MessageFailed as raised:
                if raised.reason != mq.PSRC_FLOW_PAUSED or time.monotonic() > deadline:
                    raise
            self.ports.revert(mark)
            self._unit.undo_databases()
            time.sleep(pause)
            pause = min(2 * pause, PAUSE_SECONDS[1])

    def _reseed(self, msg_id: bytes) -> None:
        """Restart the numbers of a fixed run for a message: they do not depend on earlier messages."""
        self.ports.randomness.seed(f"{self._seed} {msg_id.hex()}")

    def _rules(self) -> BackoutRules:
        if "url" not in self._options:
            return BackoutRules(dead_letter_queue=self._options.get("deadLetterQueue", ""))
        return queue_manager_of(self._options).do(lambda qm: backout_rules(qm, self._queue))


def work_arguments(project: str, flow: str, input: str, *, far: bool = False, **more: Any) -> dict[str, Any]:
    """Return the arguments by which a worker finds the flow; a changed project has different ones.

    Workers keep what they have loaded, and a warm session keeps its workers: without the stamp they would
    continue with an old flow. Workers that are `far` do not see the project's folder: it is shipped.
    """
    given = {"project": project, "flow": flow, "input": input, "stamp": digest_of(Path(project)), **more}
    return {**given, "project": Path(project).name, CARRIED: carry(Path(project))} if far else given


def make(arguments: dict[str, Any]) -> FlowFunction:
    """Make the work of a fused query: messages in, (queue, message) out."""
    return FlowFunction(FlowWork(arguments))


class FlowFunction:
    """A flow as the work of a slice of messages (`slice_work.SliceWork`)."""

    checks = True

    def __init__(self, work: FlowWork) -> None:
        self._work = work
        self.keeps_records = work.keeps_records

    def __call__(self, messages: list[Message]) -> list[tuple[Any, ...]]:
        clock = self._work.ports.clock
        return [fused_output(output, clock()) for output in self._work.outputs(messages)]

    def failures(self) -> tuple[int, int, int]:
        """Return how many attempts failed, and how many messages were given up and lost, since the start."""
        tally = self._work.tally
        return tally.failed, tally.given_up, tally.lost

    def begin(self, look: Look) -> list[Take]:
        """Begin an attempt of a flow that keeps records; return the growing list of what it takes."""
        self._work.ports.records.forget()
        return self._work.records.begin(look)

    def kept(self) -> list[tuple[str, Message]]:
        """Return the records that remain to be stored when all messages are done."""
        return [(each.state.value, message_of(each)) for each in self._work.ports.records.flush()]

    @contextmanager
    def checking(self, qm: BlockingQueueManager) -> Iterator[None]:
        """Try every put on the queue manager, so that a refusal reaches the node that put.

        For a slice whose outputs were refused: a wrong reply queue concerns only one message.
        """

        def check(output: PendingPut) -> None:
            queue, body, details = detailed(output)
            qm.batches.output(queue, body, **details)

        self._work.ports.check = check
        try:
            yield
        finally:
            self._work.ports.check = None


def fused_output(output: PendingPut, now: float) -> tuple[Any, ...]:
    """Return an output in the form of a batch: complete, or with what the queue manager has to set."""
    message = output.message
    if output.topic or output.qmgr or output.persistence_of_queue or not is_complete(output):
        return detailed(output)
    message.put_time = now
    if message.expires_at != NEVER:
        message.expires_at = now + message.remaining
    return output.queue, message


def is_complete(output: PendingPut) -> bool:
    """Return whether a message is complete: its context, its reply queue; no headers, no reports."""
    own = output.message.descriptor
    return bool(
        output.options & mq.MQPMO_SET_ALL_CONTEXT
        and own.format != mq.MQFMT_RF_HEADER_2
        and not own.report
        and (own.reply_to_qmgr or not own.reply_to)
    )


def detailed(output: PendingPut) -> tuple[str, bytes, dict[str, Any]]:
    """Return an output as body and arguments of `qm.put`: the queue manager makes the message."""
    message = output.message
    own = message.descriptor
    details = {name: value for name, value in put_arguments(message).items() if name != "descriptor"}
    details |= {name: getattr(own, name) for name in own.__slots__}
    if output.qmgr:
        details["qmgr"] = output.qmgr
    if output.persistence_of_queue:
        details["persistent"] = None
    topic = f"{RETAIN if output.retain else TOPIC}{output.topic}"
    queue = topic if output.topic else output.queue
    return queue, message.body or b"", {**details, "options": output.options}


def fixed_sources(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return clock, ids and randomness that are the same in every run, for tests."""
    if SEED not in arguments:
        return {}
    chance = random.Random(arguments[SEED])
    return {
        "clock": lambda: float(arguments.get("now", 0.0)),
        "make_uuid": lambda: uuid.UUID(int=chance.getrandbits(128), version=4),
        "randomness": chance,
    }
