"""Records of aggregations on queues: a record is a message, its key the correlation id, its group the message
id.

Everything happens in the unit of work that the runner has started on the connection. Missing queues are
defined when a flow with aggregation starts; a user without the authority gets an error with the command to
run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.aggregation.records import Record, State, decoded
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import Message as QueueMessage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.face.blocking import BlockingQueueManager

BUSY_SECONDS = 5.0  # how long a reply waits for a unit of work that works on the same aggregation
GROUP_PIECE = 1000  # records taken at a time
ATTRIBUTES = "DEFPSIST(YES) MSGDLVSQ(FIFO) SHARE DEFSOPT(SHARED) MAXDEPTH(999999999) MAXMSGL(104857600)"


class QueueRecords:
    """Records stored directly on queues. `busy_seconds` is how long to wait for another unit of work."""

    def __init__(self, qm: BlockingQueueManager, busy_seconds: float = BUSY_SECONDS) -> None:
        self.qm = qm
        self.busy_seconds = busy_seconds

    def take(self, state: State, key: bytes) -> Record | None:
        found = self.qm.get(state.value, correl_id=key)
        return None if found is None else record_of(state, found)

    def take_group(self, state: State, group: bytes) -> list[Record]:
        found: list[Record] = []
        while piece := self.qm.get_many(state.value, GROUP_PIECE, msg_id=group):
            found.extend(record_of(state, each) for each in piece)
        return found

    def take_control(self, aggregation: bytes) -> Record:
        found = self.qm.get(State.CONTROL.value, correl_id=aggregation, wait=self.busy_seconds)
        if found is None:
            raise busy(aggregation)
        return record_of(State.CONTROL, found)

    def keep(self, record: Record) -> None:
        made = message_of(record)
        self.qm.put(
            record.state.value,
            made.body or b"",
            persistent=made.persistent,
            msg_id=made.msg_id,
            correl_id=made.correl_id,
            options=mq.MQPMO_SYNCPOINT,
        )


def busy(aggregation: bytes) -> MQError:
    """Return the error for an aggregation that another unit of work is using."""
    return error(
        mq.PSRC_FLOW_AGGREGATION_BUSY,
        f"another unit of work holds aggregation {aggregation.hex()} for too long",
    )


def message_of(record: Record) -> QueueMessage:
    """Return a record as the message to put."""
    return QueueMessage(record.encoded(), record.group, record.key, record.persistent)


def record_of(state: State, message: QueueMessage) -> Record:
    """Return the record in a message."""
    return decoded(state, message.correl_id, message.msg_id, message.persistent, message.body or b"")


def define_missing(qm: BlockingQueueManager, queues: Iterable[str]) -> None:
    """Define the missing queues; 8322 with the command to run if the user may not define them."""
    for queue in queues:
        if _is_there(qm, queue):
            continue
        command = f"DEFINE QLOCAL({queue}) {ATTRIBUTES}"
        try:
            wrong = [reply.text for reply in qm.mqsc(command) if reply.reason]
        except MQError as raised:
            wrong = [str(raised)]
        if wrong and not _is_there(qm, queue):
            raise error(
                mq.PSRC_FLOW_STATE_QUEUE,
                f"queue {queue} is missing and could not be defined here: {wrong[0]}\nRun: {command}",
                queue=queue,
            )


def _is_there(qm: BlockingQueueManager, queue: str) -> bool:
    try:
        with qm.open(queue, mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT):
            return True
    except MQError as raised:
        if raised.reason == mq.MQRC_OBJECT_IN_USE:
            return True  # another program has it open exclusively
        if raised.reason != mq.MQRC_UNKNOWN_OBJECT_NAME:
            raise
        return False
