"""Ports: what nodes may access besides the message. Queues and topics, the clock, random numbers, ids, logs.

A runner makes one `Ports` for each instance. `DirectPorts` puts at once on a connection, in the unit of work
that the runner has started; `CollectingPorts` holds outputs until the runner takes them: for batches, Spark
and tests. Time, ids and randomness can be supplied, so that two runs can be compared. Compiled through
`ports.pxd`: everything that a flow puts goes through it.
"""

from __future__ import annotations

import logging
import random
import time
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime
from os import urandom
from typing import TYPE_CHECKING, Any, NamedTuple

import cython

from penstock.flow.aggregation.on_queues import QueueRecords
from penstock.flow.failing import CONNECTION_GONE
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, Message, plain_receipt
from penstock.telemetry.context import in_flow

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Receipt

    ListKey = tuple[Hashable, ...]

logger = logging.getLogger(__name__)

_TIME, _UUID = time.time, uuid.uuid4
BROWSED_MAX = 100  # queues with a browse cursor in one instance
REFUSED_MAX = 10_000  # cached refused destination lists; other instances may have finished their messages


@cython.freelist(256)
@cython.no_gc
@cython.cclass
class PendingPut:
    """A message that a flow puts: to a queue, or to a topic."""

    def __init__(
        self,
        queue: str,
        message: Message,
        qmgr: str = "",
        options: int = 0,
        topic: str = "",
        retain: bool = False,
        persistence_of_queue: bool = False,
        in_unit: bool = True,
    ) -> None:
        self.queue = queue
        self.message = message
        self.qmgr = qmgr
        self.options = options
        self.topic = topic
        self.retain = retain
        self.persistence_of_queue = persistence_of_queue  # DEFPSIST of the queue decides, not the message
        self.in_unit = in_unit  # puts outside the unit stay when their message fails


class BackoutRules(NamedTuple):
    """A queue's rules for messages that fail: BOTHRESH, BOQNAME, and the queue manager's DEADQ."""

    threshold: int = 1
    backout_queue: str = ""
    dead_letter_queue: str = ""


@cython.cclass
class Ports:
    """The base class of all ports: clock, ids, randomness, logs."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        make_uuid: Callable[[], uuid.UUID] = uuid.uuid4,
        randomness: random.Random | None = None,
    ) -> None:
        self.queue_manager_name = ""
        self.clock = clock
        self.make_uuid = make_uuid
        self.randomness = randomness or random.Random()
        self.request: bytes | None = None  # the identifier of the HTTP request that the flow runs on
        self.pauses = False  # whether an unreachable resource pauses the flow, or is the message's failure
        self.records: Any = None  # the store of aggregations, set by engines that have one
        self.spans: Any = None  # gives outputs their trace context, set by a start with telemetry

    def put(
        self,
        queue: str,
        message: Message,
        qmgr: str = "",
        options: int = 0,
        in_unit: bool = True,
        persistence_of_queue: bool = False,
    ) -> Receipt:
        """Put a message; with `in_unit` it waits for the flow's commit.

        With `persistence_of_queue` the queue's DEFPSIST determines the persistence, not the message.
        """
        raise NotImplementedError

    @contextmanager
    def all_or_none(self, key: ListKey) -> Iterator[None]:
        """Put everything in the block, in the unit of work, or nothing.

        `key` identifies the block, also when it runs again; it begins with the message's id.
        """
        yield

    def publish(
        self, topic: str, message: Message, *, retain: bool = False, options: int = 0, in_unit: bool = True
    ) -> Receipt:
        """Publish a message."""
        raise NotImplementedError

    def get(
        self, queue: str, *, wait: float = 0.0, in_unit: bool = True, convert: bool = False, **match: Any
    ) -> Message | None:
        """Get a message (MQGet, aggregation); None if there is none. It may carry a warning."""
        raise error(mq.PSRC_FLOW_ENGINE, f"this engine cannot get from queue {queue} inside a flow")

    def browse(
        self, who: str, queue: str, *, wait: float = 0.0, again: bool = False, **match: Any
    ) -> Message | None:
        """Browse the next message of a queue: each `who` has its own cursor, `again` starts at the front."""
        raise error(mq.PSRC_FLOW_ENGINE, f"this engine cannot browse queue {queue} inside a flow")

    def backout_rules(self, queue: str) -> BackoutRules:
        """Return a queue's rules for messages that fail."""
        return BackoutRules()

    def moment(self) -> datetime | None:
        """Return the time that was supplied to a run; None if the machine's clock is used."""
        return None if self.clock is _TIME else datetime.fromtimestamp(self.clock(), UTC)

    def new_id(self) -> bytes:
        """Return a new message id, for a message whose id must be known before it is put."""
        if self.make_uuid is _UUID:
            return b"PSF " + urandom(16) + bytes(4)
        return b"PSF " + self.make_uuid().bytes + bytes(4)

    def log(self, label: str, text: str, level: int = logging.INFO) -> None:
        """Write to the log of the flow: what its author wants there, values of the message too."""
        extra = {"event": "flow_log", "facts": {"node": label, "line": text}, "text": ""}
        logger.log(level, "flow_log node=%s %s", label, text, extra=extra)


