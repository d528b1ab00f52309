"""Which queues batches of Spark work with: private ones.

A reservation is a promise in this queue manager's journal, and the messages of a shared queue are elsewhere.
Called wherever a batch names a queue, before anything is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.qmgr.queue import Queue


def check_private(queue: Queue | None) -> None:
    """Refuse a shared queue: 2012."""
    if queue is not None and queue.shared is not None:
        raise error(
            mq.MQRC_ENVIRONMENT_ERROR,
            f"queue {queue.name} is shared, and batches of Spark hold messages of private queues only: "
            "have an inline flow move them to a private queue of this queue manager",
            queue=queue.name,
        )
