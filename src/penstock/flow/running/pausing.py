"""Pauses of an input: a resource of its flow cannot be reached, which is no message's fault.

A database or the queue manager that is down, an input queue with GET(DISABLED): the input waits, longer each
time, and tries again. The log has one line when a pause begins and one when it is over.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.flow.failing import CONNECTION_GONE
from penstock.flow.running.reporting import named, report
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, MQError

if TYPE_CHECKING:
    import threading

logger = logging.getLogger(__name__)

PAUSE_SECONDS = (0.1, 10.0)  # before the next attempt: at first, at most
CANNOT_CONNECT = (
    *CONNECTION_GONE,
    mq.MQRC_MAX_CONNS_LIMIT_REACHED,
    mq.MQRC_Q_MGR_NOT_AVAILABLE,
    mq.MQRC_UNEXPECTED_ERROR,
    mq.MQRC_CHANNEL_NOT_AVAILABLE,
    mq.MQRC_HOST_NOT_AVAILABLE,
)  # the queue manager takes no connection
CANNOT_GET = (
    mq.MQRC_GET_INHIBITED,
    mq.MQRC_OBJECT_IN_USE,
)  # GET(DISABLED); another program has the queue exclusively


class Pause:
    """The pauses of one input. One thread waits; `why` may be read by others."""

    def __init__(self, flow: str, label: str) -> None:
        self.flow = flow
        self.label = label
        self.why = ""  # what it waits for; "" while it works
        self._seconds = PAUSE_SECONDS[0]

    def wait(self, problem: MQError, stop: threading.Event) -> None:
        """Wait before the next attempt, or until stopped."""
        if not self.why:
            report(
                logging.WARNING,
                "flow_paused",
                problem.detail,
                flow=self.flow,
                input=self.label,
                node=problem.fields.get("nodelabel"),
                **named(problem),
            )
        self.why = str(problem)
        stop.wait(self._seconds)
        self._seconds = min(2 * self._seconds, PAUSE_SECONDS[1])

    def over(self) -> None:
        """Note that it works again."""
        if self.why:
            report(logging.WARNING, "flow_resumed", flow=self.flow, input=self.label)
            self.why = ""
            self._seconds = PAUSE_SECONDS[0]


def let_go(connection: Any) -> None:
    """Close a connection that is broken."""
    try:
        connection.close()
    except MQError:
        logger.debug("flow_close_failed", exc_info=True)


def pauses_input(problem: MQError) -> bool:
    """Return whether an input waits: something cannot be reached, or its queue cannot be read."""
    if isinstance(problem, MessageFailed):
        return problem.reason == mq.PSRC_FLOW_PAUSED
    return problem.reason in CANNOT_GET
