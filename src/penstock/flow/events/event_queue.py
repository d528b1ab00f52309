"""The queue with the events of one node, as its listener sees it.

Only one listener at a time, in any process, works on it: the one that has it open exclusively. Should its
process die, the queue manager closes the queue, and the next listener reads all events again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.flow.events.event import event_of
from penstock.flow.running.reporting import named, report
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.events.event import Event

_OPTIONS = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE


class EventQueue:
    """The events of one node. Used by one thread."""

    def __init__(self, qm: BlockingQueueManager, queue: str) -> None:
        self._qm = qm
        self._queue = queue
        self._handle: Any = None
        self._option = mq.MQGMO_BROWSE_FIRST

    def lead(self) -> bool:
        """Take the exclusive right to work on the queue; False while another instance has it."""
        if self._handle is None:
            try:
                self._handle = self._qm.open(self._queue, _OPTIONS)
            except MQError as raised:
                if raised.reason != mq.MQRC_OBJECT_IN_USE:
                    raise
                return False
        return True

    def new_events(self) -> Iterator[Event]:
        """Yield the events that arrived since the last call; a foreign message is logged and left."""
        while (message := self._handle.get(options=self._option, quiet=True)) is not None:
            self._option = mq.MQGMO_BROWSE_NEXT
            try:
                yield event_of(message)
            except MQError as raised:
                report(
                    logging.WARNING, "flow_event_unknown", raised.detail, queue=self._queue, **named(raised)
                )

    def take(self, identity: bytes) -> bool:
        """Take an event off the queue, in the unit of work; False if it is gone."""
        options = mq.MQGMO_SYNCPOINT
        return self._handle.get(msg_id=identity, options=options, quiet=True) is not None

    def close(self) -> None:
        """Release the exclusive right to work on the queue."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None
