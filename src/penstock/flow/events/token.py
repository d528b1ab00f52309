"""A small state that only one unit of work at a time may change: a message on the queue of its node.

Whoever takes the message off the queue has the state; others wait until that unit of work ends. It is made
once: under an exclusive handle, when the queue has neither a message nor an open unit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import Message as QueueMessage

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.ports import Ports

BUSY_SECONDS = 5.0  # how long a message waits for another unit of work
TOKEN = b"TOKEN".ljust(24, b"\0")


class Token:
    """The state of one node."""

    def __init__(self, queue: str) -> None:
        self.queue = queue

    def take(self, ports: Ports) -> dict[str, Any]:
        """Take the state in the unit of work; 8321 if another unit holds it for too long."""
        found = ports.get(self.queue, correl_id=TOKEN)
        if found is None:
            self._make(ports)
            found = ports.get(self.queue, correl_id=TOKEN, wait=BUSY_SECONDS)
        if found is None:
            raise error(
                mq.PSRC_FLOW_AGGREGATION_BUSY, f"another unit of work holds the state on {self.queue}"
            )
        state: dict[str, Any] = json.loads(found.body or b"{}")
        return state

    def keep(self, ports: Ports, state: dict[str, Any]) -> None:
        """Put the state back, in the unit of work."""
        ports.put(self.queue, _message(state))

    def _make(self, ports: Ports) -> None:
        """Make the first state, unless there is one or a unit of work has it."""
        qm: BlockingQueueManager | None = getattr(ports, "qm", None)
        if qm is None:
            raise error(mq.PSRC_FLOW_ENGINE, "this engine cannot keep the state of a node")
        try:
            with qm.open(self.queue, mq.MQOO_INPUT_EXCLUSIVE):
                told = qm.mqsc(f"DISPLAY QSTATUS('{self.queue}') CURDEPTH UNCOM")[0].attributes or {}
                if int(str(told["CURDEPTH"])) == 0 and str(told["UNCOM"]) == "NO":
                    ports.put(self.queue, _message({}), in_unit=False)
        except MQError as raised:
            if raised.reason != mq.MQRC_OBJECT_IN_USE:  # another instance is creating it right now
                raise


def _message(state: dict[str, Any]) -> QueueMessage:
    return QueueMessage(json.dumps(state).encode(), correl_id=TOKEN, persistent=True)
