"""Gets messages of a queue group by group, for an MQInput with `logical_order` or `all_available`.

The queue manager keeps the position in a group with the open handle, so one handle serves all gets, in units
of work or outside. It has the two methods of a queue manager that `QueueListener` uses to get.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.nodes.mq_input import MQInput
    from penstock.model.message import Message


class GroupInbox:
    """The handle of one MQInput. Used by one thread."""

    def __init__(self, qm: BlockingQueueManager, node: MQInput) -> None:
        self._qm = qm
        self._handle: Any = None
        self._in_unit = node.transaction != "no"
        self._options = mq.MQGMO_LOGICAL_ORDER if node.logical_order else 0
        self._options |= mq.MQGMO_ALL_MSGS_AVAILABLE if node.all_available else 0

    def get(self, queue: str, *, wait: float = 0.0, **match: Any) -> Message | None:
        """Get the next message; None if there is none, or none of a complete group."""
        if self._handle is None:
            self._handle = self._qm.open(queue, mq.MQOO_INPUT_AS_Q_DEF)
        options = self._options | (mq.MQGMO_SYNCPOINT if self._in_unit else mq.MQGMO_NO_SYNCPOINT)
        found: Message | None = self._handle.get(wait=wait, options=options, quiet=True, **match)
        return found

    def get_many(self, queue: str, count: int, *, wait: float = 0.0, **match: Any) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        found: list[Message] = []
        while len(found) < count:
            message = self.get(queue, wait=0.0 if found else wait, **match)
            if message is None:
                break
            found.append(message)
        return found