@cython.cclass
class CollectingPorts(Ports):
    """Holds what a flow puts in `outputs`, until the runner takes it."""

    def __init__(self, queue_manager_name: str = "", **sources: Any) -> None:
        super().__init__(**sources)
        self.queue_manager_name = queue_manager_name
        self.outputs: list[PendingPut] = []

    def put(
        self,
        queue: str,
        message: Message,
        qmgr: str = "",
        options: int = 0,
        in_unit: bool = True,
        persistence_of_queue: bool = False,
    ) -> Receipt:
        if message.msg_id == NO_ID:
            message.msg_id = self.new_id()
        if self.spans is not None:
            self.spans.mark(message)
        made = PendingPut.__new__(PendingPut)  # its __init__ would cost as much as all the rest
        made.queue = queue
        made.message = message
        made.qmgr = qmgr
        made.options = options
        made.topic = ""
        made.retain = False
        made.persistence_of_queue = persistence_of_queue
        made.in_unit = in_unit
        self.outputs.append(made)
        return plain_receipt(message, queue, qmgr or self.queue_manager_name)

    def publish(
        self, topic: str, message: Message, *, retain: bool = False, options: int = 0, in_unit: bool = True
    ) -> Receipt:
        if message.msg_id == NO_ID:
            message.msg_id = self.new_id()
        if self.spans is not None:
            self.spans.mark(message)
        self.outputs.append(PendingPut("", message, "", options, topic, retain, in_unit=in_unit))
        return plain_receipt(message, topic, self.queue_manager_name)

    @contextmanager
    def all_or_none(self, key: ListKey) -> Iterator[None]:
        mark = self.mark()
        try:
            yield
        except MQError:
            self.revert(mark)
            raise

    def mark(self) -> tuple[int, int]:
        """Return the current state, for `revert` when a message fails."""
        return len(self.outputs), 0 if self.records is None else self.records.mark()

    def revert(self, mark: tuple[int, int]) -> None:
        """Drop the puts of the unit, and undo changes to records, since a mark."""
        self.outputs[mark[0] :] = [each for each in self.outputs[mark[0] :] if not each.in_unit]
        if self.records is not None:
            self.records.revert(mark[1])


class DirectPorts(Ports):
    """Puts and gets immediately on a connection, in its unit of work or outside."""

    def __init__(self, qm: BlockingQueueManager, **sources: Any) -> None:
        super().__init__(**sources)
        self.qm = qm
        self.queue_manager_name = qm.name
        self.records = QueueRecords(qm)
        self._browsing: dict[tuple[str, str], Any] = {}
        self._put_in_unit = 0
        self._outputs = 0
        self._refused: dict[ListKey, MQError] = {}

    def put(
        self,
        queue: str,
        message: Message,
        qmgr: str = "",
        options: int = 0,
        in_unit: bool = True,
        persistence_of_queue: bool = False,
    ) -> Receipt:
        options |= mq.MQPMO_SYNCPOINT if in_unit else mq.MQPMO_NO_SYNCPOINT
        if self.spans is not None:
            self.spans.mark(message)
        arguments = put_arguments(message)
        if persistence_of_queue:
            arguments["persistent"] = None
        body: Any = message.body
        receipt = self.qm.put(queue, body, options=options, qmgr=qmgr, **arguments)
        self._put_in_unit += in_unit
        self._outputs += 1
        return receipt

    def new_outputs(self) -> int:
        """Return how many messages were put and published since the last call."""
        found, self._outputs = self._outputs, 0
        return found

    @contextmanager
    def all_or_none(self, key: ListKey) -> Iterator[None]:
        """Put all or none: a completed put stays in its unit, so 8311 backs it out, and the next run fails
        before any put.
        """
        if key in self._refused:
            raise self._refused[key]
        before = self._put_in_unit
        try:
            yield
        except MQError as refused:
            if self._put_in_unit == before or refused.reason in CONNECTION_GONE:
                raise
            self._refused[key] = refused
            if len(self._refused) > REFUSED_MAX:
                del self._refused[next(iter(self._refused))]
            raise error(mq.PSRC_FLOW_LIST_AGAIN, str(refused)) from refused

    def message_done(self, msg_id: bytes | None) -> None:
        """Forget the refused lists of a message; None for an input that is not a queue."""
        for key in [each for each in self._refused if each[0] == msg_id]:
            del self._refused[key]

    def publish(
        self, topic: str, message: Message, *, retain: bool = False, options: int = 0, in_unit: bool = True
    ) -> Receipt:
        options |= mq.MQPMO_SYNCPOINT if in_unit else mq.MQPMO_NO_SYNCPOINT
        if self.spans is not None:
            self.spans.mark(message)
        body: Any = message.body
        receipt = self.qm.publish(topic, body, retain=retain, options=options, **put_arguments(message))
        self._outputs += 1
        return receipt

    def get(
        self, queue: str, *, wait: float = 0.0, in_unit: bool = True, convert: bool = False, **match: Any
    ) -> Message | None:
        found: Message | None
        if in_unit and not convert:
            found = self.qm.get(queue, wait=wait, **match)
            return found
        options = mq.MQGMO_SYNCPOINT if in_unit else mq.MQGMO_NO_SYNCPOINT
        options |= mq.MQGMO_CONVERT if convert else 0
        with self.qm.open(queue, mq.MQOO_INPUT_AS_Q_DEF) as handle:
            found = handle.get(wait=wait, options=options, quiet=True, **match)
        return found

    def browse(
        self,
        who: str,
        queue: str,
        *,
        wait: float = 0.0,
        again: bool = False,
        convert: bool = False,
        **match: Any,
    ) -> Message | None:
        handle, is_new = self._browsing.get((who, queue)), False
        if handle is None:
            self._forget_browsing()
            handle = self._browsing[who, queue] = self.qm.open(queue, mq.MQOO_BROWSE)
            is_new = True
        options = mq.MQGMO_BROWSE_FIRST if again or is_new else mq.MQGMO_BROWSE_NEXT
        options |= mq.MQGMO_CONVERT if convert else 0
        found: Message | None = handle.get(wait=wait, options=options, quiet=True, **match)
        return found

    def _forget_browsing(self) -> None:
        """Close browse handles when there are many: queue names may come from messages."""
        if len(self._browsing) >= BROWSED_MAX:
            for handle in self._browsing.values():
                handle.close()
            self._browsing.clear()

    def backout_rules(self, queue: str) -> BackoutRules:
        return backout_rules(self.qm, queue)


def plain_puts(outputs: list[PendingPut]) -> list[tuple[str, Message, str, int]]:
    """Return the outputs that `qm.put_messages` accepts: those to queues, with their own persistence."""
    found = []
    for output in outputs:
        if not output.topic and not output.persistence_of_queue:
            found.append((output.queue, output.message, output.qmgr, output.options))
    return found


def put_all(qm: BlockingQueueManager, outputs: list[PendingPut]) -> None:
    """Put the outputs of a batch in the open unit; all queues in one call where possible."""
    plain = plain_puts(outputs)
    if len(plain) == len(outputs):
        qm.put_messages(plain)
        return
    if not any(output.persistence_of_queue for output in outputs):
        qm.put_messages(plain)
        outputs = [output for output in outputs if output.topic]
    ports = DirectPorts(qm)
    inside = in_flow.set(True)  # they carry their nodes' context
    try:
        for output in outputs:
            _put_directly(ports, output)
    finally:
        in_flow.reset(inside)


def _put_directly(ports: DirectPorts, output: PendingPut) -> None:
    if output.topic:
        ports.publish(output.topic, output.message, retain=output.retain, options=output.options)
    else:
        ports.put(
            output.queue,
            output.message,
            qmgr=output.qmgr,
            options=output.options,
            persistence_of_queue=output.persistence_of_queue,
        )


def put_arguments(message: Message) -> dict[str, Any]:
    """Return the arguments of `qm.put` besides the body, for a message with its descriptor."""
    return {
        "persistent": message.persistent,
        "msg_id": None if message.msg_id == NO_ID else message.msg_id,
        "correl_id": None if message.correl_id == NO_ID else message.correl_id,
        "priority": message.priority,
        "expiry": message.expiry,
        "properties": message.properties,
        "descriptor": message.descriptor,
    }


def backout_rules(qm: BlockingQueueManager, queue: str) -> BackoutRules:
    """Return a queue's rules for messages that fail, from the queue manager; a threshold of 0 counts as 1."""
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        base = handle.resolved[0]  # an alias has no rules of its own
    with qm.open(base, mq.MQOO_INQUIRE) as handle:
        told = handle.inquire("BOTHRESH", "BOQNAME")
    with qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR) as handle:
        dead = handle.inquire("DEADQ")["DEADQ"]
    return BackoutRules(max(1, int(told["BOTHRESH"])), str(told["BOQNAME"]).strip(), str(dead).strip())
